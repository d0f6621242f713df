#include <gtest/gtest.h>

#include "reference/dense_jacobian.hpp"
#include "softradial/sets.hpp"
#include "support/gauge_probe.hpp"
#include "support/gradient_checker.hpp"
#include "support/point_layer.hpp"
#include "support/set_zoo.hpp"
#include "support/vectors.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::GaugeProbe;
using support::NamedSet;
using support::PointLayer;
using support::RandomPoints;
using support::vec;

class Gradients : public ::testing::TestWithParam<NamedSet> {};

TEST_P(Gradients, AgreeThreeWays) {
  // The thinnest set has radius 0.01 at a distance of 100 and so resolves x to 1e-12 of itself, over a step of 1e-4; what
  // the difference of three steps loses to curvature is smaller. A factor 1000 to spare.
  constexpr double kDifferenceError = 1e-5;
  constexpr double kTransposeError = 1e-12;
  const std::vector<Method> methods = {SoftRadial{},
                                       SoftRadial{.contraction = Contraction::exponential, .lambda = 3},
                                       SoftRadial{.contraction = Contraction::hyperbolic, .lambda = 4, .epsilon = 0.2},
                                       HardRadial{},
                                       GaugeMap{},
                                       GaugeMap{.contraction = Contraction::exponential},
                                       GaugeMap{.contraction = Contraction::hyperbolic, .lambda = 2}};
  for (const Method& method : methods) {
    SCOPED_TRACE(method.index());
    RandomPoints random(7);
    const auto report =
        support::check_gradients(Projection<double>(GetParam().set, method), random, {0.01, 0.3, 3}, 10);
    EXPECT_LT(report.vjp_against_jvp, kTransposeError);
    EXPECT_LT(report.jvp_against_difference, kDifferenceError);
    EXPECT_GE(report.checked, 20) << report.near_kinks << " samples near kinks";
  }
}

// In float the gradient is that of the same formulas in double, to the rounding of the set's data at its anchor.
TEST_P(Gradients, OfFloatAreThoseOfDouble) {
  RandomPoints random(8);
  const Projection<double> fine(GetParam().set);
  const Projection<float> coarse(GetParam().set);
  const auto gauge =
      GetParam().set->gauge<float>({coarse.anchor().point.cast<float>().cast<double>().eval(), coarse.anchor().hull});
  const double tolerance = 1e-4 + 100 * gauge->sigma();
  const auto samples = support::rows_at_scales<float>(random, fine.anchor().point, {0.3, 3}, 10);
  GaugeProbe probe(GetParam().set, fine.anchor());
  int checked = 0;
  for (std::size_t i = 0; i < samples.count(); ++i) {
    const VectorXd u = samples.get(i);
    const VectorXd d = fine.anchor().hull.project(u) - fine.anchor().point;
    const auto at = probe.at(d);
    const VectorXd nudge = 10 * tolerance * d.norm() * random.unit_on(fine.anchor().hull);
    if (std::abs(at.gamma - 1) < 10 * tolerance || probe.at(d + nudge).active != at.active ||
        probe.at(d - nudge).active != at.active) {
      continue;
    }
    const MatrixXd expected = fine.jacobian({u.data(), samples.dim()});
    const MatrixXd actual = coarse.jacobian(samples[i]).cast<double>();
    EXPECT_LT((actual - expected).norm(), tolerance * expected.norm()) << "u = " << u.transpose();
    ++checked;
  }
  EXPECT_GE(checked, 10);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Gradients, ::testing::ValuesIn(support::set_zoo()), support::NameOfSet());
INSTANTIATE_TEST_SUITE_P(MixedUnits, Gradients, ::testing::ValuesIn(support::gather(&support::Specimen::mixed_units)),
                         support::NameOfSet());

// At a tie the subgradient is that of the piece with the smallest index, whatever the type that holds the rows.
TEST(GradientsAtKinks, TiesTakeTheSmallestIndex) {
  MatrixXd A(4, 2);
  A << 1, 0, 0, 1, -1, 0, 0, -1;
  SparseMatrix sparse = A.sparseView();
  const std::vector<std::pair<const char*, Set>> squares = {
      {"polyhedron", Polyhedron(A, VectorXd::Ones(4))},
      {"sparse polyhedron", Polyhedron(sparse, VectorXd::Ones(4))},
      {"box", Box(-VectorXd::Ones(2), VectorXd::Ones(2))},
  };
  for (const auto& [name, set] : squares) {
    SCOPED_TRACE(name);
    GaugeProbe probe(set, require_anchor(set));
    EXPECT_EQ(probe.at(vec({3, 3})).active, 0);
    const VectorXd normal = probe.gradient(vec({3, 3}));
    EXPECT_NEAR(normal[0], 1, 1e-12);
    EXPECT_EQ(normal[1], 0);

    // At (3, 3): phi = r / 3 with the gradient of the first row alone, J = phi (I + d (e_rho / rho d - n / gamma)').
    PointLayer layer(set, HardRadial{});
    MatrixXd expected(2, 2);
    expected << 0, 0, -1, 1;
    EXPECT_LT((3 * layer.jacobian(vec({3, 3})) - expected).norm(), 1e-9);
  }
}

TEST(GradientsAtKinks, TiesBetweenPartsTakeTheFirstPart) {
  const Set square = Intersection({Box(vec({-1, -9}), vec({1, 9})), Box(vec({-9, -1}), vec({9, 1}))});
  GaugeProbe probe(square, check_anchor(square, vec({0, 0})));
  const VectorXd normal = probe.gradient(vec({2, 2}));
  EXPECT_NEAR(normal[0], 1, 1e-12);
  EXPECT_EQ(normal[1], 0);
}

// Directions that never leave the set: the gauge is 0 and so is its gradient, up to what guards a rounded factorisation; the
// map is r(rho) d there.
TEST(GradientsAtKinks, GaugeZeroHasZeroGradient) {
  for (const support::Recession& recession : support::gather(&support::Specimen::recessions)) {
    SCOPED_TRACE(recession.member);
    const Set set = support::zoo_member(recession.member);
    const VectorXd& d = recession.direction;
    PointLayer layer(set);
    GaugeProbe probe(set, layer.projection().anchor());
    EXPECT_LE(probe.value(d), recession.rounding * d.norm());
    // A gauge that is 0 up to rounding has the gradient of some piece.
    if (probe.value(d) == 0) {
      EXPECT_LE(probe.gradient(d).norm(), recession.rounding);
    }
    const VectorXd u = layer.anchor() + 10 * d;
    const double rho = (10 * d).squaredNorm();
    const double r = 0.01 + 0.99 * rho / (rho + 1);
    EXPECT_LT((layer.project(u) - layer.anchor() - r * 10 * d).norm(), 1e-11 * (10 * d).norm());
  }
}

TEST(GradientsAtKinks, TheAnchorHasJacobianEpsilonTimesIdentity) {
  for (const NamedSet& named : support::set_zoo()) {
    SCOPED_TRACE(named.name);
    PointLayer layer(named.set, SoftRadial{.epsilon = 0.25});
    const MatrixXd basis = reference::hull_basis(layer.hull());
    const MatrixXd on_hull = basis.transpose() * layer.jacobian(layer.anchor()) * basis;
    EXPECT_LT((on_hull - 0.25 * MatrixXd::Identity(on_hull.rows(), on_hull.cols())).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace softradial
