#include "train/work_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "outcome.hpp"
#include "train/terminal.hpp"

namespace softradial::program {
namespace {

constexpr const char* kClearLine = "\r\033[K";

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

WorkProgress::WorkProgress(int trainings, bool quiet)
    : total_(std::max(trainings, 1)),
      terminal_(isatty(STDERR_FILENO) != 0),
      quiet_(quiet),
      start_(Clock::now()),
      next_(start_ + (terminal_ ? Clock::duration::zero() : Clock::duration(kInPipe))) {}

WorkProgress::~WorkProgress() {
  if (dirty_) std::fputs(kClearLine, stderr);
}

void WorkProgress::begin(const std::string& name, int trainings) {
  before_ += static_cast<int>(parts_.size());
  parts_.assign(static_cast<std::size_t>(trainings), 0);
  name_ = name;
  print("");
}

void WorkProgress::show(int index, const study::Progress& p) {
  parts_.at(static_cast<std::size_t>(index)) =
      static_cast<double>(p.epoch) / static_cast<double>(std::max<std::int64_t>(p.epochs, 1));
  print(fmt::format(", epoch {} of {}, validation {:.4g}", p.epoch, p.epochs, p.validation));
}

void WorkProgress::print(const std::string& details) {
  const auto now = Clock::now();
  if (quiet_ || now < next_) return;
  next_ = now + (terminal_ ? Clock::duration(kOnTerminal) : Clock::duration(kInPipe));
  const double done = before_ + std::accumulate(parts_.begin(), parts_.end(), 0.0);
  const double part = std::min(done / total_, 1.0);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string left = part > 0 ? fmt::format(", {} left", duration_text(seconds * (1 - part) / part)) : "";
  const std::string text = fmt::format("{:3.0f} %  {}{}{}", 100 * part, name_, details, left);
  if (!terminal_) {
    tell(text);
    return;
  }
  constexpr std::size_t kBar = 20;
  const auto full = static_cast<std::size_t>(part * kBar);
  std::string line = fmt::format("[{:.<{}}] {}", std::string(full, '#'), kBar, text);
  line.resize(std::min(line.size(), terminal_width() - 1));
  fmt::print(stderr, "{}{}", kClearLine, line);
  std::fflush(stderr);
  dirty_ = true;
}

}  // namespace softradial::program
