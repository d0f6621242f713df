#include "train/commands.hpp"

#include <algorithm>
#include <csignal>
#include <thread>
#include <utility>

#include "data/table_files.hpp"

namespace softradial::program {
namespace {

// A signal handler can reach only global variables.
std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);
constexpr int kStopSignals[] = {SIGINT, SIGTERM, SIGHUP};

template <class Data>
auto table_of(Data data) {
  for (const std::string& warning : data.warnings) tell("warning: " + warning);
  return std::move(data.table);
}

}  // namespace

study::PriceTable load_prices_and_warn(const std::string& source, std::uint64_t seed) {
  return table_of(study::load_prices(source, seed));
}

study::DemandTable load_demand_and_warn(const std::string& source, std::size_t max_zones, std::uint64_t seed) {
  return table_of(study::load_demand(source, max_zones, seed));
}

void tell_about_limits(const study::PortfolioConfig& config, const study::PriceTable& prices) {
  const study::DecisionSet limits = limits_of(config, prices);
  if (!limits.note.empty()) tell(limits.note);
}

void tell_about_limits(const study::DispatchConfig& config, const study::DemandTable& demand) {
  const study::DecisionSet limits = limits_of(config, demand);
  if (!limits.note.empty()) tell(limits.note);
}

int jobs_or_default(std::optional<int> jobs, int threads) {
  if (jobs) return *jobs;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / std::max(1, threads));
}

StopOnSignal::StopOnSignal() {
  stop_requested.store(false);
  struct sigaction action = {};
  action.sa_handler = [](int) { stop_requested.store(true); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : kStopSignals) sigaction(signal, &action, nullptr);
}

StopOnSignal::~StopOnSignal() {
  for (const int signal : kStopSignals) std::signal(signal, SIG_DFL);
}

const std::atomic<bool>& StopOnSignal::flag() const { return stop_requested; }

}  // namespace softradial::program
