#include "reference/exact_judge.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "softradial/anchor.hpp"
#include "softradial/sets.hpp"
#include "support/set_zoo.hpp"
#include "support/vectors.hpp"

namespace softradial::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::vec;

template <class T>
bool inside(const Set& set, std::vector<T> x, const AffineHull& hull) {
  return ExactJudge(set, hull).judge(std::span<const T>(x)).inside;
}
template <class T>
bool inside(const Set& set, std::vector<T> x) {
  return inside(set, std::move(x), AffineHull::whole_space(set.dim()));
}

template <class T>
T below(T x) {
  return std::nextafter(x, -std::numeric_limits<T>::infinity());
}
template <class T>
T above(T x) {
  return std::nextafter(x, std::numeric_limits<T>::infinity());
}

AffineHull sum_hull(Eigen::Index dim, double total) {
  const double root = std::sqrt(static_cast<double>(dim));
  return {MatrixXd::Constant(1, dim, 1 / root), VectorXd::Constant(1, total / root)};
}

// 0.05 in float is 0.0500000007..., above 0.05 in double: the nearest float is outside, its lower neighbour inside.
TEST(ExactJudge, KeepsTheDoubleCapForFloatRows) {
  const Set box = Box(vec({0}), vec({0.05}));
  EXPECT_FALSE(inside<float>(box, {0.05F}));
  EXPECT_TRUE(inside<float>(box, {below(0.05F)}));
  EXPECT_FALSE(inside<double>(box, {0.05}));
  EXPECT_TRUE(inside<double>(box, {below(0.05)}));
}

TEST(ExactJudge, RejectsTheBoundaryAndAcceptsTheSmallestStepInside) {
  const Set box = Box(vec({0}), vec({1}));
  EXPECT_FALSE(inside<double>(box, {0.0}));
  EXPECT_TRUE(inside<double>(box, {std::numeric_limits<double>::denorm_min()}));
  EXPECT_TRUE(inside<float>(box, {std::numeric_limits<float>::denorm_min()}));
  EXPECT_FALSE(inside<double>(box, {-std::numeric_limits<double>::denorm_min()}));

  const Set ball = Ball(vec({0, 0}), 5);
  EXPECT_FALSE(inside<double>(ball, {3, 4}));
  EXPECT_TRUE(inside<double>(ball, {below(3.0), 4}));
  EXPECT_FALSE(inside<double>(ball, {above(3.0), 4}));
  EXPECT_TRUE(inside<float>(ball, {3, below(4.0F)}));
  EXPECT_FALSE(inside<float>(ball, {3, above(4.0F)}));
}

TEST(ExactJudge, RejectsWhatIsNotFinite) {
  const Set box = Box(vec({0}), vec({std::numeric_limits<double>::infinity()}));
  EXPECT_TRUE(inside<float>(box, {std::numeric_limits<float>::max()}));
  EXPECT_FALSE(inside<float>(box, {std::numeric_limits<float>::infinity()}));
  EXPECT_FALSE(inside<double>(box, {std::numeric_limits<double>::quiet_NaN()}));
}

TEST(ExactJudge, LeavesOutRowsThatAreConstantOnTheHull) {
  // sum(x) = 1 and sum(x) <= 1: the row holds with equality on the hull and is measured instead of judged.
  const Set set = Intersection({Simplex(2), Polyhedron(MatrixXd::Ones(1, 2), vec({1}))});
  EXPECT_TRUE(inside<double>(set, {0.25, 0.75}, sum_hull(2, 1)));
  EXPECT_FALSE(inside<double>(set, {0.25, 0.75}));
  EXPECT_FALSE(inside<double>(set, {0, 1}, sum_hull(2, 1)));
}

TEST(ExactJudge, MeasuresTheEqualityResidualInTermsOfItsSize) {
  const ExactJudge judge(CappedSimplex(4, 0.5), sum_hull(4, 1));
  const std::vector<double> exact = {0.25, 0.25, 0.25, 0.25};
  EXPECT_EQ(judge.judge(std::span<const double>(exact)).residual, 0);
  const std::vector<double> off = {0.25, 0.25, 0.25, 0.25 + 0x1p-50};
  const Verdict verdict = judge.judge(std::span<const double>(off));
  EXPECT_TRUE(verdict.inside);
  EXPECT_NEAR(verdict.residual, 0x1p-50 / (2 * 4), 1e-20);
}

TEST(ExactJudge, ReportsTheSlackInUlps) {
  const ExactJudge judge(Ball(vec({0, 0}), 5), AffineHull::whole_space(2));
  const std::vector<double> x = {below(3.0), 4};
  const Verdict verdict = judge.judge(std::span<const double>(x));
  EXPECT_GT(verdict.slack, 0);
  EXPECT_LT(verdict.slack, 2 * std::numeric_limits<double>::epsilon());
}

class OnTheBoundary : public ::testing::TestWithParam<support::BoundaryPoint> {};

TEST_P(OnTheBoundary, IsOutsideAndOneUlpInwardIsInside) {
  const support::BoundaryPoint& p = GetParam();
  EXPECT_FALSE(inside<double>(p.set, p.on));
  std::vector<double> inward = p.on, outward = p.on;
  inward[p.moving] = p.inward_is_up ? above(p.on[p.moving]) : below(p.on[p.moving]);
  outward[p.moving] = p.inward_is_up ? below(p.on[p.moving]) : above(p.on[p.moving]);
  EXPECT_TRUE(inside<double>(p.set, inward));
  EXPECT_FALSE(inside<double>(p.set, outward));

  std::vector<float> in_float(p.on.begin(), p.on.end());
  in_float[p.moving] = p.inward_is_up ? above(in_float[p.moving]) : below(in_float[p.moving]);
  EXPECT_TRUE(inside<float>(p.set, in_float));
}

INSTANTIATE_TEST_SUITE_P(EveryType, OnTheBoundary,
                         ::testing::ValuesIn(support::gather(&support::Specimen::boundary_points)),
                         support::NameOfSet());

TEST(ExactJudge, JudgesThePointsOfTheSpecimens) {
  for (const auto& [set, x, expected] : support::gather(&support::Specimen::judged)) {
    const AffineHull hull = require_anchor(set).hull;
    EXPECT_EQ(inside<double>(set, x, hull), expected) << to_string(set) << " at " << ::testing::PrintToString(x);
  }
}

// An unknown type is an error, not a question to the library: its own slacks would only repeat its own mistakes.
class Unknown final : public ConvexFunction {
 public:
  [[nodiscard]] std::size_t dim() const noexcept override { return 1; }
  [[nodiscard]] double value(std::span<const double> x) const noexcept override { return x[0] * x[0] - 1; }
  void gradient(std::span<const double> x, std::span<double> out) const noexcept override { out[0] = 2 * x[0]; }
};

void expect_unknown(const Set& set) {
  try {
    const ExactJudge judge(set, AffineHull::whole_space(set.dim()));
    ADD_FAILURE() << to_string(set) << " was accepted";
  } catch (const std::logic_error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("mine: the exact judge does not know this type")) << error.what();
  }
}

TEST(ExactJudge, RefusesTypesThatItDoesNotKnow) {
  const Set mine = LevelSet(std::make_shared<const Unknown>(), "mine");
  expect_unknown(mine);
  expect_unknown(Intersection({Box(vec({0}), vec({2})), mine}));
  expect_unknown(Product({Simplex(2), mine}));
}

// Callables have no data: they are judged by what they compute, where they can be reached, and nowhere else.
TEST(ExactJudge, RefusesCallablesThatItCannotReach) {
  const Set callables = support::zoo_member("level_set");
  const AffineHull plane = AffineHull::whole_space(2);
  EXPECT_NO_THROW((void)ExactJudge(Intersection({callables, callables}), plane));
  EXPECT_THROW((void)ExactJudge(Scaled(callables, 2), plane), std::logic_error);
}

// The bisection of gauge() ends at the boundary: (3, 4) / 5 of the way, and nowhere on an open side.
TEST(ExactJudge, GaugeIsTheReciprocalOfTheExit) {
  const ExactJudge ball(Ball(vec({0, 0}), 5), AffineHull::whole_space(2));
  EXPECT_DOUBLE_EQ(ball.gauge(vec({0, 0}), vec({3, 4})), 1);
  EXPECT_DOUBLE_EQ(ball.gauge(vec({3, 0}), vec({0, 8})), 2);
  const ExactJudge open(Box(vec({0}), vec({std::numeric_limits<double>::infinity()})), AffineHull::whole_space(1));
  EXPECT_DOUBLE_EQ(open.gauge(vec({0.3}), vec({-0.6})), 2);
  EXPECT_EQ(open.gauge(vec({0.3}), vec({1})), 0);
}

// The enclosures hold what they promise: mixed operations against the same in quadruple precision.
TEST(Enclosure, ContainsTheExactResult) {
  double seed = 0.123456789;
  for (int k = 0; k < 1000; ++k) {
    seed = std::fmod(seed * 997.13 + 0.37, 1.0);
    const double a = seed - 0.5, b = 3 * seed * seed + 0.1;
    const auto formula = [&](auto one) {
      using R = decltype(one);
      const Enclosure<R> x(a), y(b);
      return square(x - y) + exponential(x * y) - logarithm(y) + power(y, 1.5) - divide(x, static_cast<R>(b));
    };
    const Enclosure<long double> coarse = formula(1.0L);
    const Enclosure<Float128> fine = formula(Float128(1));
    EXPECT_LE(static_cast<double>(magnitude<Float128>(fine.mid - coarse.mid)), static_cast<double>(coarse.rad));
    EXPECT_LT(static_cast<double>(coarse.rad), 1e-16);
    EXPECT_LT(static_cast<double>(fine.rad), 1e-30);
  }
}

}  // namespace
}  // namespace softradial::reference
