#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/ray_exit.hpp"
#include "set_access.hpp"
#include "softradial/anchor.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double smallest_slack(const Set& set, const Eigen::VectorXd& x) {
  const std::vector<double> slacks = slacks_at(*set, x);
  return *std::ranges::min_element(slacks);
}

class Barrier : public ::testing::TestWithParam<support::BarrierCase> {};

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

INSTANTIATE_TEST_SUITE_P(EverySet, Barrier, ::testing::ValuesIn(support::gather(&support::Specimen::barriers)),
                         support::NameOfSet());

// Some gauges have a kink at the anchor (a norm at its centre); the barrier has none, nor anywhere on the way from there
// to the boundary, where its value goes to infinity, and nowhere before it.
TEST(BarrierAlongRays, IsFiniteAndGoesToInfinityAtTheBoundary) {
  for (const auto& [name, set] : support::set_zoo()) {
    SCOPED_TRACE(name);
    const Anchor anchor = set.anchor() ? check_anchor(set, *set.anchor()) : require_anchor(set);
    // An inequality that is constant on the hull has no slack to take a logarithm of.
    if (smallest_slack(set, anchor.point) < 1e-12) continue;
    support::RandomPoints random(5);
    for (int k = 0; k < 10; ++k) {
      const Eigen::VectorXd v = random.unit_on(anchor.hull);
      const auto exit = static_cast<double>(reference::ray_exit(*set, anchor.point, v));
      if (!(exit < 1e6)) continue;
      double previous = -kInfinity;
      for (const double gap : {1e-3, 1e-6, 1e-9}) {
        const auto terms = set->barrier(anchor.point + exit * (1 - gap) * v, 0);
        ASSERT_TRUE(terms) << gap << ", v = " << v.transpose();
        EXPECT_GT(terms->value, previous) << gap << ", v = " << v.transpose();
        EXPECT_TRUE(terms->gradient.allFinite() && terms->hessian.allFinite());
        previous = terms->value;
      }
      EXPECT_FALSE(set->barrier(anchor.point + exit * (1 + 1e-6) * v, 0));
    }
    const auto terms = set->barrier(anchor.point, 0);
    ASSERT_TRUE(terms);
    EXPECT_TRUE(terms->gradient.allFinite() && terms->hessian.allFinite());
  }
}

// At a centre of symmetry the barrier is stationary, whatever kinks the norm has there.
TEST(BarrierAlongRays, IsStationaryAtACentreOfSymmetry) {
  int checked = 0;
  for (const auto& [name, set] : support::set_zoo()) {
    const auto centre = set->closed_form_anchor();
    if (!centre) continue;
    support::RandomPoints random(6);
    bool symmetric = true;
    for (int k = 0; k < 10; ++k) {
      const Eigen::VectorXd v = random.gaussian(set.dim());
      const double one = smallest_slack(set, *centre + v);
      const double other = smallest_slack(set, *centre - v);
      symmetric = symmetric && std::abs(one - other) <= 1e-12 * std::abs(one);
    }
    if (!symmetric) continue;
    const auto terms = set->barrier(*centre, 0);
    ASSERT_TRUE(terms) << name;
    // Sides that cancel are rounded: an ulp of the Hessian's terms, over the length of the set.
    EXPECT_LE(terms->gradient.head(centre->size()).norm(), 1e-13 * terms->hessian.norm()) << name;
    ++checked;
  }
  EXPECT_GE(checked, 8);
}

}  // namespace
}  // namespace softradial::testing
