// Interior points, set by set: found, strictly inside, by the method that was asked for.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cstdlib>

#include "softradial/anchor.hpp"
#include "softradial/sets.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class FindAnchor : public ::testing::TestWithParam<support::NamedSet> {};

TEST_P(FindAnchor, AutomaticIsStrictlyInside) {
  const Set& set = GetParam().set;
  const Anchor anchor = find_anchor(set);
  ASSERT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
  EXPECT_GT(anchor.slack, 0);
  EXPECT_EQ(anchor.point.size(), static_cast<Eigen::Index>(set.dim()));
  const VectorXd residual = anchor.hull.normals * anchor.point - anchor.hull.offsets;
  EXPECT_LE(residual.norm(), 1e-12 * (1 + anchor.point.norm()));
  EXPECT_NO_THROW((void)check_anchor(set, anchor.point));
}

TEST_P(FindAnchor, AnalyticIsStrictlyInside) {
  const Set& set = GetParam().set;
  const Anchor anchor = find_anchor(set, AnchorSearch::analytic);
  ASSERT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
  EXPECT_EQ(anchor.source, AnchorSource::analytic);
  EXPECT_GT(anchor.slack, 0);
  EXPECT_NO_THROW((void)check_anchor(set, anchor.point));
}

INSTANTIATE_TEST_SUITE_P(Zoo, FindAnchor, ::testing::ValuesIn(support::set_zoo()), support::NameOfSet());

TEST(FindAnchor, ChebyshevCentreOfARightTriangle) {
  // Legs 3 and 4: the inscribed circle has radius 1 and touches both legs.
  const MatrixXd A{{-1, 0}, {0, -1}, {4, 3}};
  const VectorXd b{{0, 0, 12}};
  const Anchor anchor = find_anchor(Polyhedron(A, b), AnchorSearch::chebyshev);
  ASSERT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
  EXPECT_EQ(anchor.source, AnchorSource::chebyshev);
  EXPECT_TRUE(anchor.point.isApprox(VectorXd{{1, 1}}, 1e-9)) << anchor.point.transpose();
  EXPECT_NEAR(anchor.slack, 1, 1e-9);
}

TEST(FindAnchor, AnalyticCentreOfASimplexIsItsCentroid) {
  const Anchor anchor = find_anchor(Simplex(4, 2), AnchorSearch::analytic);
  ASSERT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
  EXPECT_TRUE(anchor.point.isApprox(VectorXd::Constant(4, 0.5), 1e-6)) << anchor.point.transpose();
}

TEST(FindAnchor, ClosedFormsNeedNoSearch) {
  EXPECT_EQ(find_anchor(CappedSimplex(50, 0.05)).source, AnchorSource::closed_form);
  EXPECT_EQ(find_anchor(Ball(VectorXd::Ones(3), 2)).source, AnchorSource::closed_form);
}

// 1.1 million non-zeros around a point that is not the origin: the search starts outside.
TEST(FindAnchor, LargePolyhedraHaveTheirAnalyticCentre) {
  std::srand(3);
  constexpr Eigen::Index kDim = 110;
  constexpr Eigen::Index kRows = 10000;
  const MatrixXd A = MatrixXd::Random(kRows, kDim);
  const VectorXd inside = VectorXd::Constant(kDim, 2);
  const VectorXd b = A * inside + VectorXd::Ones(kRows) + VectorXd::Random(kRows).cwiseAbs();
  ASSERT_LT(b.minCoeff(), 0) << "the origin is inside";
  const Anchor anchor = find_anchor(Polyhedron(A, b));
  ASSERT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
  EXPECT_EQ(anchor.source, AnchorSource::analytic);
  // The barrier is stationary there, in units of its Hessian.
  const VectorXd w = (b - A * anchor.point).cwiseInverse();
  ASSERT_GT(w.minCoeff(), 0);
  const VectorXd gradient = A.transpose() * w;
  const MatrixXd scaled = w.asDiagonal() * A;
  EXPECT_LE(gradient.dot((scaled.transpose() * scaled).llt().solve(gradient)), 1e-16);
}

TEST(FindAnchor, TheSetsOwnAnchorComesFirst) {
  const VectorXd own{{0.3, 0.2, 0.5}};
  const Anchor anchor = find_anchor(Set(Simplex(3)).with_anchor(own));
  EXPECT_EQ(anchor.source, AnchorSource::given);
  EXPECT_TRUE(anchor.point.isApprox(own, 1e-15));
}

TEST(FindAnchor, UnboundedPolyhedronGivesAPointOfModerateSize) {
  MatrixXd A = MatrixXd::Zero(1, 10);
  A(0, 0) = 1;
  for (const auto search : {AnchorSearch::chebyshev, AnchorSearch::analytic}) {
    const Anchor anchor = find_anchor(Polyhedron(A, VectorXd::Constant(1, 5)), search);
    ASSERT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
    EXPECT_LT(anchor.point.norm(), 1e4);
    EXPECT_LT(anchor.point[0], 5);
  }
}

}  // namespace
}  // namespace softradial
