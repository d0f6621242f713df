#pragma once

#include <Eigen/Core>
#include <functional>

namespace softradial::support {

// How far a cotangent lies from finite differences.
struct CotangentReport {
  int checked = 0;
  int near_kinks = 0;  // arguments left out
  double error = 0;    // largest |cotangent_j - difference_j| / (|grad_x| + |cotangent|)
};

// Compares `cotangent` = J' grad_x with central differences of fourth order of grad_x . map, argument by argument. `map`
// takes the arguments (everything that the value depends on, in one vector) to the value. Infinite arguments, open sides,
// stay where they are. An argument is left out where its stencil may straddle a kink: the differences with steps h and
// 2h, which agree to O(h^2) where the map is smooth, do not agree.
[[nodiscard]] CotangentReport check_cotangent(const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& map,
                                              const Eigen::VectorXd& arguments, const Eigen::VectorXd& grad_x,
                                              const Eigen::VectorXd& cotangent);

}  // namespace softradial::support
