#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sweep/configuration.hpp"

namespace softradial::study {

// The properties of a training that determine the time of an epoch.
struct TrialShape {
  std::string key;   // the same for trainings whose epochs take the same time
  double thumb = 0;  // seconds of an epoch by a rule of thumb, in arbitrary units
};
[[nodiscard]] TrialShape shape_of(const Configuration& configuration);

// Estimates how long trials take: a rule of thumb from the configuration, corrected by the trials that were trained. The
// scheduler begins long trials first, so that no worker is left alone with one at the end; it only needs their order.
class TrialTimes {
 public:
  // Records that a training took `seconds` for this many epochs.
  void record(const TrialShape& shape, std::int64_t epochs, double seconds);

  // The seconds of an epoch: the mean over trainings of the same shape; without any, the rule of thumb, scaled to fit all
  // recorded trainings.
  [[nodiscard]] double seconds_per_epoch(const TrialShape& shape) const;

  // Whether a training of this shape was recorded.
  [[nodiscard]] bool knows(const TrialShape& shape) const;

 private:
  struct Pace {
    double seconds = 0;
    double epochs = 0;
  };
  std::map<std::string, Pace> shapes_;
  double seconds_ = 0;  // sum of all recorded trainings
  double thumb_ = 0;    // sum by the rule of thumb for the same trainings
};

}  // namespace softradial::study
