#include "softradial/linear_system.hpp"

namespace softradial {

double residual(const LinearSystem::Row& row, const double* x) noexcept {
  long double sum = row.bound;
  for (const LinearSystem::Entry& entry : row.entries) {
    sum -= static_cast<long double>(entry.value) * static_cast<long double>(x[entry.column]);
  }
  return static_cast<double>(sum);
}

}  // namespace softradial
