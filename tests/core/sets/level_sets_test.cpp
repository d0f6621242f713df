#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/ray_exit.hpp"
#include "set_access.hpp"
#include "softradial/anchor.hpp"
#include "softradial/sets.hpp"
#include "support/gauge_probe.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial::testing {
namespace {

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

// exp(2 x) <= 1e308: the gradient of h overflows before the exit, and the search, which has no slope there, ends a little
// before it. The gradient of the gauge counts as 0.
TEST(LevelGauge, IsFiniteWhereTheGradientOverflows) {
  const Set set = LevelSet(
      1, [](std::span<const double> x) { return std::exp(2 * x[0]) - 1e308; },
      [](std::span<const double> x, std::span<double> out) { out[0] = 2 * std::exp(2 * x[0]); });
  support::GaugeProbe probe(set, check_anchor(set, vec({0})));
  const double exact = 2 / std::log(1e308);
  EXPECT_GE(probe.value(vec({1})), exact);
  EXPECT_LT(probe.value(vec({1})), 1.001 * exact);
  EXPECT_EQ(probe.gradient(vec({1})), vec({0}));
}

// The slope of h by central differences, or the subgradient that the specimen states.
TEST(LevelFunctions, GradientIsTheSlopeOrTheStatedSubgradient) {
  for (const support::LevelPoint& point : support::gather(&support::Specimen::level_points)) {
    SCOPED_TRACE(to_string(point.set));
    const auto& set = dynamic_cast<const LevelSet&>(*point.set);
    if (point.subgradient.size() == 0) {
      EXPECT_LT(gradient_error(set, point.x), 1e-8);
      continue;
    }
    const Eigen::VectorXd gradient = Opened(set).gradient(point.x);
    for (Eigen::Index j = 0; j < gradient.size(); ++j) {
      const double expected = point.subgradient[j];
      EXPECT_TRUE(std::isfinite(gradient[j]));
      if (!std::isnan(expected)) {
        EXPECT_DOUBLE_EQ(gradient[j], expected) << j;
      }
    }
  }
}

// Everywhere inside, in every level set of the zoo.
TEST(LevelFunctions, GradientIsTheSlopeInTheZoo) {
  int checked = 0;
  for (const auto& [name, set] : support::set_zoo()) {
    const auto* level = dynamic_cast<const LevelSet*>(&*set);
    if (level == nullptr) continue;
    SCOPED_TRACE(name);
    support::RandomPoints random(4);
    const Anchor anchor = set.anchor() ? check_anchor(set, *set.anchor()) : require_anchor(set);
    for (int k = 0; k < 20; ++k) {
      const Eigen::VectorXd v = random.unit_on(anchor.hull);
      const auto exit = static_cast<double>(reference::ray_exit(*set, anchor.point, v));
      EXPECT_LT(gradient_error(*level, anchor.point + random.uniform(0.2, 0.8) * std::min(exit, 2.0) * v), 1e-7);
    }
    ++checked;
  }
  EXPECT_GE(checked, 15);
}

// The bounds hold against extended precision for points on the boundary: |h(x) + slack(x)| <= value_error.
void expect_honest_value_error(const LevelSet& set, const Eigen::VectorXd& x, const Eigen::VectorXd& anchor) {
  const Opened opened(set);
  const double error = std::abs(opened.h().value({x.data(), set.dim()}) + slacks_at(set, x).front());
  EXPECT_LE(error, opened.h().value_error({anchor.data(), set.dim()}));
  EXPECT_LE(opened.h().value_error({anchor.data(), set.dim()}), 1e-10);
}

TEST(ValueError, CoversTheRoundingOnTheBoundary) {
  std::srand(7);  // Eigen's Random
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Index n = 1 + trial;
    const Eigen::VectorXd a = Eigen::VectorXd::Random(n);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
    for (const support::Specimen& specimen : support::specimens()) {
      if (!specimen.boundaries) continue;
      SCOPED_TRACE(specimen.type);
      for (const auto& [set, x, anchor] : specimen.boundaries(a, b)) {
        expect_honest_value_error(*set, x, anchor);
      }
    }
  }
}

}  // namespace
}  // namespace softradial::testing
