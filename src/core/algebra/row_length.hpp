#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "softradial/linear_system.hpp"

namespace softradial {

// |a|, scaled first so that no square overflows; 0 for a row of zeros.
[[nodiscard]] inline double row_length(const std::vector<LinearSystem::Entry>& entries) noexcept {
  double largest = 0;
  for (const LinearSystem::Entry& entry : entries) largest = std::max(largest, std::abs(entry.value));
  if (largest == 0) return 0;
  double sum = 0;
  for (const LinearSystem::Entry& entry : entries) sum += (entry.value / largest) * (entry.value / largest);
  return largest * std::sqrt(sum);
}

}  // namespace softradial
