// Lemma "Regularity of components": the boundary distance t-bar(v) is continuous on the unit sphere with values in
// (0, infinity]; psi_v(t) = r(t^2) min(t, t-bar(v)) is continuous and strictly increasing with range [0, t-bar(v)).

#include <cmath>

#include "theory/on_several_sets.hpp"

namespace softradial::theory {
namespace {

class RegularityOfComponents : public OnSeveralSets {
 protected:
  double boundary_distance(const VectorXd& v) { return 1 / gauge_.value(v); }
};

TEST_P(RegularityOfComponents, BoundaryDistanceIsPositiveAndThatOfTheConstraints) {
  for (int k = 0; k < 50; ++k) {
    const VectorXd v = random_.unit_on(anchor_.hull);
    const auto expected = static_cast<double>(reference::ray_exit(*set_, anchor_.point, v));
    const double actual = boundary_distance(v);
    EXPECT_GE(actual, delta_ * (1 - 1e-9));
    // Compared as reciprocals, which are finite.
    EXPECT_NEAR(1 / actual, 1 / expected, 1e-9 / delta_);
  }
}

// On (0, infinity] continuity is that of 1/t-bar, whose modulus is 1/delta.
TEST_P(RegularityOfComponents, BoundaryDistanceIsContinuous) {
  for (int k = 0; k < 50; ++k) {
    const VectorXd v = random_.unit_on(anchor_.hull);
    for (double angle : {1e-1, 1e-3, 1e-6}) {
      const VectorXd w = (v + angle * random_.unit_on(anchor_.hull)).normalized();
      EXPECT_LE(std::abs(1 / boundary_distance(v) - 1 / boundary_distance(w)),
                (v - w).norm() / delta_ + 1e-12 / delta_);
    }
  }
}

TEST_P(RegularityOfComponents, ScalarMapIncreasesStrictlyOntoItsRange) {
  for (const SoftRadial& method : contractions()) {
    SCOPED_TRACE(name_of(method.contraction));
    support::PointLayer soft = layer(method);
    for (int k = 0; k < 10; ++k) {
      const VectorXd v = random_.unit_on(anchor_.hull);
      const double end = boundary_distance(v);
      const auto psi = [&](double t) { return (soft.project(anchor_.point + t * v) - anchor_.point).norm(); };

      EXPECT_EQ(psi(0), 0);
      double before = 0;
      // Beyond |u - u0| = 8 the exponential contractions are within rounding of 1.
      for (double t = 0.05; t < 8; t += 0.05) {
        const double now = psi(t);
        const double resolution = 1e-15 * (1 + anchor_.point.norm());
        EXPECT_GT(now, before - resolution) << "t = " << t;
        EXPECT_LT(now, end) << "t = " << t;
        before = now;
      }
      // Strictness where it is coarser than rounding.
      for (double t : {0.1, 0.5, 1.0, 2.0}) EXPECT_GT(psi(1.1 * t), psi(t)) << "t = " << t;
      // psi comes arbitrarily close to the end of its range.
      EXPECT_GT(psi(1e9), std::min(end, 1e9) * (1 - 1e-9 - 4 * gauge_.gauge().sigma()) - 1e-12);
    }
  }
}

TEST_P(RegularityOfComponents, ScalarMapIsContinuousAcrossTheBoundary) {
  support::PointLayer soft = layer(SoftRadial{});
  for (int k = 0; k < 30; ++k) {
    const VectorXd v = random_.unit_on(anchor_.hull);
    const double end = boundary_distance(v);
    if (!(end < 1e6)) continue;
    const VectorXd inside = soft.project(anchor_.point + end * (1 - 1e-7) * v);
    const VectorXd outside = soft.project(anchor_.point + end * (1 + 1e-7) * v);
    EXPECT_LT((inside - outside).norm(), 1e-6 * end + 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Theory, RegularityOfComponents, ::testing::ValuesIn(several_sets()), support::NameOfSet());

}  // namespace
}  // namespace softradial::theory
