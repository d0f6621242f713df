#include "train/sweep_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "outcome.hpp"
#include "train/terminal.hpp"
#include "train/work_progress.hpp"

namespace softradial::program {
namespace {

using study::GroupProgress;
using study::SweepProgress;

constexpr std::size_t kMostGroups = 12;

std::string totals(const SweepProgress& progress) {
  const std::size_t failed = progress.sum(&GroupProgress::failed);
  return fmt::format("{} of {} trials done, {} running{}{}", progress.sum(&GroupProgress::done),
                     progress.sum(&GroupProgress::trials), progress.sum(&GroupProgress::running),
                     failed > 0 ? fmt::format(", {} failed", failed) : "",
                     progress.seconds_left > 0 ? fmt::format(", {} left", duration_text(progress.seconds_left)) : "");
}

std::string best_text(const GroupProgress& group) {
  return std::isfinite(group.best) ? fmt::format("best {:.4f}", group.best) : "";
}

// The groups to show: the last ones among those with results or in training.
std::vector<const GroupProgress*> shown_groups(const SweepProgress& progress, std::size_t most) {
  std::vector<const GroupProgress*> shown;
  for (const GroupProgress& group : progress.groups) {
    if (group.running > 0 || group.done > 0) shown.push_back(&group);
  }
  if (shown.size() > most) shown.erase(shown.begin(), shown.end() - static_cast<std::ptrdiff_t>(most));
  return shown;
}

}  // namespace

SweepView::SweepView(bool quiet)
    : terminal_(isatty(STDERR_FILENO) != 0),
      quiet_(quiet),
      next_(Clock::now() + (terminal_ ? Clock::duration::zero() : Clock::duration(kInPipe))) {}

SweepView::~SweepView() {
  if (lines_ > 0) fmt::print(stderr, "\033[{}A\r\033[J", lines_);
}

void SweepView::show(const SweepProgress& progress) {
  const auto now = Clock::now();
  if (quiet_ || now < next_) return;
  next_ = now + (terminal_ ? Clock::duration(kOnTerminal) : Clock::duration(kInPipe));
  if (!terminal_) {
    std::string text = totals(progress);
    for (const GroupProgress& group : progress.groups) {
      if (group.running == 0) continue;
      text += fmt::format("; {}{}{} {} of {} {}", group.group->setting, group.group->setting.empty() ? "" : " ",
                          group.group->method, group.done, group.trials, best_text(group));
    }
    tell(text);
    return;
  }
  constexpr std::size_t kBar = 20;
  const double part = static_cast<double>(progress.sum(&GroupProgress::done)) /
                      static_cast<double>(std::max<std::size_t>(progress.sum(&GroupProgress::trials), 1));
  const std::string full(static_cast<std::size_t>(part * kBar), '#');
  std::vector<std::string> lines = {fmt::format("[{:.<{}}] {}", full, kBar, totals(progress))};
  for (const GroupProgress* group : shown_groups(progress, kMostGroups)) {
    lines.push_back(fmt::format("{:<32} {:<16} {:>4} of {:<4} {}", group->group->setting, group->group->method,
                                group->done, group->trials, best_text(*group)));
  }
  std::string text = lines_ > 0 ? fmt::format("\033[{}A\r\033[J", lines_) : "";
  for (std::string& line : lines) {
    line.resize(std::min(line.size(), terminal_width() - 1));
    text += line + "\n";
  }
  lines_ = lines.size();
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace softradial::program
