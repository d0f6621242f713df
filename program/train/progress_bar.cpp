#include "train/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace softradial::program {

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
