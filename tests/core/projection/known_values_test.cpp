// Values that can be derived by hand: gauges and their gradients, contractions, and whole projections. The gauges are
// tables of the specimens, one or more for each type.

#include <gtest/gtest.h>

#include <cmath>

#include "profile.hpp"
#include "softradial/sets.hpp"
#include "support/gauge_probe.hpp"
#include "support/point_layer.hpp"
#include "support/specimen.hpp"
#include "support/vectors.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::GaugeProbe;
using support::PointLayer;
using support::vec;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class KnownGauges : public ::testing::TestWithParam<support::GaugeTable> {};

TEST_P(KnownGauges, ValueAndGradient) {
  const support::GaugeTable& table = GetParam();
  const Anchor anchor = check_anchor(table.set, table.anchor);
  GaugeProbe probe(table.set, anchor);
  for (const support::KnownGauge& row : table.rows) {
    EXPECT_NEAR(probe.value(row.d), row.gamma, 1e-13 * (1 + row.gamma)) << "d = " << row.d.transpose();
    // On a flat set only the part along the hull is defined.
    const VectorXd excess = probe.gradient(row.d) - row.gradient;
    const VectorXd along = excess - anchor.hull.normals.transpose() * (anchor.hull.normals * excess);
    EXPECT_LT(along.norm(), 1e-12 * (1 + row.gradient.norm())) << "d = " << row.d.transpose();
  }
}

INSTANTIATE_TEST_SUITE_P(OneTablePerSet, KnownGauges, ::testing::ValuesIn(support::gather(&support::Specimen::gauges)),
                         support::NameOfSet());

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

// The boundary, gamma = 1, belongs to the inside: there phi does not depend on gamma.
TEST(KnownValues, ProfilesOnTheBoundaryAreThoseOfTheInside) {
  const Scale<double> hard = profile(HardRadial{}, 4.0, 1.0);
  EXPECT_EQ(hard.phi, 1);
  EXPECT_EQ(hard.e_gamma, 0);
  EXPECT_EQ(hard.e_radial, 1);
  EXPECT_EQ(hard.slack, 0);
  const SoftRadial method;
  const Scale<double> soft = profile(method, 4.0, 1.0);
  EXPECT_EQ(soft.e_gamma, 0);
  EXPECT_EQ(soft.e_radial, 1 + soft.e_rho);
  EXPECT_EQ(log_radial(HardRadial{}, 4.0, std::log(4.0), 1.0), 0);
  EXPECT_NEAR(log_radial(method, 4.0, std::log(4.0), 1.0), std::log(soft.e_radial), 1e-15);
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
