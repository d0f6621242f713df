#pragma once

#include <Eigen/Core>
#include <optional>

#include "softradial/set.hpp"

namespace softradial {

// -log(s) for one slack s(x, t) from its gradient g and Hessian S, all in (x, t) with t last:
//   gradient -g / s,   Hessian g g' / s^2 - S / s.
// Empty outside the domain s > 0 or if a number is not finite.
[[nodiscard]] std::optional<BarrierTerms> log_barrier(double s, const Eigen::VectorXd& g, const Eigen::MatrixXd& S);

// The terms; empty if one of their numbers is not finite.
[[nodiscard]] std::optional<BarrierTerms> if_finite(BarrierTerms terms);

}  // namespace softradial
