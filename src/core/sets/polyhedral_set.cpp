#include "softradial/sets/polyhedral_set.hpp"

#include <cmath>

#include "sets/log_barrier.hpp"

namespace softradial {

bool PolyhedralSet::append_linear(LinearSystem& out) const {
  for (const LinearSystem::Row& row : system_.inequalities()) out.add_inequality(row);
  for (const LinearSystem::Row& row : system_.equalities()) out.add_equality(row);
  return true;
}

void PolyhedralSet::slacks(std::span<const double> x, std::span<double> out) const {
  const auto& rows = system_.inequalities();
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = residual(rows[i], x.data());
}

// -sum_i log(s_i),  s_i = b_i - a_i.x + t:  gradient sum_i (a_i, -1) / s_i,  Hessian sum_i (a_i, -1)(a_i, -1)' / s_i^2.
std::optional<BarrierTerms> PolyhedralSet::barrier(const Eigen::VectorXd& x, double t) const {
  BarrierTerms terms(dim());
  const Eigen::Index last = x.size();
  for (const LinearSystem::Row& row : system_.inequalities()) {
    const double slack = residual(row, x.data()) + t;
    if (!(slack > 0)) return std::nullopt;
    terms.value -= std::log(slack);
    for (const LinearSystem::Entry& a : row.entries) {
      const double scaled = a.value / slack;
      terms.gradient[a.column] += scaled;
      terms.hessian(last, a.column) -= scaled / slack;
      for (const LinearSystem::Entry& b : row.entries) {
        terms.hessian(b.column, a.column) += scaled * (b.value / slack);
      }
    }
    terms.gradient[last] -= 1 / slack;
    terms.hessian(last, last) += 1 / slack / slack;
  }
  terms.hessian.col(last).head(last) = terms.hessian.row(last).head(last).transpose();
  return if_finite(std::move(terms));
}

std::optional<BarrierTerms> PolyhedralSet::nonlinear_barrier(const Eigen::VectorXd& /*x*/, double /*t*/) const {
  return BarrierTerms(dim());
}

}  // namespace softradial
