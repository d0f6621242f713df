#include <gtest/gtest.h>

#include <cmath>

#include "set_access.hpp"
#include "softradial/sets/cones.hpp"
#include "softradial/sets/lmi.hpp"
#include "softradial/sets/quadratics.hpp"

namespace softradial::testing {
namespace {

TEST(Ball, SlackIsTheDistanceToTheSphere) {
  const Ball ball(vec({1, 2}), 6);
  EXPECT_EQ(slack_at(ball, vec({4, 6})), 1);
  EXPECT_EQ(slack_at(ball, vec({1, 12})), -4);
  EXPECT_EQ(*ball.closed_form_anchor(), vec({1, 2}));
  EXPECT_EQ(ball.inequality_name(0), "ball");
  EXPECT_TRUE(linear_part(ball).inequalities().empty());
}

TEST(Ball, SlackDoesNotOverflow) { EXPECT_EQ(slack_at(Ball(vec({0, 0}), 6e300), vec({3e300, 4e300})), 1e300); }

TEST(Ellipsoid, SlackByHand) {
  const Ellipsoid set(vec({1, 0}), mat({{4, 1}, {1, 2}}));
  EXPECT_EQ(slack_at(set, vec({1.5, 1})), 1 - (4 * 0.25 + 2 * 0.5 + 2));
  EXPECT_EQ(*set.closed_form_anchor(), vec({1, 0}));
}

TEST(Quadratic, SlackByHand) {
  const Quadratic set(mat({{2, 1}, {1, 4}}), vec({-1, 3}), -10);
  EXPECT_EQ(slack_at(set, vec({2, -1})), -(0.5 * (8 - 4 + 4) - 2 - 3 - 10));
}

TEST(Quadratic, AnchorIsTheMinimiser) {
  const Quadratic set(mat({{2, 0}, {0, 4}}), vec({-2, 8}), 0);
  const Eigen::VectorXd anchor = *set.closed_form_anchor();
  EXPECT_NEAR(anchor[0], 1, 1e-15);
  EXPECT_NEAR(anchor[1], -2, 1e-15);
}

TEST(Quadratic, AnchorOfASingularFormUsesThePseudoinverse) {
  // 1/2 (x + y)^2 - (x + y) <= 0: the strip 0 <= x + y <= 2
  const Eigen::VectorXd anchor = *Quadratic(mat({{1, 1}, {1, 1}}), vec({-1, -1}), 0).closed_form_anchor();
  EXPECT_NEAR(anchor[0], 0.5, 1e-15);
  EXPECT_NEAR(anchor[1], 0.5, 1e-15);
}

TEST(Quadratic, NoAnchorInClosedFormWithoutAMinimiserOrWithoutAnInterior) {
  EXPECT_FALSE(Quadratic(mat({{1, 0}, {0, 0}}), vec({0, -1}), 0).closed_form_anchor());      // parabola y >= x^2 / 2
  EXPECT_FALSE(Quadratic(mat({{0, 0}, {0, 0}}), vec({1, 1}), -1).closed_form_anchor());      // halfspace
  EXPECT_FALSE(Quadratic(mat({{1, 0}, {0, 1}}), vec({0, 0}), 0).closed_form_anchor());       // a single point
  EXPECT_FALSE(Quadratic(mat({{1, 0}, {0, 1}}), vec({0, 0}), 1).closed_form_anchor());       // empty
  EXPECT_FALSE(Quadratic(mat({{0.3}}), vec({0.1}), 0.5 * 0.01 / 0.3).closed_form_anchor());  // a point, up to rounding
}

TEST(Quadratic, AcceptsASemidefiniteFormThatWasComputed) {
  Eigen::MatrixXd B(2, 5);
  B << 0.1, 0.7, -0.3, 1.1, 0.9, 1.3, -0.2, 0.4, 0.6, -0.8;
  EXPECT_NO_THROW(Quadratic(B.transpose() * B, Eigen::VectorXd::Zero(5), -1));
  EXPECT_NO_THROW(Ellipsoid(Eigen::VectorXd::Zero(5), B.transpose() * B));
  EXPECT_NO_THROW(Ellipsoid(Eigen::VectorXd::Zero(5), Eigen::MatrixXd::Zero(5, 5)));
}

TEST(SecondOrderCone, SlackByHand) {
  const SecondOrderCone cone(mat({{1, 0, 0}, {0, 1, 0}}), vec({0, 0}), vec({0, 0, 1}), 0);
  EXPECT_EQ(slack_at(cone, vec({3, 4, 6})), 1);
  EXPECT_EQ(slack_at(cone, vec({3, 4, -6})), -11);
}

TEST(SecondOrderCone, WithoutRowsIsAHalfspace) {
  const SecondOrderCone halfspace(Eigen::MatrixXd(0, 0), Eigen::VectorXd(0), vec({1, -1}), 2);
  EXPECT_EQ(slack_at(halfspace, vec({1, 5})), -2);
}

TEST(Lmi, SlackIsTheSmallestEigenvalue) {
  // [[1 + x, y], [y, 1 - x]] >= 0: the unit disc, with eigenvalues 1 -+ |(x, y)|
  const Lmi disc({mat({{1, 0}, {0, 1}}), mat({{1, 0}, {0, -1}}), mat({{0, 1}, {1, 0}})});
  EXPECT_EQ(disc.dim(), 2u);
  EXPECT_NEAR(slack_at(disc, vec({0.3, 0.4})), 0.5, 1e-15);
  EXPECT_NEAR(slack_at(disc, vec({3, 4})), -4, 1e-14);
}

TEST(Lmi, SlackHasTheRightSignNextToTheBoundary) {
  const Lmi disc({mat({{1, 0}, {0, 1}}), mat({{1, 0}, {0, -1}}), mat({{0, 1}, {1, 0}})});
  const double inside = std::sqrt(0.5) - 2e-16;   // |(x, x)| just below 1
  const double outside = std::sqrt(0.5) + 2e-16;  // just above
  EXPECT_GT(slack_at(disc, vec({inside, inside})), 0);
  EXPECT_LT(slack_at(disc, vec({outside, outside})), 0);
  const long double exact = 1 - std::sqrt(2.0L) * static_cast<long double>(inside);
  EXPECT_NEAR(slack_at(disc, vec({inside, inside})), static_cast<double>(exact), 1e-18);
}

TEST(Lmi, SlackOfAPointThatOverflowsIsNotANumber) {
  const Lmi set({mat({{1}}), mat({{1e300}})});
  EXPECT_TRUE(std::isnan(slack_at(set, vec({1e300}))));
}

}  // namespace
}  // namespace softradial::testing
