#pragma once

#include <chrono>
#include <cstddef>

#include "sweep/scheduler.hpp"

namespace softradial::program {

// The progress of a sweep:
//   [####................]  37 of 192 done, 2 running, 1 failed, 4 min left
//   cap=0.05                        dc3             12 of  52   best 1.0241
// On a terminal these lines are rewritten in place, with the groups in training and the last ones that were. In a pipe, one
// plain line every half minute says the same.
class SweepView {
 public:
  explicit SweepView(bool quiet);
  ~SweepView();
  SweepView(const SweepView&) = delete;
  SweepView& operator=(const SweepView&) = delete;

  void show(const study::SweepProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_;
  bool quiet_;
  std::size_t lines_ = 0;  // lines on the terminal
  Clock::time_point next_;
};

}  // namespace softradial::program
