// Lemma "Ray intersection and continuity": {alpha in [0, 1] : u0 + alpha (u - u0) in C} = [0, alpha*(u)]; alpha* is globally
// Lipschitz with constant 1/delta, and q is Lipschitz with constant 1 + R/delta on balls of radius R around u0, for any
// ball B(u0, delta) inside C.

#include "theory/on_several_sets.hpp"

namespace softradial::theory {
namespace {

class RayRegularity : public OnSeveralSets {
 protected:
  support::PointLayer hard_ = layer(HardRadial{});

  // alpha*(u) as the library has it: |q(u) - u0| / |u - u0|.
  double alpha(const VectorXd& u) { return (hard_.project(u) - anchor_.point).norm() / (u - anchor_.point).norm(); }
};

TEST_P(RayRegularity, FeasibleScalesFormAnIntervalThatEndsAtAlphaStar) {
  for (int k = 0; k < 50; ++k) {
    const VectorXd u = point(random_.uniform(0.05, 8));
    const double end = alpha(u);
    EXPECT_NEAR(end, static_cast<double>(reference::alpha_star(*set_, anchor_.point, u)), 1e-10);
    EXPECT_LE(end, 1 + 1e-12);
    EXPECT_GT(end, 0);
    for (double share : {0.0, 0.25, 0.5, 0.75, 0.999, 1.0}) {
      EXPECT_TRUE(contains(anchor_.point + share * end * (u - anchor_.point), 1e-10)) << share;
    }
    if (end < 1 - 1e-9) {
      EXPECT_FALSE(contains(anchor_.point + 1.001 * end * (u - anchor_.point), 0)) << "u = " << u.transpose();
    }
  }
}

TEST_P(RayRegularity, HardRadialProjectionLiesInTheSet) {
  for (int k = 0; k < 50; ++k) EXPECT_TRUE(contains(hard_.project(point(random_.uniform(0, 100))), 1e-9));
}

TEST_P(RayRegularity, AlphaStarIsLipschitzWithConstantOneOverDelta) {
  for (int k = 0; k < 300; ++k) {
    const VectorXd u = point(random_.uniform(0.01, 4));
    const VectorXd v = u + random_.uniform(1e-3, 1) * random_.unit_on(anchor_.hull);
    EXPECT_LE(std::abs(alpha(u) - alpha(v)), (u - v).norm() / delta_ * (1 + 1e-9) + 1e-9);
  }
}

TEST_P(RayRegularity, HardRadialProjectionIsLocallyLipschitz) {
  for (int k = 0; k < 300; ++k) {
    const double radius = random_.uniform(0.1, 10);
    const VectorXd u = point(random_.uniform(0, radius));
    const VectorXd v = point(random_.uniform(0, radius));
    const double bound = (1 + radius / delta_) * (u - v).norm();
    EXPECT_LE((hard_.project(u) - hard_.project(v)).norm(), bound * (1 + 1e-9) + 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Theory, RayRegularity, ::testing::ValuesIn(several_sets()), support::NameOfSet());

// The constant cannot be improved: on a ball, just outside the boundary, alpha* falls with slope 1/delta.
TEST(RayRegularityConstant, IsAttainedOnABall) {
  support::PointLayer hard(support::from_zoo({"ball"}).front().set, HardRadial{});
  const double delta = 1.5;
  const VectorXd v = VectorXd::Unit(3, 0);
  const auto alpha = [&](double t) { return (hard.project(hard.anchor() + t * v) - hard.anchor()).norm() / t; };
  const double slope = (alpha(1.5) - alpha(1.5 + 1e-5)) / 1e-5;
  EXPECT_NEAR(slope, 1 / delta, 1e-4);
}

}  // namespace
}  // namespace softradial::theory
