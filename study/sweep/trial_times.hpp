#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sweep/configuration.hpp"

namespace softradial::study {

// What the time of an epoch depends on.
struct TrialShape {
  std::string key;   // the same for trainings whose epochs take the same time
  double thumb = 0;  // seconds of an epoch by a rule of thumb, in units of their own
};
[[nodiscard]] TrialShape shape_of(const Configuration& configuration);

// How long trials take: a rule of thumb from the configuration, corrected by the trials that were trained. The scheduler
// begins long trials first, so that no worker is left alone with one at the end; it needs no more than their order.
class TrialTimes {
 public:
  // A training took `seconds` for so many epochs.
  void record(const TrialShape& shape, std::int64_t epochs, double seconds);

  // Of an epoch: the mean of trainings of the same shape; where there is none, the rule of thumb, scaled so that it fits all
  // that were recorded.
  [[nodiscard]] double seconds_per_epoch(const TrialShape& shape) const;

  // Something was recorded for a training of this shape.
  [[nodiscard]] bool knows(const TrialShape& shape) const;

 private:
  struct Pace {
    double seconds = 0;
    double epochs = 0;
  };
  std::map<std::string, Pace> shapes_;
  double seconds_ = 0;  // of all that were recorded
  double thumb_ = 0;    // what the rule of thumb says for them
};

}  // namespace softradial::study
