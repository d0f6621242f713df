#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "set_access.hpp"
#include "softradial/errors.hpp"
#include "softradial/sets.hpp"

namespace softradial::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct BadSet {
  std::function<void()> build;
  std::string message;
};

void expect_rejected(const std::vector<BadSet>& table) {
  for (const BadSet& bad : table) {
    try {
      bad.build();
      ADD_FAILURE() << "accepted: " << bad.message;
    } catch (const InvalidSet& error) {
      EXPECT_EQ(error.what(), bad.message);
    }
  }
}

TEST(Validation, OfCoordinateSets) {
  expect_rejected({
      {[] { Box(vec({}), vec({})); }, "box: the dimension is 0"},
      {[] {
         Box(vec({0, 0}), vec({1}));
       },
       "box: lower has 2 entries, upper has 1"},
      {[] {
         Box(vec({0, kNaN}), vec({1, 1}));
       },
       "box: lower bound 1 is nan, neither a finite number nor -inf"},
      {[] { Box(vec({kInfinity}), vec({kInfinity})); }, "box: lower bound 0 is inf, neither a finite number nor -inf"},
      {[] { Box(vec({0}), vec({-kInfinity})); }, "box: upper bound 0 is -inf, neither a finite number nor inf"},
      {[] {
         Box(vec({0, 0, 0.5}), vec({1, 1, 0.25}));
       },
       "box: lower bound 2 is 0.5, above the upper bound 0.25"},
      {[] { Simplex(0); }, "simplex: the dimension is 0"},
      {[] { Simplex(1000000000000000); }, "simplex: the dimension 1000000000000000 is above the largest one, 16777216"},
      {[] { Simplex(3, 0); }, "simplex: sum is 0, not positive"},
      {[] { Simplex(3, -1); }, "simplex: sum is -1, not positive"},
      {[] { Simplex(3, kNaN); }, "simplex: sum is nan, not a finite number"},
      {[] { CappedSimplex(0, 1); }, "capped_simplex: the dimension is 0"},
      {[] { CappedSimplex(vec({})); }, "capped_simplex: the dimension is 0"},
      {[] { CappedSimplex(3, -0.5); }, "capped_simplex: cap is -0.5, not positive"},
      {[] { CappedSimplex(3, kInfinity); }, "capped_simplex: cap is inf, not a finite number"},
      {[] {
         CappedSimplex(vec({1, -0.5}));
       },
       "capped_simplex: cap[1] is -0.5, below 0"},
      {[] {
         CappedSimplex(vec({1, kNaN}));
       },
       "capped_simplex: cap[1] is nan, not a finite number"},
      {[] { CappedSimplex(10, 0.0625); }, "capped_simplex: the caps sum to 0.625, below the sum 1"},
      {[] { CappedSimplex(10, 1, -1); }, "capped_simplex: sum is -1, not positive"},
  });
}

TEST(Validation, OfPolyhedra) {
  const Eigen::MatrixXd A = mat({{1, 2}, {3, 4}, {5, 6}, {7, 8}});
  const Eigen::VectorXd b = Eigen::VectorXd::Zero(4);
  expect_rejected({
      {[&] {
         Polyhedron(A, vec({1, 2, 3}));
       },
       "polyhedron: b has 3 entries for 4 rows of A"},
      {[&] { Polyhedron(Eigen::MatrixXd(4, 0), b); }, "polyhedron: the dimension is 0"},
      {[&] {
         Polyhedron(mat({{1, 2}, {3, kNaN}}), vec({1, 2}));
       },
       "polyhedron: A[1][1] is nan, not a finite number"},
      {[&] {
         Polyhedron(A, vec({1, 2, kInfinity, 3}));
       },
       "polyhedron: b[2] is inf, not a finite number"},
      {[&] {
         Polyhedron(A, b, mat({{1, 2, 3}}), vec({1}));
       },
       "polyhedron: E has 3 columns, A has 2"},
      {[&] {
         Polyhedron(A, b, mat({{1, 2}}), vec({1, 2}));
       },
       "polyhedron: f has 2 entries for 1 rows of E"},
      {[&] {
         Polyhedron(A, b, mat({{1, kNaN}}), vec({1}));
       },
       "polyhedron: E[0][1] is nan, not a finite number"},
      {[&] {
         Polyhedron(A, b, mat({{1, 1}}), vec({kNaN}));
       },
       "polyhedron: f[0] is nan, not a finite number"},
      {[&] {
         Polyhedron(SparseMatrix(mat({{0, 2}, {kInfinity, 0}}).sparseView()), vec({1, 2}));
       },
       "polyhedron: A[1][0] is inf, not a finite number"},
      {[&] { Polyhedron(SparseMatrix(A.sparseView()), vec({1})); }, "polyhedron: b has 1 entries for 4 rows of A"},
  });
}

TEST(Validation, OfSmoothSets) {
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(2, 2);
  const Eigen::VectorXd z = Eigen::VectorXd::Zero(2);
  expect_rejected({
      {[&] { Ball(vec({}), 1); }, "ball: the dimension is 0"},
      {[&] {
         Ball(vec({0, kNaN}), 1);
       },
       "ball: center[1] is nan, not a finite number"},
      {[&] { Ball(z, 0); }, "ball: radius is 0, not positive"},
      {[&] { Ball(z, kInfinity); }, "ball: radius is inf, not a finite number"},
      {[&] {
         Ellipsoid(z, mat({{1, 0}}));
       },
       "ellipsoid: shape is 1x2, not square"},
      {[&] { Ellipsoid(vec({0}), I); }, "ellipsoid: center has 1 entries for 2 rows of shape"},
      {[&] {
         Ellipsoid(z, mat({{1, 0.5}, {0.25, 1}}));
       },
       "ellipsoid: shape is not symmetric: shape[0][1] is 0.5 and shape[1][0] is 0.25"},
      {[&] {
         Ellipsoid(z, mat({{1, 0}, {0, -2}}));
       },
       "ellipsoid: shape is not positive semidefinite: its smallest eigenvalue is -2"},
      {[&] {
         Quadratic(mat({{1, 0}, {0, -1e-9}}), z, 0);
       },
       "quadratic: P is not positive semidefinite: its smallest eigenvalue is -1e-09"},
      {[&] {
         Quadratic(mat({{1, 2}, {3, 4}}), z, 0);
       },
       "quadratic: P is not symmetric: P[0][1] is 2 and P[1][0] is 3"},
      {[&] {
         Quadratic(I, vec({1, 2, 3}), 0);
       },
       "quadratic: q has 3 entries for 2 rows of P"},
      {[&] {
         Quadratic(I, vec({1, kNaN}), 0);
       },
       "quadratic: q[1] is nan, not a finite number"},
      {[&] {
         Quadratic(mat({{kNaN, 0}, {0, 1}}), z, 0);
       },
       "quadratic: P[0][0] is nan, not a finite number"},
      {[&] { Quadratic(I, z, kNaN); }, "quadratic: c is nan, not a finite number"},
      {[&] { Quadratic(Eigen::MatrixXd(0, 0), vec({}), 0); }, "quadratic: the dimension is 0"},
      {[&] { SecondOrderCone(I, z, vec({}), 0); }, "second_order_cone: the dimension is 0"},
      {[&] { SecondOrderCone(I, z, vec({1}), 0); }, "second_order_cone: c has 1 entries for 2 columns of M"},
      {[&] { SecondOrderCone(I, vec({1}), z, 0); }, "second_order_cone: s has 1 entries for 2 rows of M"},
      {[&] { SecondOrderCone(I, z, z, kNaN); }, "second_order_cone: e is nan, not a finite number"},
      {[&] { Lmi({}); }, "lmi: F has 0 matrices, at least 2 are needed"},
      {[&] { Lmi({I}); }, "lmi: F has 1 matrices, at least 2 are needed"},
      {[&] {
         Lmi({Eigen::MatrixXd(0, 0), I});
       },
       "lmi: F[0] is empty"},
      {[&] {
         Lmi({I, mat({{1, 2}})});
       },
       "lmi: F[1] is 1x2, not square"},
      {[&] {
         Lmi({I, I, mat({{1}})});
       },
       "lmi: F[2] is 1x1, F[0] is 2x2"},
      {[&] {
         Lmi({I, mat({{1, 0.5}, {0.25, 1}})});
       },
       "lmi: F[1] is not symmetric: F[1][0][1] is 0.5 and F[1][1][0] is 0.25"},
      {[&] {
         Lmi({I, mat({{1, 0}, {0, kNaN}})});
       },
       "lmi: F[1][1][1] is nan, not a finite number"},
  });
}

TEST(Validation, OfLevelSets) {
  const Eigen::VectorXd z = Eigen::VectorXd::Zero(2);
  const auto value = [](std::span<const double>) { return 0.0; };
  const auto gradient = [](std::span<const double>, std::span<double>) {};
  expect_rejected({
      {[&] { LpBall(z, 1, 0.5); }, "lp_ball: p is 0.5, below 1"},
      {[&] { LpBall(z, 1, kNaN); }, "lp_ball: p is nan, below 1"},
      {[&] { LpBall(z, -1, 2); }, "lp_ball: radius is -1, not positive"},
      {[&] { LpBall(vec({kInfinity}), 1, 2); }, "lp_ball: center[0] is inf, not a finite number"},
      {[&] { LpBall(vec({}), 1, 2); }, "lp_ball: the dimension is 0"},
      {[&] { LogSumExp(0, 1); }, "log_sum_exp: the dimension is 0"},
      {[&] { LogSumExp(2, kNaN); }, "log_sum_exp: bound is nan, not a finite number"},
      {[&] {
         KlBall(vec({0.5, 0, 0.5}), 1);
       },
       "kl_ball: reference[1] is 0, not positive"},
      {[&] {
         KlBall(vec({0.5, 0.25}), 1);
       },
       "kl_ball: the reference sums to 0.75, not to 1"},
      {[&] {
         KlBall(vec({0.5, 0.5}), 0);
       },
       "kl_ball: radius is 0, not positive"},
      {[&] {
         KlBall(vec({0.5, kNaN}), 1);
       },
       "kl_ball: reference[1] is nan, not a finite number"},
      {[&] { LevelSet(0, value, gradient); }, "level_set: the dimension is 0"},
      {[&] { LevelSet(2, nullptr, gradient); }, "level_set: the value callable is empty"},
      {[&] { LevelSet(2, value, nullptr); }, "level_set: the gradient callable is empty"},
      {[&] { LevelSet(std::shared_ptr<const ConvexFunction>(), "mine"); }, "mine: there is no function"},
  });
}

TEST(Validation, OfCombinators) {
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(2, 2);
  expect_rejected({
      {[] { Intersection(std::vector<Set>{}); }, "intersection: there are no sets"},
      {[] {
         Intersection({Simplex(2), Simplex(3)});
       },
       "intersection: sets[1] has dimension 3, sets[0] has dimension 2"},
      {[] { Product(std::vector<Set>{}); }, "product: there are no sets"},
      {[&] {
         AffinePreimage(Simplex(3), I, vec({0, 0}));
       },
       "affine_preimage: A has 2 rows, the set has dimension 3"},
      {[&] { AffinePreimage(Simplex(2), I, vec({0})); }, "affine_preimage: b has 1 entries for 2 rows of A"},
      {[&] {
         AffinePreimage(Simplex(2), mat({{1, kNaN}, {0, 1}}), vec({0, 0}));
       },
       "affine_preimage: A[0][1] is nan, not a finite number"},
      {[&] {
         AffinePreimage(Simplex(2), Eigen::MatrixXd(2, 0), vec({0, 0}));
       },
       "affine_preimage: the dimension is 0"},
      {[] { Scaled(Simplex(2), 0); }, "scaled: factor is 0, not positive"},
      {[] { Scaled(Simplex(2), kNaN); }, "scaled: factor is nan, not a finite number"},
  });
}

}  // namespace
}  // namespace softradial::testing
