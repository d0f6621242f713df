#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "training/train.hpp"

namespace softradial::program {

// The progress of a whole command, which may consist of many trainings:
//   [########............]  40 %  dc3 cap 0.05, epoch 30 of 50, validation 1.024, 4 min left
// On a terminal it is one line, cut to the width and rewritten in place, from the very beginning. In a pipe it is a plain line
// every half minute.
class WorkProgress {
 public:
  // `trainings`: how many the command will run. `quiet`: print nothing.
  WorkProgress(int trainings, bool quiet);
  ~WorkProgress();
  WorkProgress(const WorkProgress&) = delete;
  WorkProgress& operator=(const WorkProgress&) = delete;

  // The next `trainings` of them belong to `name`. Earlier ones count as done.
  void begin(const std::string& name, int trainings);
  // Called after an epoch of training `index` among those that began last.
  void show(int index, const study::Progress& progress);

 private:
  using Clock = std::chrono::steady_clock;
  void print(const std::string& details);

  int total_;
  bool terminal_;
  bool quiet_;
  bool dirty_ = false;
  int before_ = 0;  // trainings that are done
  std::string name_;
  std::vector<double> parts_;  // for each training that began last, the part that is done
  Clock::time_point start_;
  Clock::time_point next_;
};

// "4 s", "12 min", "3.5 h"
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace softradial::program
