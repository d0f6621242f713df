#pragma once

#include <span>

namespace softradial::study {

// Mean and deviation over a configuration's seeds. The deviation is that of these numbers themselves (divided by their count).
struct MeanAndStd {
  double mean = 0;
  double std = 0;
};
[[nodiscard]] MeanAndStd mean_and_std(std::span<const double> numbers);

}  // namespace softradial::study
