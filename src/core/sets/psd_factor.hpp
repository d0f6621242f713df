#pragma once

#include <Eigen/Core>
#include <string_view>

namespace softradial {

// V with V'V = S up to rounding, one row sqrt(lambda_i) v_i' per positive eigenvalue of the symmetric S (k x k).
// Eigenvalues within k eps |S| of 0 count as 0. One below that: InvalidSet "<set>: <name> is not positive
// semidefinite: its smallest eigenvalue is ...". A zero matrix has no rows.
[[nodiscard]] Eigen::MatrixXd psd_factor(std::string_view set, std::string_view name, const Eigen::MatrixXd& S);

}  // namespace softradial
