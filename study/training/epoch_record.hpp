#pragma once

namespace softradial::study {

// What an epoch came to.
struct EpochRecord {
  double loss = 0;        // mean over the batches
  double validation = 0;  // the metric that selects the best epoch
  bool operator==(const EpochRecord&) const = default;
};

}  // namespace softradial::study
