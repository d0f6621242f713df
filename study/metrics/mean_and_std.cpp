#include "metrics/mean_and_std.hpp"

#include <cmath>

namespace softradial::study {

MeanAndStd mean_and_std(std::span<const double> numbers) {
  MeanAndStd out;
  double square = 0;
  for (const double v : numbers) out.mean += v / static_cast<double>(numbers.size());
  for (const double v : numbers) square += (v - out.mean) * (v - out.mean) / static_cast<double>(numbers.size());
  out.std = std::sqrt(square);
  return out;
}

}  // namespace softradial::study
