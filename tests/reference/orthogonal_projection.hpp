#pragma once

#include <Eigen/Core>

namespace softradial::reference {

// The nearest point of {0 <= x <= caps, sum(x) = sum}: x_j = clamp(u_j - mu, 0, cap_j) with the multiplier mu of the sum
// found by bisection.
[[nodiscard]] Eigen::VectorXd nearest_in_capped_simplex(const Eigen::VectorXd& u, const Eigen::VectorXd& caps,
                                                        double sum);

// The nearest point of {A x <= b}: Dykstra's cyclic projections onto the halfspaces, run until a whole sweep moves the
// corrections by less than 1e-14.
[[nodiscard]] Eigen::VectorXd nearest_in_polyhedron(const Eigen::VectorXd& u, const Eigen::MatrixXd& A,
                                                    const Eigen::VectorXd& b);

// The nearest point of {|x - center| <= radius}.
[[nodiscard]] Eigen::VectorXd nearest_in_ball(const Eigen::VectorXd& u, const Eigen::VectorXd& center, double radius);

}  // namespace softradial::reference
