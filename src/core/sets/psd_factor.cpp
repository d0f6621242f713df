#include "sets/psd_factor.hpp"

#include <cmath>
#include <limits>

#include "algebra/symmetric_eigen.hpp"
#include "sets/number_text.hpp"
#include "sets/validation.hpp"

namespace softradial {

Eigen::MatrixXd psd_factor(std::string_view set, std::string_view name, const Eigen::MatrixXd& S) {
  // Halves first: a sum of two entries of the largest doubles would overflow.
  const Eigen::MatrixXd symmetric = S / 2 + S.transpose() / 2;
  const SymmetricEigen<double> eigen(symmetric, SymmetricEigen<double>::Want::vectors);
  const Eigen::VectorXd& values = eigen.values();  // ascending
  const double tolerance =
      static_cast<double>(S.rows()) * std::numeric_limits<double>::epsilon() * values.cwiseAbs().maxCoeff();
  if (values[0] < -tolerance) {
    reject(set,
           std::string(name) + " is not positive semidefinite: its smallest eigenvalue is " + number_text(values[0]));
  }
  const Eigen::Index rank = (values.array() > tolerance).count();
  return values.tail(rank).cwiseSqrt().asDiagonal() * eigen.vectors().rightCols(rank).transpose();
}

}  // namespace softradial
