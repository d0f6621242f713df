#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "softradial/linear_system.hpp"

namespace softradial {

// The non-zero entries of a vector, as those of a row.
[[nodiscard]] inline std::vector<LinearSystem::Entry> entries_of(const Eigen::VectorXd& a) {
  std::vector<LinearSystem::Entry> entries;
  for (Eigen::Index j = 0; j < a.size(); ++j) {
    if (a[j] != 0) entries.push_back({static_cast<std::size_t>(j), a[j]});
  }
  return entries;
}

// |a|, scaled first so that no square overflows; 0 for a row of zeros.
[[nodiscard]] inline double row_length(const std::vector<LinearSystem::Entry>& entries) noexcept {
  double largest = 0;
  for (const LinearSystem::Entry& entry : entries) largest = std::max(largest, std::abs(entry.value));
  if (largest == 0) return 0;
  double sum = 0;
  for (const LinearSystem::Entry& entry : entries) sum += (entry.value / largest) * (entry.value / largest);
  return largest * std::sqrt(sum);
}

// |b| + sum_j |a_j x_j|: the size of the terms in a row, which rounding is relative to.
[[nodiscard]] inline double row_size(const LinearSystem::Row& row, const Eigen::VectorXd& x) {
  double size = std::abs(row.bound);
  for (const LinearSystem::Entry& entry : row.entries) {
    size += std::abs(entry.value * x[static_cast<Eigen::Index>(entry.column)]);
  }
  return size;
}

}  // namespace softradial
