// Centres of polyhedra where the data are awkward: long, thin, unbounded, badly scaled, nearly flat.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "softradial/anchor.hpp"
#include "softradial/sets.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Rows x_1 <= b_0, -x_1 <= b_1, x_2 <= b_2, -x_2 <= b_3.
Polyhedron rectangle(const VectorXd& b) { return {MatrixXd{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}, b}; }

void expect_point(const Set& set, const VectorXd& expected, double tolerance = 1e-9,
                  AnchorSearch search = AnchorSearch::automatic) {
  const Anchor anchor = find_anchor(set, search);
  ASSERT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
  EXPECT_LE((anchor.point - expected).cwiseAbs().maxCoeff(), tolerance) << anchor.point.transpose();
  EXPECT_GT(anchor.slack, 0);
}

TEST(Polyhedra, LongBoxIsCentredInItsLongDirectionToo) {
  expect_point(rectangle(VectorXd{{1, 0, 1000, 0}}), VectorXd{{0.5, 500}}, 1e-6);
}

TEST(Polyhedra, CubeHasManyOptimalVertices) {
  MatrixXd A(40, 20);
  A << MatrixXd::Identity(20, 20), -MatrixXd::Identity(20, 20);
  VectorXd b(40);
  b << VectorXd::Ones(20), VectorXd::Zero(20);
  expect_point(Polyhedron(A, b), VectorXd::Constant(20, 0.5), 1e-6);
}

TEST(Polyhedra, BoundsThatMeanNoBoundDoNotBlurTheOthers) {
  for (const double far : {1e9, 1e20}) {
    const MatrixXd A{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 3}};
    expect_point(Polyhedron(A, VectorXd{{1, 0, 1, 0, far, far}}), VectorXd{{0.5, 0.5}}, 1e-6);
  }
}

TEST(Polyhedra, ThinIsNotFlat) {
  for (const double width : {1e-6, 1e-9, 1e-10}) {
    const Anchor anchor = find_anchor(rectangle(VectorXd{{1 + width, -1, 1, 0}}));
    ASSERT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
    EXPECT_EQ(anchor.hull.codimension(), 0U) << width;
    EXPECT_NEAR(anchor.slack, width / 2, 1e-3 * width);
  }
}

TEST(Polyhedra, BelowTheFlatToleranceThePointStaysInTheMiddle) {
  const double width = 1e-12;
  const Anchor anchor = find_anchor(rectangle(VectorXd{{1 + width, -1, 1, 0}}));
  ASSERT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
  EXPECT_EQ(anchor.hull.codimension(), 1U);
  EXPECT_GT(anchor.point[0], 1);
  EXPECT_LT(anchor.point[0], 1 + width);
}

TEST(Polyhedra, RoundingOfEqualBoundsIsFlatNotEmpty) {
  const MatrixXd A{{1}, {-1}};
  for (const VectorXd& b : {VectorXd{{0.1 + 0.2, -0.3}}, VectorXd{{0.3, -(0.1 + 0.2)}}}) {
    const Anchor anchor = find_anchor(Polyhedron(A, b));
    ASSERT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
    EXPECT_EQ(anchor.hull.codimension(), 1U);
    EXPECT_DOUBLE_EQ(anchor.point[0], 0.3);
    EXPECT_EQ(anchor.slack, std::numeric_limits<double>::infinity());
  }
}

TEST(Polyhedra, UnboundedOnesGivePointsOfTheSizeOfTheirData) {
  expect_point(Polyhedron(MatrixXd{{1, 0, 0}}, VectorXd{{-1e6}}), VectorXd{{-2e6, 0, 0}}, 1);
  expect_point(Polyhedron(-MatrixXd::Identity(3, 3), VectorXd::Zero(3)), VectorXd::Ones(3));
  const Anchor strip = find_anchor(Polyhedron(MatrixXd{{1, 0}, {-1, 0}, {0, -1}}, VectorXd{{1, 0, 0}}));
  ASSERT_EQ(strip.status, AnchorStatus::found);
  EXPECT_NEAR(strip.point[0], 0.5, 1e-9);
  EXPECT_GE(strip.point[1], 0.49);
  EXPECT_LE(strip.point[1], 10);
}

TEST(Polyhedra, AnalyticCentreOfAnIntervalWithARepeatedRow) {
  // -2 log(1 - x) - log(x): the minimum is at x = 1/3.
  expect_point(Polyhedron(MatrixXd{{1}, {2}, {-1}}, VectorXd{{1, 2, 0}}), VectorXd{{1.0 / 3}}, 1e-9,
               AnchorSearch::analytic);
}

TEST(Polyhedra, WithoutInequalitiesTheLeastNormPoint) {
  const Polyhedron line(MatrixXd(0, 2), VectorXd(0), MatrixXd{{3, 4}}, VectorXd{{25}});
  expect_point(line, VectorXd{{3, 4}});
  EXPECT_EQ(find_anchor(line).slack, std::numeric_limits<double>::infinity());
}

TEST(Polyhedra, ContradictionsNameTheRowsAndTheGap) {
  const MatrixXd A{{1, 1}, {1, 0}, {-1, 0}, {0, -1}};
  const Anchor anchor = find_anchor(Polyhedron(A, VectorXd{{-1, 5, 0, 0}}));
  EXPECT_EQ(anchor.status, AnchorStatus::empty);
  EXPECT_EQ(anchor.reason,
            "row 0, row 2 and row 3 contradict each other: every point misses one of them by 0.292893 or more");
}

// Coefficients from the smallest numbers to 1e199: there is an anchor strictly inside, or a reason why there is none; the solver
// of linear programmes does not end the process.
TEST(Polyhedra, CoefficientsOfAllSizes) {
  const MatrixXd A{{3.873405096211432e-304, 9.984062773856268e-307},
                   {1.2436082719336e-75, 8.80091459672593e+199},
                   {2.2486306e-317, -1}};
  for (const double first : {0.0, 1.0}) {
    const Set set = Polyhedron(A, VectorXd{{first, 0, -3e-294}});
    const Anchor anchor = find_anchor(set);
    if (anchor.status == AnchorStatus::found) {
      EXPECT_GT(anchor.slack, 0);
    } else {
      EXPECT_FALSE(anchor.reason.empty());
    }
  }
}

// The search ends, with a point inside: a triangle that two sides meet at 1e-317 and the third at 5e-244, in rows of length 1e243,
// 1 and 1e-72.
TEST(Polyhedra, TheSearchEndsForBoundsOfAllSizes) {
  const MatrixXd A{
      {1.2403521088703825e224, 1.9626352964203602e243}, {-1.0000000000065048, 0}, {0, -1.1319608969043416e-72}};
  const Anchor anchor =
      find_anchor(Polyhedron(A, VectorXd{{1.0000000000089813, 1.2304052743e-317, 2.6524947387e-315}}));
  ASSERT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
  EXPECT_GT(anchor.slack, 0);
}

TEST(Polyhedra, TinyGapsAreEmptyBeyondRounding) {
  EXPECT_EQ(find_anchor(rectangle(VectorXd{{1, -1 - 1e-8, 1, 0}})).status, AnchorStatus::empty);
}

TEST(Polyhedra, LargeBoxesAndSimplicesStayCheap) {
  constexpr Eigen::Index kDim = 100000;
  const Anchor box = find_anchor(Box(VectorXd::Zero(kDim), VectorXd::Ones(kDim)));
  EXPECT_EQ(box.source, AnchorSource::closed_form);
  EXPECT_EQ(box.hull.codimension(), 0U);
  const Anchor simplex = find_anchor(Simplex(kDim));
  EXPECT_EQ(simplex.source, AnchorSource::closed_form);
  EXPECT_EQ(simplex.hull.codimension(), 1U);
}

TEST(Polyhedra, SameDataSameBits) {
  const MatrixXd A{{1, 2, -0.3}, {-1, 0.7, 0.1}, {0.2, -1.1, 0.9}, {0.3, 0.4, -2}, {-0.6, -1, -1}};
  const Set set = Polyhedron(A, VectorXd{{1, 2, 3, 1, 0.5}});
  for (const auto search : {AnchorSearch::chebyshev, AnchorSearch::analytic}) {
    EXPECT_EQ(find_anchor(set, search).point, find_anchor(set, search).point);
  }
}

}  // namespace
}  // namespace softradial
