#include "train/commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "data/table_files.hpp"

namespace softradial::program {
namespace {

template <class Data>
auto table_of(Data data) {
  for (const std::string& warning : data.warnings) tell("warning: " + warning);
  return std::move(data.table);
}

}  // namespace

study::PriceTable load_prices_and_warn(const std::string& source, std::uint64_t seed) {
  return table_of(study::load_prices(source, seed));
}

study::DemandTable load_demand_and_warn(const study::DispatchConfig& config) {
  return table_of(study::load_demand(config.demand, config.zones, config.data_seed));
}

ProgressBar::ProgressBar(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (dirty_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(const std::string& name, int trial, int trials, const study::Progress& p) {
  if (!shown_) return;
  constexpr int kWidth = 24;
  const int full = static_cast<int>(p.epoch * kWidth / std::max<std::int64_t>(1, p.epochs));
  fmt::print(stderr, "\r\033[K{} {}/{} [{}{}] {}/{}  loss {:.4f}  validation {:.4f}  {:.0f} s left", name, trial + 1,
             trials, std::string(static_cast<std::size_t>(full), '#'),
             std::string(static_cast<std::size_t>(kWidth - full), '.'), p.epoch, p.epochs, p.loss, p.validation,
             p.seconds_left);
  std::fflush(stderr);
  dirty_ = true;
}

}  // namespace softradial::program
