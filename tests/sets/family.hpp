#pragma once

#include <Eigen/Core>
#include <random>

#include "softradial/set.hpp"

// What the families' files share.
namespace softradial::support {

// Standard normal entries; the seed makes each matrix a constant.
[[nodiscard]] inline Eigen::MatrixXd gaussian(Eigen::Index rows, Eigen::Index cols, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd result(rows, cols);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < cols; ++j) result(i, j) = normal(engine);
  }
  return result;
}

// Curved sets for the combinators: each is built by its own family.
[[nodiscard]] Set ellipse(const Eigen::VectorXd& center, const Eigen::MatrixXd& shape);
[[nodiscard]] Set disc_by_form(const Eigen::VectorXd& center);  // |x - center|^2 <= 1, multiplied out
[[nodiscard]] Set circular_cone();                              // |(x_1, x_2)| <= x_3
[[nodiscard]] Set elliptope();                                  // the correlations of three variables
[[nodiscard]] Set soft_orthant(std::size_t dim);                // sum_j exp(x_j) <= 1
[[nodiscard]] Set trough();                                     // exp(x_1) + x_2^2 <= 3, by callables

}  // namespace softradial::support
