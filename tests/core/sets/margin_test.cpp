// The guard's constants are those that docs/math/margin.md derives: a smaller one breaks a promise that few rows would show,
// a larger one gives room away. Values by hand, in ulps.
#include "sets/margin.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "softradial/anchor.hpp"
#include "softradial/errors.hpp"
#include "softradial/sets.hpp"
#include "support/vectors.hpp"

namespace softradial {
namespace {

constexpr double kTolerance = 1e-12;

// sigma = ulp (8 + terms / 2 + D |u0|) + setup,   kappa = ulp (terms / 2 + 2) D
TEST(Margin, OfAGeneralGauge) {
  constexpr double kUlp = 0x1p-23;
  const Margin margin = general_margin<float>(3, 10, support::vec({3, 4}), 5 * kUlp);
  EXPECT_NEAR(margin.sigma / kUlp, 8 + 5 + 3 * 5 + 5, kTolerance);
  EXPECT_NEAR(margin.kappa / kUlp, (5 + 2) * 3, kTolerance);
  EXPECT_EQ(margin.lipschitz, 3);
}

// Where x is rounded to a coarser type at the end: sigma gains coarse (1 + D |u0|), kappa coarse D.
TEST(Margin, OfAGaugeWhoseResultIsRoundedAgain) {
  constexpr double kFine = 0x1p-52;
  constexpr double kCoarse = 0x1p-10;
  const Margin margin = general_margin<double>({kFine, kCoarse}, 3, 10, 5, 0);
  EXPECT_NEAR(margin.sigma / kCoarse, 1 + 3 * 5, kTolerance + (8 + 5 + 15) * kFine / kCoarse);
  EXPECT_NEAR(margin.kappa / kCoarse, 3, kTolerance + 21 * kFine / kCoarse);
}

// s_g = s (1 - 8 ulp) - loss,   sigma = 8 ulp + loss / s
TEST(Margin, OfASlack) {
  constexpr double kUlp = 0x1p-23;
  const GuardedSlack guarded = guard_slack<float>(4, 32 * kUlp, "row");
  EXPECT_NEAR(guarded.sigma / kUlp, 8 + 8, kTolerance);
  EXPECT_NEAR(1 / guarded.reciprocal, 4 * (1 - 16 * kUlp), kTolerance);
}

GaugePtr<double> gauge_at(const Set& set, const Eigen::VectorXd& u0) {
  const Anchor anchor = check_anchor(set, u0);
  return set->gauge<double>({anchor.point, anchor.hull});
}

// The same inequality in other units is the same set, with the same guard.
TEST(Margin, DoesNotDependOnTheUnitsOfAnInequality) {
  const Eigen::VectorXd u0 = support::vec({0.25, -0.5});
  const Eigen::MatrixXd P = support::mat({{2, 0.5}, {0.5, 1}});
  const Eigen::MatrixXd J = support::mat({{1, 0}, {0, -1}});
  const Eigen::MatrixXd K = support::mat({{0, 1}, {1, 0}});
  const Eigen::VectorXd q = support::vec({1, -1});
  const auto family = [&](double unit) -> std::vector<Set> {
    return {Quadratic(unit * P, unit * q, -3 * unit), SecondOrderCone(unit * P, unit * q, unit * q / 4, 3 * unit),
            Lmi({2 * unit * Eigen::MatrixXd::Identity(2, 2), unit * J, unit * K})};
  };
  const std::vector<Set> plain = family(1);
  for (const double unit : {0x1p-40, 0x1p40}) {
    const std::vector<Set> other = family(unit);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const auto expected = gauge_at(plain[i], u0);
      const auto found = gauge_at(other[i], u0);
      EXPECT_NEAR(found->sigma() / expected->sigma(), 1, kTolerance) << to_string(other[i]);
      EXPECT_NEAR(found->kappa() / expected->kappa(), 1, kTolerance) << to_string(other[i]);
      EXPECT_NEAR(found->lipschitz() / expected->lipschitz(), 1, kTolerance) << to_string(other[i]);
    }
  }
}

// A quarter of the slack is too much, and so is all of nothing.
TEST(Margin, TakesLessThanAQuarter) {
  EXPECT_NO_THROW((void)guard_slack<double>(1, 0.249, "row"));
  EXPECT_THROW((void)guard_slack<double>(1, 0.25, "row"), AnchorNotInterior);
  EXPECT_THROW((void)guard_slack<double>(0, 0, "row"), AnchorNotInterior);
  EXPECT_THROW(require_inside(0, "row"), AnchorNotInterior);
  EXPECT_NO_THROW(require_inside(1e-300, "row"));
  EXPECT_NO_THROW(require_reach<float>(0x1p96));
  EXPECT_THROW(require_reach<float>(0x1.01p96), AnchorNotInterior);
}

// 2^k <= D < 2^(k + 1), and 1 for a gauge that is 0.
TEST(Margin, UnitIsThePowerOfTwoBelow) {
  EXPECT_EQ(power_of_two_near<float>(0), 1);
  EXPECT_EQ(power_of_two_near<float>(1), 1);
  EXPECT_EQ(power_of_two_near<float>(3.99), 2);
  EXPECT_EQ(power_of_two_near<double>(0.24), 0.125);
}

}  // namespace
}  // namespace softradial
