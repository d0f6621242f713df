#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "set_access.hpp"
#include "softradial/sets/levels.hpp"

namespace softradial::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

LevelSet parabola() {
  return {2, [](std::span<const double> x) { return x[0] * x[0] - x[1]; },
          [](std::span<const double> x, std::span<double> out) {
            out[0] = 2 * x[0];
            out[1] = -1;
          }};
}

// h and its gradient of a set that is made by the library: LevelSet keeps its function to its children.
struct Opened : LevelSet {
  explicit Opened(const LevelSet& set) : LevelSet(set) {}
  [[nodiscard]] const ConvexFunction& h() const { return function(); }
  [[nodiscard]] Eigen::VectorXd gradient(const Eigen::VectorXd& x) const {
    Eigen::VectorXd out(x.size());
    function().gradient({x.data(), dim()}, {out.data(), dim()});
    return out;
  }
};

double gradient_error(const LevelSet& set, const Eigen::VectorXd& x) {
  const Opened opened(set);
  const Eigen::VectorXd gradient = opened.gradient(x);
  double worst = 0;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    Eigen::VectorXd after = x;
    Eigen::VectorXd before = x;
    after[j] += 1e-6;
    before[j] -= 1e-6;
    const double slope = (opened.h().value({after.data(), set.dim()}) - opened.h().value({before.data(), set.dim()})) /
                         (after[j] - before[j]);
    worst = std::max(worst, std::abs(slope - gradient[j]));
  }
  return worst;
}

TEST(LevelSet, OfCallables) {
  EXPECT_EQ(slack_at(parabola(), vec({2, 5})), 1);
  EXPECT_EQ(slack_at(parabola(), vec({3, 5})), -4);
  EXPECT_EQ(parabola().inequality_name(0), "level_set");
  EXPECT_FALSE(parabola().closed_form_anchor());
}

TEST(ConvexFunction, HessianByCentralDifferences) {
  const LevelSet set(
      2, [](std::span<const double> x) { return std::exp(x[0]) + x[0] * x[1] + 3 * x[1] * x[1]; },
      [](std::span<const double> x, std::span<double> out) {
        out[0] = std::exp(x[0]) + x[1];
        out[1] = x[0] + 6 * x[1];
      });
  const Eigen::MatrixXd hessian = Opened(set).h().hessian(vec({1, 100}));
  EXPECT_TRUE(hessian.isApprox(mat({{std::exp(1.0), 1}, {1, 6}}), 1e-9));
  EXPECT_EQ(hessian, hessian.transpose());
}

TEST(ConvexFunction, ValueErrorGrowsWithTheValueAtTheAnchor) {
  const Opened set(parabola());
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  const Eigen::VectorXd near = vec({0, 0.5});
  const Eigen::VectorXd far = vec({0, 1000});
  EXPECT_EQ(set.h().value_error({near.data(), 2}), 64 * kEps);
  EXPECT_EQ(set.h().value_error({far.data(), 2}), 64000 * kEps);
}

TEST(LpBall, SlackByHand) {
  const Eigen::VectorXd center = vec({1, 0});
  const Eigen::VectorXd x = vec({4, -4});
  EXPECT_DOUBLE_EQ(slack_at(LpBall(center, 10, 1), x), 3);
  EXPECT_DOUBLE_EQ(slack_at(LpBall(center, 10, 2), x), 5);
  EXPECT_DOUBLE_EQ(slack_at(LpBall(center, 10, 3), x), 10 - std::cbrt(91.0));
  EXPECT_DOUBLE_EQ(slack_at(LpBall(center, 10, kInfinity), x), 6);
  EXPECT_EQ(slack_at(LpBall(center, 10, 1.5), center), 10);
}

TEST(LpBall, NeitherHugePointsNorHugeExponentsOverflow) {
  EXPECT_NEAR(slack_at(LpBall(vec({0, 0}), 1, 7), vec({1e300, 0})) / 1e300, -1, 1e-15);
  EXPECT_NEAR(slack_at(LpBall(vec({0, 0}), 4, 1e12), vec({3, 3})), 1, 1e-11);
}

TEST(LpBall, GradientIsTheSlope) {
  for (const double p : {1.0, 1.01, 1.5, 2.0, 3.0, 40.0, kInfinity}) {
    EXPECT_LT(gradient_error(LpBall(vec({1, 0, -1}), 3, p), vec({1.5, -0.7, 0.4})), 1e-8) << p;
  }
}

TEST(LpBall, SubgradientsAtKinks) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(3);
  EXPECT_EQ(Opened(LpBall(zero, 1, 1)).gradient(vec({0, -2, 1})), vec({0, -1, 1}));
  EXPECT_EQ(Opened(LpBall(zero, 1, kInfinity)).gradient(vec({1, -2, 2})), vec({0, -1, 0}));
  for (const double p : {1.0, 1.5, 2.0, kInfinity}) EXPECT_EQ(Opened(LpBall(zero, 1, p)).gradient(zero), zero) << p;
}

TEST(LogSumExp, SlackByHand) {
  EXPECT_DOUBLE_EQ(slack_at(LogSumExp(2, 5), vec({1, 1})), 4 - std::log(2.0));
  EXPECT_EQ(slack_at(LogSumExp(2, 0), vec({1e5, -1e5})), -1e5);
  EXPECT_LT(gradient_error(LogSumExp(3, 5), vec({1, -2, 0.5})), 1e-9);
  EXPECT_NEAR(slack_at(LogSumExp(7, -3), *LogSumExp(7, -3).closed_form_anchor()), 1, 1e-14);
}

TEST(KlBall, SlackByHand) {
  const KlBall set(vec({0.25, 0.75}), 0.5);
  EXPECT_EQ(slack_at(set, vec({0.25, 0.75})), 0.5);
  EXPECT_DOUBLE_EQ(slack_at(set, vec({0.5, 0.5})), 0.5 - (0.5 * std::log(2.0) + 0.5 * std::log(2.0 / 3)));
  EXPECT_DOUBLE_EQ(slack_at(set, vec({0, 1})), 0.5 - std::log(4.0 / 3));
  EXPECT_EQ(slack_at(set, vec({-0.1, 1.1})), -kInfinity);
  EXPECT_LT(gradient_error(set, vec({0.4, 0.6})), 1e-9);
  EXPECT_EQ(*set.closed_form_anchor(), vec({0.25, 0.75}));
}

TEST(KlBall, GradientIsFiniteOnTheBoundary) {
  EXPECT_TRUE(Opened(KlBall(vec({0.25, 0.75}), 0.5)).gradient(vec({0, 1})).allFinite());
}

TEST(KlBall, StatesItsLinearPartAndOneInequality) {
  const KlBall set(vec({0.25, 0.75}), 0.5);
  LinearSystem system(2);
  EXPECT_FALSE(set.append_linear(system));
  EXPECT_EQ(names(system.inequalities()), (std::vector<std::string>{"lower bound 0", "lower bound 1"}));
  EXPECT_EQ(names(system.equalities()), (std::vector<std::string>{"sum"}));
  EXPECT_EQ(set.num_inequalities(), 1u);
}

// The bounds hold against extended precision for points on the boundary: |h(x) + slack(x)| <= value_error.
void expect_honest_value_error(const LevelSet& set, const Eigen::VectorXd& x, const Eigen::VectorXd& anchor) {
  const Opened opened(set);
  const double error = std::abs(opened.h().value({x.data(), set.dim()}) + slack_at(set, x));
  EXPECT_LE(error, opened.h().value_error({anchor.data(), set.dim()}));
  EXPECT_LE(opened.h().value_error({anchor.data(), set.dim()}), 1e-10);
}

TEST(ValueError, CoversTheRoundingOnTheBoundary) {
  std::srand(7);  // Eigen's Random
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Index n = 1 + trial;
    const Eigen::VectorXd center = Eigen::VectorXd::Random(n);
    const Eigen::VectorXd direction = Eigen::VectorXd::Random(n);
    for (const double p : {1.0, 1.3, 2.0, 5.0, 100.0, kInfinity}) {
      const LpBall ball(center, 0.7, p);
      const double norm = 0.7 - slack_at(ball, center + direction);
      expect_honest_value_error(ball, center + direction * (0.7 / norm), center);
    }
    const LogSumExp lse(static_cast<std::size_t>(n), 3);
    const Eigen::VectorXd spread = 20 * direction;
    const Eigen::VectorXd on_boundary = spread.array() + slack_at(lse, spread);
    expect_honest_value_error(lse, on_boundary, on_boundary);

    const Eigen::VectorXd reference = (center.array() + 1.01).matrix() / (center.array() + 1.01).sum();
    const Eigen::VectorXd x = (direction.array() + 1.0).matrix() / (direction.array() + 1.0).sum();
    const double divergence = 1 - slack_at(KlBall(reference, 1), x);
    if (divergence > 0) expect_honest_value_error(KlBall(reference, divergence), x, reference);
  }
}

}  // namespace
}  // namespace softradial::testing
