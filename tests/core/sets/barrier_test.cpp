#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "set_access.hpp"
#include "softradial/sets.hpp"

namespace softradial::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct BarrierCase {
  std::string name;
  Set set;
  Eigen::VectorXd inside;   // slack > 0
  Eigen::VectorXd outside;  // some slack < 0
};

void PrintTo(const BarrierCase& value, std::ostream* out) { *out << value.name; }

std::vector<BarrierCase> barrier_cases() {
  const Eigen::MatrixXd tall = mat({{1, 0.5}, {-0.25, 2}, {0.5, 0.5}});
  const Lmi lmi({mat({{2, 0.1, 0}, {0.1, 2, 0.3}, {0, 0.3, 1}}), mat({{1, 0.2, 0}, {0.2, -1, 0.5}, {0, 0.5, 0.3}}),
                 mat({{0, 1, 0.4}, {1, 0, 0}, {0.4, 0, -0.7}})});
  const LevelSet level(
      2, [](std::span<const double> x) { return std::exp(x[0]) + x[1] * x[1] - 3; },
      [](std::span<const double> x, std::span<double> out) {
        out[0] = std::exp(x[0]);
        out[1] = 2 * x[1];
      });
  const Ball ball(vec({1, -1}), 2);
  const Eigen::VectorXd two = vec({0.5, -0.25});
  const Eigen::VectorXd far = vec({30, 40});
  const Eigen::VectorXd three = vec({0.5, 0.2, 0.3});
  const auto lp = [](double p) { return LpBall(vec({0.75, -1}), 2, p); };
  return {
      {"simplex", Simplex(3), three, vec({0.5, -0.2, 0.7})},
      {"capped_simplex", CappedSimplex(vec({0.7, 0.6, 2}), 1), three, vec({0.8, 0.1, 0.1})},
      {"box", Box(vec({0, -kInfinity}), vec({1, 2})), two, far},
      {"polyhedron", Polyhedron(mat({{1, 2}, {-1, 0.5}, {0, -1}, {0, 0}}), vec({1, 2, 3, 1})), two, far},
      {"ball", ball, two, far},
      {"ellipsoid", Ellipsoid(vec({0.25, 0}), mat({{2, 0.5}, {0.5, 1}})), two, far},
      {"quadratic", Quadratic(mat({{2, 0.5}, {0.5, 1}}), vec({1, -1}), -4), two, far},
      {"second_order_cone", SecondOrderCone(tall, vec({0.1, 0.2, 0.3}), vec({0.5, -1}), 3), two, vec({-40, 40})},
      {"halfspace", SecondOrderCone(Eigen::MatrixXd(0, 2), vec({}), vec({0.5, -1}), 3), two, vec({-40, 40})},
      {"lmi", lmi, two, far},
      {"level_set", level, two, far},
      {"lp_ball_1", lp(1), two, far},
      {"lp_ball_1_5", lp(1.5), two, far},
      {"lp_ball_2", lp(2), two, far},
      {"lp_ball_3", lp(3), two, far},
      {"lp_ball_inf", lp(kInfinity), two, far},
      {"log_sum_exp", LogSumExp(2, 3), two, far},
      {"kl_ball", KlBall(vec({0.3, 0.3, 0.4}), 0.6), three, vec({0.98, 0.01, 0.01})},
      {"intersection", Intersection({ball, level, Box(vec({0, -1}), vec({3, 3}))}), two, far},
      {"product", Product({Simplex(3), ball, LogSumExp(1, 0)}), vec({0.5, 0.2, 0.3, 0.5, -0.25, -2}),
       vec({0.5, 0.2, 0.3, 0.5, -0.25, 2})},
      {"affine_preimage", AffinePreimage(Ball(vec({0, 0, 1}), 4), tall, vec({1, 0, 2})), two, far},
      {"scaled", Scaled(Intersection({ball, level}), 1.75), two, far},
  };
}

class Barrier : public ::testing::TestWithParam<BarrierCase> {
 protected:
  static double smallest_slack(const Set& set, const Eigen::VectorXd& x) {
    const std::vector<double> slacks = slacks_at(*set, x);
    return *std::ranges::min_element(slacks);
  }
};

// Central differences of the value and of the gradient, in (x, t).
TEST_P(Barrier, DerivativesAreThoseOfTheValue) {
  const auto& [name, set, inside, outside] = GetParam();
  constexpr double kStep = 1e-5;
  const Eigen::Index last = inside.size();
  for (const double t : {0.0, 0.75, 30.0}) {
    const auto terms = set->barrier(inside, t);
    ASSERT_TRUE(terms) << t;
    const double scale = 1 + terms->hessian.cwiseAbs().maxCoeff();
    EXPECT_TRUE(terms->hessian.isApprox(terms->hessian.transpose(), 1e-14));
    for (Eigen::Index j = 0; j <= last; ++j) {
      Eigen::VectorXd after = inside;
      Eigen::VectorXd before = inside;
      if (j < last) {
        after[j] += kStep;
        before[j] -= kStep;
      }
      const double shift = j < last ? 0 : kStep;
      const auto up = set->barrier(after, t + shift);
      const auto down = set->barrier(before, t - shift);
      ASSERT_TRUE(up && down);
      EXPECT_NEAR((up->value - down->value) / (2 * kStep), terms->gradient[j], 1e-7 * scale) << "j=" << j << " t=" << t;
      const Eigen::VectorXd column = (up->gradient - down->gradient) / (2 * kStep);
      EXPECT_LT((column - terms->hessian.col(j)).cwiseAbs().maxCoeff(), 1e-6 * scale) << "j=" << j << " t=" << t;
    }
  }
}

TEST_P(Barrier, IsConvexAndFallsWithT) {
  const auto& [name, set, inside, outside] = GetParam();
  double previous = kInfinity;
  for (const double t : {0.0, 0.1, 1.0, 10.0, 1000.0}) {
    const auto terms = set->barrier(inside, t);
    ASSERT_TRUE(terms);
    EXPECT_LT(terms->value, previous);
    EXPECT_LT(terms->gradient[inside.size()], 0);
    previous = terms->value;
    const double lowest = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(terms->hessian).eigenvalues()[0];
    EXPECT_GT(lowest, -1e-9 * terms->hessian.norm());
  }
}

TEST_P(Barrier, HasTheSetAsItsDomainAndReachesEveryPointForLargeT) {
  const auto& [name, set, inside, outside] = GetParam();
  EXPECT_GT(smallest_slack(set, inside), 0);
  EXPECT_TRUE(set->barrier(inside, 0));
  EXPECT_LT(smallest_slack(set, outside), 0);
  EXPECT_FALSE(set->barrier(outside, 0));
  // exp(30) = 1e13 in the level set
  EXPECT_TRUE(set->barrier(outside, 1e14));
  EXPECT_TRUE(set->barrier(-outside, 1e14));
  EXPECT_FALSE(set->barrier(inside, -1e9));
}

TEST_P(Barrier, IsNothingWhereNumbersAreNotFinite) {
  const auto& [name, set, inside, outside] = GetParam();
  Eigen::VectorXd bad = inside;
  bad[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(set->barrier(bad, 0));
  EXPECT_FALSE(set->barrier(inside, kInfinity));
}

INSTANTIATE_TEST_SUITE_P(EverySet, Barrier, ::testing::ValuesIn(barrier_cases()),
                         [](const auto& instance) { return instance.param.name; });

// At the centre |x - c|_p has a kink; the barrier has none.
TEST(LpBallBarrier, IsSmoothAtTheCentre) {
  for (const double p : {1.0, 1.5, 2.0, 4.0, kInfinity}) {
    const Eigen::VectorXd center = vec({1, 2, 3});
    const auto terms = LpBall(center, 2, p).barrier(center, 0);
    ASSERT_TRUE(terms) << p;
    EXPECT_TRUE(terms->gradient.head(3).isZero()) << p;
    EXPECT_TRUE(terms->hessian.allFinite());
  }
}

// Along a ray the value of the l1 barrier goes to infinity at the boundary and nowhere before it.
TEST(LpBallBarrier, OfTheSumNormReachesTheBoundary) {
  const LpBall ball(vec({0, 0}), 1, 1);
  double previous = -kInfinity;
  for (const double gap : {1e-1, 1e-3, 1e-6, 1e-9, 1e-12}) {
    const auto terms = ball.barrier(vec({0.25 * (1 - gap), -0.75 * (1 - gap)}), 0);
    ASSERT_TRUE(terms) << gap;
    EXPECT_GT(terms->value, previous);
    previous = terms->value;
  }
  EXPECT_FALSE(ball.barrier(vec({0.25, -0.75}), 0));
}

}  // namespace
}  // namespace softradial::testing
