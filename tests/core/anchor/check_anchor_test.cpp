// The user's own anchor: taken where it is strictly inside, refused with the constraint and its slack where it is not.
#include <gtest/gtest.h>

#include <limits>

#include "softradial/anchor.hpp"
#include "softradial/errors.hpp"
#include "softradial/projection.hpp"
#include "softradial/sets.hpp"

namespace softradial {
namespace {

using Eigen::VectorXd;

template <class E>
void expect_refused(const Set& set, const VectorXd& point, const std::string& said) {
  try {
    (void)check_anchor(set, point);
    FAIL() << "accepted " << point.transpose();
  } catch (const E& error) {
    EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
  }
}

TEST(CheckAnchor, AcceptsAnInteriorPointAndReportsItsSlack) {
  const Anchor anchor = check_anchor(Box(VectorXd{{0, 0}}, VectorXd{{1, 4}}), VectorXd{{0.25, 2}});
  EXPECT_EQ(anchor.status, AnchorStatus::found);
  EXPECT_EQ(anchor.source, AnchorSource::given);
  EXPECT_DOUBLE_EQ(anchor.slack, 0.25);
}

TEST(CheckAnchor, RefusesTheBoundaryAndTheOutside) {
  const Set box = Box(VectorXd{{0, 0}}, VectorXd{{1, 1}});
  expect_refused<AnchorNotInterior>(box, VectorXd{{0.5, 1}}, "upper bound 1 has slack 0");
  expect_refused<AnchorNotInterior>(box, VectorXd{{-0.5, 0.5}}, "lower bound 0 has slack -0.5");
}

TEST(CheckAnchor, RefusesAPointOffTheHull) {
  expect_refused<AnchorNotInterior>(Simplex(2), VectorXd{{0.4, 0.4}}, "sum");
}

TEST(CheckAnchor, RefusesWhatIsNoPoint) {
  expect_refused<ShapeError>(Simplex(3), VectorXd{{0.5, 0.5}}, "3");
  expect_refused<NonFiniteInput>(Simplex(2), VectorXd{{0.5, std::numeric_limits<double>::quiet_NaN()}}, "1");
}

TEST(CheckAnchor, RefusesAPartsAnchorOfAnotherLength) {
  const Product product({Set(Simplex(2)).with_anchor(VectorXd{{1}})});
  EXPECT_THROW((void)product.closed_form_anchor(), ShapeError);
}

TEST(CheckAnchor, PointsOfFlatSetsAreMovedOntoTheHull) {
  const Eigen::MatrixXd A{{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  const Set flat = Polyhedron(A, VectorXd{{0.5, -0.5, 1, 1}});
  const Anchor anchor = check_anchor(flat, VectorXd{{0.5 + 1e-8, 0.25}});
  EXPECT_EQ(anchor.hull.codimension(), 1U);
  EXPECT_DOUBLE_EQ(anchor.point[0], 0.5);
  EXPECT_DOUBLE_EQ(anchor.slack, 0.75);
  expect_refused<AnchorNotInterior>(flat, VectorXd{{0.5, 1}}, "row 2 has slack 0");
  expect_refused<AnchorNotInterior>(flat, VectorXd{{0.6, 0}}, "row 0 has slack -0.1");
}

TEST(CheckAnchor, APointOnTheHullIsKeptToTheBit) {
  const VectorXd point{{0.1, 0.2, 0.7}};
  EXPECT_EQ(check_anchor(Simplex(3), point).point, point);
}

TEST(CheckAnchor, SinglePrecisionNeedsRoomThatItCanResolve) {
  const Set thin = Box(VectorXd{{1e6}}, VectorXd{{1e6 + 1e-3}});
  EXPECT_NO_THROW(Projection<double>{thin});
  EXPECT_THROW(Projection<float>{thin}, AnchorNotInterior);
}

}  // namespace
}  // namespace softradial
