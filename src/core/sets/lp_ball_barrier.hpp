#pragma once

#include <Eigen/Core>
#include <optional>

#include "softradial/set.hpp"

namespace softradial {

// A smooth barrier of {(d, T) : |d|_p < T} in the variables (d, T), T last. -log(T - |d|_p) itself has a kink at d = 0,
// exactly where Newton's method likes to go. Nothing outside the domain.
[[nodiscard]] std::optional<BarrierTerms> lp_cone_barrier(const Eigen::VectorXd& d, double T, double p);

}  // namespace softradial
