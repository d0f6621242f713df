#include "softradial/linear_system.hpp"

namespace softradial {

LinearSystem LinearSystem::in_sizes(const Eigen::VectorXd& sizes) const {
  LinearSystem out(dim_);
  for (const Row& row : inequalities_) out.add_inequality(softradial::in_sizes(row, sizes));
  for (const Row& row : equalities_) out.add_equality(softradial::in_sizes(row, sizes));
  return out;
}

LinearSystem::Row in_sizes(LinearSystem::Row row, const Eigen::VectorXd& sizes) {
  for (LinearSystem::Entry& entry : row.entries) entry.value *= sizes[static_cast<Eigen::Index>(entry.column)];
  return row;
}

double residual(const LinearSystem::Row& row, const double* x) noexcept {
  long double sum = row.bound;
  for (const LinearSystem::Entry& entry : row.entries) {
    sum -= static_cast<long double>(entry.value) * static_cast<long double>(x[entry.column]);
  }
  return static_cast<double>(sum);
}

}  // namespace softradial
