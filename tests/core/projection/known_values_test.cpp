// Values that can be derived by hand: gauges and their gradients, contractions, and whole projections, one table per set.

#include <gtest/gtest.h>

#include <cmath>

#include "softradial/sets.hpp"
#include "support/gauge_probe.hpp"
#include "support/point_layer.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::GaugeProbe;
using support::PointLayer;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}
MatrixXd mat(std::initializer_list<std::initializer_list<double>> rows) {
  MatrixXd result(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows.begin()->size()));
  Eigen::Index i = 0;
  for (const auto& row : rows) result.row(i++) = vec(row).transpose();
  return result;
}

struct KnownGauge {
  VectorXd d;
  double gamma;
  VectorXd gradient;
};

struct Table {
  const char* name;
  Set set;
  VectorXd anchor;
  std::vector<KnownGauge> rows;
};

void PrintTo(const Table& table, std::ostream* out) { *out << table.name; }

class KnownGauges : public ::testing::TestWithParam<Table> {};

TEST_P(KnownGauges, ValueAndGradient) {
  const Table& table = GetParam();
  const Anchor anchor = check_anchor(table.set, table.anchor);
  GaugeProbe probe(table.set, anchor);
  for (const KnownGauge& row : table.rows) {
    EXPECT_NEAR(probe.value(row.d), row.gamma, 1e-13 * (1 + row.gamma)) << "d = " << row.d.transpose();
    // On a flat set only the part along the hull is defined.
    const VectorXd excess = probe.gradient(row.d) - row.gradient;
    const VectorXd along = excess - anchor.hull.normals.transpose() * (anchor.hull.normals * excess);
    EXPECT_LT(along.norm(), 1e-12 * (1 + row.gradient.norm())) << "d = " << row.d.transpose();
  }
}

std::vector<Table> tables() {
  const double root2 = std::sqrt(2.0);
  return {
      // Slack 1/3 to each face, uncapped.
      {"simplex", Simplex(3), vec({1.0 / 3, 1.0 / 3, 1.0 / 3}), {{vec({2, -1, -1}), 3, vec({0, -3, 0})}}},
      // cap 1/2 at 1/4: slack 1/4 either way.
      {"capped_simplex",
       CappedSimplex(4, 0.5),
       VectorXd::Constant(4, 0.25),
       {{vec({1, 0, -0.5, -0.5}), 4, vec({4, 0, 0, 0})}, {vec({0.5, 0.5, -1, 0}), 4, vec({0, 0, -4, 0})}}},
      {"box",
       Box(vec({-1, 0}), vec({3, 1})),
       vec({1, 0.25}),
       {{vec({1, 0}), 0.5, vec({0.5, 0})}, {vec({-4, -1}), 4, vec({0, -4})}, {vec({0, 3}), 4, vec({0, 4.0 / 3})}}},
      {"open_box", Box(vec({-kInfinity}), vec({1})), vec({0.5}), {{vec({-7}), 0, vec({0})}, {vec({2}), 4, vec({2})}}},
      // |d| / R from the centre.
      {"ball", Ball(vec({1, 1}), 5), vec({1, 1}), {{vec({3, 4}), 1, vec({0.12, 0.16})}}},
      // From (3, 0) in the ball of radius 5: right 2, left 8, up 4. At (3, 4) the normal is (3, 4) / 5 and
      // grad gamma = n / (n.q') with q' = (0, 4).
      {"ball_off_centre",
       Ball(vec({0, 0}), 5),
       vec({3, 0}),
       {{vec({1, 0}), 0.5, vec({0.5, 0})}, {vec({-8, 0}), 1, vec({-0.125, 0})}, {vec({0, 8}), 2, vec({0.1875, 0.25})}}},
      // Half axes 1/2 and 1.
      {"ellipsoid",
       Ellipsoid(vec({1, 2}), mat({{4, 0}, {0, 1}})),
       vec({1, 2}),
       {{vec({1, 0}), 2, vec({2, 0})}, {vec({0.3, 0.8}), 1, vec({1.2, 0.8})}}},
      // x^2 <= y from (0, 1): up never leaves, down leaves after 1, right at x = 1.
      {"parabola",
       Quadratic(mat({{2, 0}, {0, 0}}), vec({0, -1}), 0),
       vec({0, 1}),
       {{vec({0, 5}), 0, vec({0, 0})}, {vec({0, -3}), 3, vec({0, -1})}, {vec({2, 0}), 2, vec({1, -0.5})}}},
      {"polyhedron",
       Polyhedron(mat({{1, 1}, {-1, 0}, {0, -2}}), vec({4, 0, 0})),
       vec({1, 1}),
       {{vec({1, 3}), 2, vec({0.5, 0.5})}, {vec({-3, 1}), 3, vec({-1, 0})}, {vec({1, -2}), 2, vec({0, -1})}}},
      // |x| <= y in the plane from (0, 1): right leaves at x = 1, up never.
      {"second_order_cone",
       SecondOrderCone(mat({{1, 0}}), vec({0}), vec({0, 1}), 0),
       vec({0, 1}),
       {{vec({3, 0}), 3, vec({1, -1})}, {vec({0.5, 1}), 0, vec({0, 0})}, {vec({0, -2}), 2, vec({0, -1})}}},
      // [[1 + x, y], [y, 1 - x]] >= 0: the unit disc.
      {"lmi",
       Lmi({MatrixXd::Identity(2, 2), mat({{1, 0}, {0, -1}}), mat({{0, 1}, {1, 0}})}),
       vec({0, 0}),
       {{vec({3, 4}), 5, vec({0.6, 0.8})}, {vec({-2, 0}), 2, vec({-1, 0})}}},
      {"lp_ball_1", LpBall(vec({0, 0}), 2, 1), vec({0, 0}), {{vec({3, -1}), 2, vec({0.5, -0.5})}}},
      {"lp_ball_2", LpBall(vec({0, 0}), 2, 2), vec({0, 0}), {{vec({3, 4}), 2.5, vec({0.3, 0.4})}}},
      // |(1, 1)|_4 = 2^(1/4); gradient |d_j|^3 / |d|_4^3 = 2^(-3/4).
      {"lp_ball_4",
       LpBall(vec({0, 0}), 1, 4),
       vec({0, 0}),
       {{vec({1, -1}), std::pow(2, 0.25), vec({std::pow(2, -0.75), -std::pow(2, -0.75)})}}},
      {"lp_ball_inf", LpBall(vec({0, 0}), 2, kInfinity), vec({0, 0}), {{vec({3, -5}), 2.5, vec({0, -0.5})}}},
      // From (0.5, 0) in the l1 ball of radius 1 along (1, 1): |0.5 + t| + |t| = 1 at t = 1/4.
      {"lp_ball_1_off_centre",
       LpBall(vec({0, 0}), 1, 1),
       vec({0.5, 0}),
       {{vec({1, 1}), 4, vec({2, 2})}, {vec({-3, 0}), 2, vec({-2.0 / 3, 0})}}},
      // exp(x) <= e in one dimension is x <= 1; down never leaves.
      {"log_sum_exp", LogSumExp(1, 1), vec({-1}), {{vec({4}), 2, vec({0.5})}, {vec({-3}), 0, vec({0})}}},
      // Two coordinates: x1 = x2 = y leaves at 2 exp(y) = exp(1): y = 1 - log 2, with normal (1, 1).
      {"log_sum_exp_diagonal",
       LogSumExp(2, 1),
       VectorXd::Constant(2, -std::log(2.0)),
       {{vec({1, 1}), 1, vec({0.5, 0.5})}}},
      // Ball part: |d| / 2; box part: d_1 / 1. Along (1, 0) the box is first, along (0, 1) the ball.
      {"intersection",
       Intersection({Ball(vec({0, 0}), 2), Box(vec({-1, -9}), vec({1, 9}))}),
       vec({0, 0}),
       {{vec({1, 0}), 1, vec({1, 0})}, {vec({0, 3}), 1.5, vec({0, 0.5})}}},
      {"product",
       Product({Ball(vec({0, 0}), 2), Box(vec({-1}), vec({1}))}),
       vec({0, 0, 0}),
       {{vec({0, 3, 1}), 1.5, vec({0, 0.5, 0})}, {vec({0, 3, -2}), 2, vec({0, 0, -1})}}},
      // |A x| <= 1 with A = diag(1, 2): half axes 1 and 1/2.
      {"affine_preimage",
       AffinePreimage(Ball(vec({1, 0}), 1), mat({{1, 0}, {0, 2}}), vec({1, 0})),
       vec({0, 0}),
       {{vec({0, 1}), 2, vec({0, 2})}, {vec({0.6, 0.4}), 1, vec({0.6, 1.6})}}},
      {"scaled",
       Scaled(Ball(vec({1, 0}), 1), 4),
       vec({4, 0}),
       {{vec({0, 2}), 0.5, vec({0, 0.25})}, {vec({root2, root2}), 0.5, vec({root2 / 8, root2 / 8})}}},
  };
}

INSTANTIATE_TEST_SUITE_P(OneTablePerSet, KnownGauges, ::testing::ValuesIn(tables()),
                         [](const auto& table) { return table.param.name; });

// (1/2, 1/2) with radius KL(3/4, 1/4): the ray along (1, -1) leaves at (3/4, 1/4).
TEST(KnownValues, KlBall) {
  const double radius = 0.75 * std::log(1.5) + 0.25 * std::log(0.5);
  const Set set = KlBall(vec({0.5, 0.5}), radius);
  GaugeProbe probe(set, require_anchor(set));
  EXPECT_NEAR(probe.value(vec({1, -1})), 4, 1e-12);
  EXPECT_NEAR(probe.value(vec({-0.125, 0.125})), 0.5, 1e-13);
}

// The unit square around the origin. Inside, u = (0.6, 0.8) 1/2 has rho = 1/4; outside, u = (3, 4) has gamma = 4, rho = 25.
TEST(KnownValues, SoftRadialOnASquare) {
  const Set square = Box(-VectorXd::Ones(2), VectorXd::Ones(2));
  PointLayer rational(square, SoftRadial{.lambda = 1, .epsilon = 0.2});
  // r(1/4) = 0.2 + 0.8 / 5 = 0.36,  r(25) = 0.2 + 0.8 * 25 / 26.
  EXPECT_LT((rational.project(vec({0.3, 0.4})) - 0.36 * vec({0.3, 0.4})).norm(), 1e-14);
  EXPECT_LT((rational.project(vec({3, 4})) - (0.2 + 20.0 / 26) * vec({0.75, 1})).norm(), 1e-14);
  EXPECT_NEAR(rational.slack(vec({3, 4})), 0.8 / 26, 1e-14);
  EXPECT_NEAR(rational.slack(vec({0.3, 0.4})), 1 - 0.36 * 0.4, 1e-14);

  PointLayer exponential(square, SoftRadial{.contraction = Contraction::exponential, .lambda = 25, .epsilon = 0.2});
  EXPECT_LT((exponential.project(vec({3, 4})) - (1 - 0.8 * std::exp(-1)) * vec({0.75, 1})).norm(), 1e-14);

  PointLayer hyperbolic(square, SoftRadial{.contraction = Contraction::hyperbolic, .lambda = 25, .epsilon = 0.2});
  EXPECT_LT((hyperbolic.project(vec({3, 4})) - (0.2 + 0.8 * std::tanh(1)) * vec({0.75, 1})).norm(), 1e-14);

  PointLayer hard(square, HardRadial{});
  EXPECT_LT((hard.project(vec({3, 4})) - vec({0.75, 1})).norm(), 1e-14);
  EXPECT_LT((hard.project(vec({0.3, 0.4})) - vec({0.3, 0.4})).norm(), 1e-14);

  // gamma = 4: s = 4/5, 1 - exp(-4), tanh 4.
  PointLayer gauge_map(square, GaugeMap{});
  EXPECT_LT((gauge_map.project(vec({3, 4})) - 0.8 * vec({0.75, 1})).norm(), 1e-14);
  PointLayer smooth(square, GaugeMap{.contraction = Contraction::hyperbolic});
  EXPECT_LT((smooth.project(vec({3, 4})) - std::tanh(4) * vec({0.75, 1})).norm(), 1e-14);
}

// Inside, J = r I + 2 r' d d'; log det = log r + log(r + 2 rho r') with r(1/4) = 0.36, r'(1/4) = 0.8 / (5/4)^2 = 0.512.
// Outside (k = 2): log(r/gamma) + log(2 rho r' / gamma).
TEST(KnownValues, JacobianAndDeterminantOnASquare) {
  PointLayer layer(Box(-VectorXd::Ones(2), VectorXd::Ones(2)), SoftRadial{.lambda = 1, .epsilon = 0.2});
  const VectorXd d = vec({0.3, 0.4});
  const MatrixXd expected = 0.36 * MatrixXd::Identity(2, 2) + 2 * 0.512 * d * d.transpose();
  EXPECT_LT((layer.jacobian(d) - expected).norm(), 1e-14);
  EXPECT_NEAR(layer.log_abs_det(d), std::log(0.36) + std::log(0.36 + 2 * 0.25 * 0.512), 1e-14);

  const double r = 0.2 + 20.0 / 26, slope = 0.8 / (26.0 * 26.0);
  EXPECT_NEAR(layer.log_abs_det(vec({3, 4})), std::log(r / 4) + std::log(2 * 25 * slope / 4), 1e-13);
  EXPECT_NEAR(layer.log_abs_det(vec({0, 0})), 2 * std::log(0.2), 1e-14);

  PointLayer hard(Box(-VectorXd::Ones(2), VectorXd::Ones(2)), HardRadial{});
  EXPECT_EQ(hard.log_abs_det(vec({3, 4})), -kInfinity);
  EXPECT_NEAR(hard.log_abs_det(d), 0, 1e-14);
}

// p(3, 4) = r(25) (0.75, 1): its preimage in closed form. Points outside have none.
TEST(KnownValues, InverseOnASquare) {
  PointLayer layer(Box(-VectorXd::Ones(2), VectorXd::Ones(2)), SoftRadial{.lambda = 1, .epsilon = 0.2});
  EXPECT_LT((layer.inverse((0.2 + 20.0 / 26) * vec({0.75, 1})) - vec({3, 4})).norm(), 1e-11);
  EXPECT_LT((layer.inverse(0.36 * vec({0.3, 0.4})) - vec({0.3, 0.4})).norm(), 1e-14);
  EXPECT_EQ(layer.inverse(vec({0, 0})), vec({0, 0}));
  EXPECT_TRUE(layer.inverse(vec({0, 1 + 1e-13})).array().isNaN().all());
  EXPECT_TRUE(layer.inverse(vec({2, 0})).array().isNaN().all());
}

// Off the hull there is no preimage either.
TEST(KnownValues, InverseOffTheHullIsNaN) {
  PointLayer layer(Simplex(3));
  EXPECT_TRUE(layer.inverse(vec({0.5, 0.5, 0.5})).array().isNaN().all());
  EXPECT_FALSE(layer.inverse(vec({0.25, 0.25, 0.5})).array().isNaN().any());
}

// The capped simplex of the README: u = (1, 0, 0, 0) is at d = (3, -1, -1, -1)/4, rho = 3/4, cap slack 1/4.
TEST(KnownValues, SoftRadialOnACappedSimplex) {
  PointLayer layer(CappedSimplex(4, 0.5), SoftRadial{.lambda = 0.25, .epsilon = 0.5});
  // gamma = (3/4) / (1/4) = 3, r = 0.5 + 0.5 * 0.75 = 0.875.
  const VectorXd expected = VectorXd::Constant(4, 0.25) + 0.875 / 3 * vec({0.75, -0.25, -0.25, -0.25});
  EXPECT_LT((layer.project(vec({1, 0, 0, 0})) - expected).norm(), 1e-14);
  // A common offset does not matter.
  EXPECT_LT((layer.project(vec({8, 7, 7, 7})) - expected).norm(), 1e-13);
}

}  // namespace
}  // namespace softradial
