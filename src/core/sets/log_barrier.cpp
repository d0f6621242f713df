#include "sets/log_barrier.hpp"

#include <cmath>

namespace softradial {

std::optional<BarrierTerms> log_barrier(double s, const Eigen::VectorXd& g, const Eigen::MatrixXd& S) {
  if (!(s > 0)) return std::nullopt;
  BarrierTerms terms(static_cast<std::size_t>(g.size()) - 1);
  terms.value = -std::log(s);
  terms.gradient = -g / s;
  terms.hessian = terms.gradient * terms.gradient.transpose() - S / s;
  return if_finite(std::move(terms));
}

std::optional<BarrierTerms> if_finite(BarrierTerms terms) {
  if (!std::isfinite(terms.value) || !terms.gradient.allFinite() || !terms.hessian.allFinite()) return std::nullopt;
  return terms;
}

}  // namespace softradial
