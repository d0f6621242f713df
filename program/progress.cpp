#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace softradial::program {

namespace {

constexpr std::chrono::seconds kFirst{1};
constexpr std::chrono::milliseconds kInterval{200};
constexpr const char* kClearLine = "\r\033[K";

}  // namespace

Progress::Progress()
    : enabled_(::isatty(STDERR_FILENO) != 0 && ::isatty(STDOUT_FILENO) == 0), next_(Clock::now() + kFirst) {}

Progress::~Progress() {
  if (shown_) std::fputs(kClearLine, stderr);
}

void Progress::show(std::size_t rows) {
  if (!enabled_ || Clock::now() < next_) return;
  fmt::print(stderr, "{}softradial: {} rows", kClearLine, rows);
  std::fflush(stderr);
  shown_ = true;
  next_ = Clock::now() + kInterval;
}

}  // namespace softradial::program
