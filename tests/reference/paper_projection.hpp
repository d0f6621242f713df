#pragma once

#include <Eigen/Core>

#include "softradial/affine_hull.hpp"
#include "softradial/method.hpp"
#include "softradial/set.hpp"

namespace softradial::reference {

// The radial contraction r(rho) of the paper, term by term as printed, and its slope.
[[nodiscard]] long double contraction(const SoftRadial& method, long double rho);
[[nodiscard]] long double contraction_slope(const SoftRadial& method, long double rho);

// alpha*(u) = sup { alpha in [0, 1] : u0 + alpha (u - u0) in C }, by bisection.
[[nodiscard]] long double alpha_star(const ConvexSet& set, const Eigen::VectorXd& anchor, const Eigen::VectorXd& u);

// Definition 2.1, word for word: q(u) = u0 + alpha*(u) (u - u0), p(u) = u0 + r(|u - u0|^2) (q(u) - u0). Where the set is
// flat, u is first projected orthogonally onto its hull.
[[nodiscard]] Eigen::VectorXd hard_radial(const ConvexSet& set, const Eigen::VectorXd& anchor, const AffineHull& hull,
                                          const Eigen::VectorXd& u);
[[nodiscard]] Eigen::VectorXd soft_radial(const SoftRadial& method, const ConvexSet& set, const Eigen::VectorXd& anchor,
                                          const AffineHull& hull, const Eigen::VectorXd& u);

// x = u0 + s(gamma) / gamma d, with gamma by bisection; d / lambda where gamma = 0 (every s has slope 1/lambda there).
[[nodiscard]] Eigen::VectorXd gauge_map(const GaugeMap& method, const ConvexSet& set, const Eigen::VectorXd& anchor,
                                        const AffineHull& hull, const Eigen::VectorXd& u);

}  // namespace softradial::reference
