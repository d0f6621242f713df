#include "reference/exact_judge.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "softradial/sets.hpp"

namespace softradial::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

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

// 0.1 + 0.2 > 0.3 in exact arithmetic on the doubles, by 2.8e-17: one third of an ulp of the sum.
TEST(ExactJudge, AddsWithoutRounding) {
  const MatrixXd A = MatrixXd::Ones(1, 2);
  EXPECT_FALSE(inside<double>(Polyhedron(A, vec({0.3})), {0.1, 0.2}));
  EXPECT_TRUE(inside<double>(Polyhedron(A, vec({0.3})), {0.1, below(below(0.2))}));
  // 1e16 + 1 - 1e16 = 1: a double loses the 1, and a long double cannot bound its own error well enough.
  const MatrixXd B = MatrixXd::Ones(1, 3);
  EXPECT_FALSE(inside<double>(Polyhedron(B, vec({1})), {1e16, 1, -1e16}));
  EXPECT_TRUE(inside<double>(Polyhedron(B, vec({above(1.0)})), {1e16, 1, -1e16}));
}

// (x - a)(x - b) <= 0 with a, b = 1 -+ 2^-26, multiplied out: x^2 - 2x + (1 - 2^-52). One ulp below b its value is -2^-77,
// far below the rounding of its terms in long double.
TEST(ExactJudge, FallsBackOnQuadruplePrecision) {
  const Set set = Quadratic(2 * MatrixXd::Identity(1, 1), vec({-2}), 1 - 0x1p-52);
  const double b = 1 + 0x1p-26;
  EXPECT_FALSE(inside<double>(set, {b}));
  EXPECT_TRUE(inside<double>(set, {below(b)}));
  EXPECT_FALSE(inside<double>(set, {above(b)}));
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

struct BoundaryPoint {
  const char* name;
  Set set;
  std::vector<double> on;  // a point on the boundary, exactly
  std::size_t moving;      // the coordinate that leads ...
  bool inward_is_up;       // ... inside when it grows by one ulp
};

void PrintTo(const BoundaryPoint& p, std::ostream* out) { *out << p.name; }

class OnTheBoundary : public ::testing::TestWithParam<BoundaryPoint> {};

TEST_P(OnTheBoundary, IsOutsideAndOneUlpInwardIsInside) {
  const BoundaryPoint& p = GetParam();
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

std::vector<BoundaryPoint> boundary_points() {
  const MatrixXd identity = MatrixXd::Identity(2, 2);
  const double infinity = std::numeric_limits<double>::infinity();
  MatrixXd reflection(2, 2), swap(2, 2);
  reflection << 1, 0, 0, -1;
  swap << 0, 1, 1, 0;
  MatrixXd cone(2, 3);
  cone << 1, 0, 0, 0, 1, 0;
  return {
      {"box", Box(vec({-1, -1}), vec({1, 1})), {0.5, 1}, 1, false},
      {"polyhedron", Polyhedron(MatrixXd::Ones(1, 2), vec({1})), {0.25, 0.75}, 1, false},
      {"ball", Ball(vec({1, 1}), 5), {4, 5}, 0, false},
      {"ellipsoid", Ellipsoid(vec({0, 0}), identity / 25), {0, 5}, 1, false},
      {"quadratic", Quadratic(2 * identity, vec({0, 0}), -25), {3, 4}, 1, false},
      {"parabola", Quadratic(vec({2, 0}).asDiagonal(), vec({0, -1}), 0), {0.5, 0.25}, 1, true},
      {"second_order_cone", SecondOrderCone(cone, vec({0, 0}), vec({0, 0, 1}), 0), {3, 4, 5}, 2, true},
      {"lmi", Lmi({5 * identity, reflection, swap}), {3, 4}, 1, false},
      {"lp_ball_1", LpBall(vec({0, 0}), 1, 1), {0.25, -0.75}, 1, true},
      {"lp_ball_2", LpBall(vec({0, 0}), 5, 2), {3, 4}, 1, false},
      {"lp_ball_4", LpBall(vec({0, 0}), 2, 4), {0, 2}, 1, false},
      {"lp_ball_inf", LpBall(vec({0, 0}), 1, infinity), {1, 0.5}, 0, false},
      {"log_sum_exp", LogSumExp(1, 1.5), {1.5}, 0, false},
      {"intersection", Intersection({Ball(vec({0, 0}), 5), Box(vec({-9, -9}), vec({9, 9}))}), {3, 4}, 1, false},
      {"product", Product({Ball(vec({0, 0}), 5), Box(vec({0}), vec({1}))}), {3, 4, 0.5}, 1, false},
      {"affine_preimage", AffinePreimage(Ball(vec({0, 0}), 5), 0.5 * identity, vec({1, 0})), {4, 8}, 1, false},
      {"scaled", Scaled(Ball(vec({0, 0}), 5), 2), {6, 8}, 1, false},
  };
}

INSTANTIATE_TEST_SUITE_P(EveryType, OnTheBoundary, ::testing::ValuesIn(boundary_points()),
                         [](const auto& point) { return point.param.name; });

// p = (3/4, 1/4) against r = (1/2, 1/2): KL = log 2 - H(p) = 0.13081203594113694...
TEST(ExactJudge, KlBall) {
  const double divergence = 0.75 * std::log(1.5) + 0.25 * std::log(0.5);
  EXPECT_TRUE(inside<double>(KlBall(vec({0.5, 0.5}), divergence + 1e-15), {0.75, 0.25}, sum_hull(2, 1)));
  EXPECT_FALSE(inside<double>(KlBall(vec({0.5, 0.5}), divergence - 1e-15), {0.75, 0.25}, sum_hull(2, 1)));
  // The simplex's own faces bound a wide ball.
  EXPECT_FALSE(inside<double>(KlBall(vec({0.5, 0.5}), 2), {1, 0}, sum_hull(2, 1)));
  EXPECT_TRUE(inside<double>(KlBall(vec({0.5, 0.5}), 2), {1 - 0x1p-53, 0x1p-53}, sum_hull(2, 1)));
}

TEST(ExactJudge, SetsGivenByFunctionsAreWhatTheyCompute) {
  const Set set = LevelSet(
      1, [](std::span<const double> x) { return x[0] * x[0] - 1; },
      [](std::span<const double> x, std::span<double> g) { g[0] = 2 * x[0]; });
  EXPECT_FALSE(inside<double>(set, {1}));
  EXPECT_TRUE(inside<double>(set, {below(1.0)}));
  EXPECT_TRUE(inside<double>(Intersection({set, Box(vec({0}), vec({2}))}), {0.5}));
  EXPECT_FALSE(inside<double>(Intersection({set, Box(vec({0}), vec({2}))}), {0}));
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
