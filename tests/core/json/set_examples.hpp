#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "softradial/sets.hpp"

namespace softradial::test {

// A set of every type that SET.json knows, in every form that it can be written in.
inline std::vector<std::pair<std::string, Set>> set_examples() {
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();

  const VectorXd two = VectorXd{{0.1, -2.5e-7}};
  const VectorXd three = VectorXd{{1.0 / 3, 0.5, 0.7}};
  const MatrixXd shape = MatrixXd{{2, 0.5}, {0.5, 1}};
  const MatrixXd A = MatrixXd{{1, 0}, {0, 1}, {-1, -1.0 / 3}};
  const MatrixXd E = MatrixXd{{1, -1}};
  const SparseMatrix sparse_A = A.sparseView();
  const SparseMatrix sparse_E = E.sparseView();
  const VectorXd b = VectorXd{{1, 2, 3}};
  const VectorXd f = VectorXd{{0.125}};

  const Set ball = Ball(two, 0.75);
  const Set box = Box(VectorXd{{-kInfinity, -1}}, VectorXd{{4, kInfinity}});
  return {
      {"simplex", Simplex(5, 2.5)},
      {"capped_simplex_one_cap", CappedSimplex(50, 0.05)},
      {"capped_simplex_caps", CappedSimplex(three, 1.25)},
      {"box_open_sides", box},
      {"box_negative_zero", Box(VectorXd{{-0.0}}, VectorXd{{5e-324}})},
      {"box_extremes", Box(VectorXd{{-1.7976931348623157e308}}, VectorXd{{2.2250738585072014e-308}})},
      {"ball", ball},
      {"ball_with_anchor", ball.with_anchor(VectorXd{{0.1, 0.2}})},
      {"ellipsoid", Ellipsoid(two, shape)},
      {"polyhedron_dense", Polyhedron(A, b)},
      {"polyhedron_dense_equalities", Polyhedron(A, b, E, f)},
      {"polyhedron_dense_equalities_only", Polyhedron(MatrixXd(0, 2), VectorXd(0), E, f)},
      {"polyhedron_dense_whole_space", Polyhedron(MatrixXd(0, 4), VectorXd(0))},
      {"polyhedron_sparse", Polyhedron(sparse_A, b)},
      {"polyhedron_sparse_equalities", Polyhedron(sparse_A, b, sparse_E, f)},
      {"polyhedron_sparse_whole_space", Polyhedron(SparseMatrix(0, 4), VectorXd(0))},
      {"quadratic", Quadratic(shape, two, -1)},
      {"second_order_cone", SecondOrderCone(A, b, two, 4)},
      {"second_order_cone_halfspace", SecondOrderCone(MatrixXd(0, 2), VectorXd(0), two, 4)},
      {"lmi", Lmi({MatrixXd::Identity(2, 2), shape, MatrixXd{{0, 1}, {1, 0}}})},
      {"lp_ball", LpBall(two, 2, 1.5)},
      {"lp_ball_infinity", LpBall(two, 2, kInfinity)},
      {"log_sum_exp", LogSumExp(3, 0.3)},
      {"kl_ball", KlBall(VectorXd{{0.25, 0.75}}, 0.1)},
      {"intersection", Intersection({ball, box})},
      {"product", Product({Simplex(3), ball.with_anchor(two), Product({box})})},
      {"affine_preimage", AffinePreimage(Simplex(3), A, VectorXd{{0.1, 0.2, 0.3}})},
      {"scaled", Scaled(Scaled(CappedSimplex(4, 0.5), 3), 0.1)},
  };
}

}  // namespace softradial::test
