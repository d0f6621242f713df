#pragma once

namespace softradial::study {

// The result of an epoch.
struct EpochRecord {
  double loss = 0;        // mean over the batches
  double validation = 0;  // the metric that selects the best epoch
  bool operator==(const EpochRecord&) const = default;
};

}  // namespace softradial::study
