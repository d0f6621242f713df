// The library against the paper's definitions, evaluated slowly: alpha* by bisection on the constraints, r as printed.

#include <gtest/gtest.h>

#include "reference/dense_jacobian.hpp"
#include "reference/paper_projection.hpp"
#include "reference/ray_exit.hpp"
#include "support/gauge_probe.hpp"
#include "support/point_layer.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::GaugeProbe;
using support::NamedSet;
using support::PointLayer;
using support::RandomPoints;

// The guard moves gamma by a few ulp of what the set's data and its anchor resolve; bisection stops at an ulp of x.
double tolerance_of(const GaugeProbe& probe, const VectorXd& anchor) {
  return 1e-12 + 4 * probe.gauge().sigma() + 1e-14 * probe.gauge().lipschitz() * (1 + anchor.norm());
}

class Definition : public ::testing::TestWithParam<NamedSet> {
 protected:
  Set set_ = GetParam().set;
  Anchor anchor_ = set_.anchor() ? check_anchor(set_, *set_.anchor()) : require_anchor(set_);
  GaugeProbe probe_{set_, anchor_};
  double tolerance_ = tolerance_of(probe_, anchor_.point);
  RandomPoints random_{11};
};

TEST_P(Definition, GaugeIsTheReciprocalOfTheRayExit) {
  for (int k = 0; k < 100; ++k) {
    const VectorXd d = random_.uniform(0.1, 10) * random_.unit_on(anchor_.hull);
    const auto expected = static_cast<double>(reference::gauge_by_bisection(*set_, anchor_.point, d));
    EXPECT_NEAR(probe_.value(d), expected, tolerance_ * std::max(expected, d.norm())) << "d = " << d.transpose();
  }
}

TEST_P(Definition, GaugeGradientIsItsDerivativeAlongTheHull) {
  // d.grad gamma(d) = gamma(d): Euler's identity, for every direction, kinks included.
  for (int k = 0; k < 100; ++k) {
    const VectorXd d = random_.unit_on(anchor_.hull);
    const double gamma = probe_.value(d);
    EXPECT_NEAR(probe_.gradient(d).dot(d), gamma, 1e-9 * (1 + gamma)) << "d = " << d.transpose();
  }
}

TEST_P(Definition, LipschitzBoundsTheGaugeOfUnitVectors) {
  for (int k = 0; k < 200; ++k) {
    const double bound = probe_.gauge().lipschitz() * (1 + 2 * probe_.gauge().sigma() + 1e-14);
    EXPECT_LE(probe_.value(random_.unit_on(anchor_.hull)), bound);
  }
}

TEST_P(Definition, SoftRadialProjection) {
  for (const Contraction contraction : {Contraction::rational, Contraction::exponential, Contraction::hyperbolic}) {
    const SoftRadial method{.contraction = contraction, .lambda = 1.5, .epsilon = 0.05};
    PointLayer layer(set_, method);
    for (int k = 0; k < 40; ++k) {
      const VectorXd u = anchor_.point + random_.uniform(0, 4) * random_.unit(set_.dim());
      const VectorXd expected = reference::soft_radial(method, *set_, anchor_.point, anchor_.hull, u);
      EXPECT_LE((layer.project(u) - expected).norm(), tolerance_ * (1 + (u - anchor_.point).norm()))
          << "u = " << u.transpose();
    }
  }
}

TEST_P(Definition, HardRadialProjection) {
  PointLayer layer(set_, HardRadial{});
  for (int k = 0; k < 40; ++k) {
    const VectorXd u = anchor_.point + random_.uniform(0, 4) * random_.unit(set_.dim());
    const VectorXd expected = reference::hard_radial(*set_, anchor_.point, anchor_.hull, u);
    EXPECT_LE((layer.project(u) - expected).norm(), tolerance_ * (1 + (u - anchor_.point).norm()))
        << "u = " << u.transpose();
  }
}

TEST_P(Definition, GaugeMap) {
  for (const Contraction contraction : {Contraction::rational, Contraction::exponential, Contraction::hyperbolic}) {
    const GaugeMap method{.contraction = contraction, .lambda = 1.5};
    PointLayer layer(set_, method);
    for (int k = 0; k < 40; ++k) {
      const VectorXd u = anchor_.point + random_.uniform(0, 4) * random_.unit(set_.dim());
      const VectorXd expected = reference::gauge_map(method, *set_, anchor_.point, anchor_.hull, u);
      EXPECT_LE((layer.project(u) - expected).norm(), tolerance_ * (1 + (u - anchor_.point).norm()))
          << "u = " << u.transpose();
    }
  }
}

// The Jacobian against finite differences of the slow definition: nothing of the library on the right-hand side.
TEST_P(Definition, Jacobian) {
  const SoftRadial method;
  PointLayer layer(set_, method);
  int agreed = 0;
  for (int k = 0; k < 10; ++k) {
    const VectorXd u = anchor_.point + random_.uniform(0.5, 4) * random_.unit(set_.dim());
    const auto slow = [&](const VectorXd& v) {
      return reference::soft_radial(method, *set_, anchor_.point, anchor_.hull, v);
    };
    const MatrixXd expected = reference::dense_jacobian(slow, u, 1e-5);
    const MatrixXd actual = layer.jacobian(u);
    if ((actual - expected).norm() < 1e-5 * expected.norm()) ++agreed;
  }
  // A stencil may straddle a kink now and then.
  EXPECT_GE(agreed, 8);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Definition, ::testing::ValuesIn(support::set_zoo()), support::NameOfSet());
INSTANTIATE_TEST_SUITE_P(MixedUnits, Definition, ::testing::ValuesIn(support::gather(&support::Specimen::mixed_units)),
                         support::NameOfSet());

}  // namespace
}  // namespace softradial
