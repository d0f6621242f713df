#include "softradial/affine_hull.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "set_access.hpp"

namespace softradial::testing {
namespace {

const AffineHull kPlane{.normals = mat({{0.6, 0.8, 0}}), .offsets = vec({2})};

TEST(AffineHull, WholeSpaceHasNoNormals) {
  const AffineHull space = AffineHull::whole_space(3);
  EXPECT_EQ(space.dim(), 3u);
  EXPECT_EQ(space.codimension(), 0u);
  EXPECT_EQ(space.along(vec({1, 2, 3})), vec({1, 2, 3}));
  EXPECT_DOUBLE_EQ(HullReach(space).length(vec({3, 0, 4})), 5);
  EXPECT_EQ(space.project(vec({1, 2, 3})), vec({1, 2, 3}));
}

TEST(AffineHull, ReachIsTheLengthOfTheDirectionsThatStayInTheHull) {
  const HullReach reach(kPlane);
  EXPECT_EQ(reach.length(vec({3, 4, 0})), 0);
  EXPECT_DOUBLE_EQ(reach.length(vec({0, 0, -7})), 7);
  EXPECT_DOUBLE_EQ(reach.length(vec({1, 0, 0})), 0.8);
  EXPECT_DOUBLE_EQ(reach.length(vec({1e300, 0, 0})), 0.8e300);
  EXPECT_DOUBLE_EQ(reach.length(vec({1e-300, 0, 0})), 0.8e-300);
  EXPECT_EQ(reach.length(vec({0, 0, 0})), 0);
  EXPECT_DOUBLE_EQ(reach.coordinate(0), 0.8);
  EXPECT_DOUBLE_EQ(reach.coordinate(1), 0.6);
  EXPECT_EQ(reach.coordinate(2), 1);
}

// 1e12 x_0 + x_1 + x_2 = 1: x_0 moves by 1e-12 and is not fixed; the equality's own row is constant.
TEST(AffineHull, ReachIsJudgedInUnitsOfTheCoordinate) {
  AffineHull hull{.normals = mat({{1, 1e-12, 1e-12}}), .offsets = vec({1e-12}), .rounding = 0};
  const HullReach reach(hull);
  EXPECT_NEAR(reach.coordinate(0), std::sqrt(2) * 1e-12, 1e-27);
  EXPECT_NEAR(reach.length(vec({5, 0, 0})), std::sqrt(50) * 1e-12, 1e-26);
  EXPECT_EQ(reach.length(vec({1e12, 1, 1})), 0);
  EXPECT_NEAR(reach.length(vec({1e12, 1, 2})), 1, 1e-3);
  hull.rounding = 1e-9;
  EXPECT_EQ(HullReach(hull).coordinate(0), 0);
}

// On x_1 + x_2 = c the row (t, 1, 1) moves by t alone, however small t is; one that touches is constant from 1e-9 on.
TEST(AffineHull, ReachIsJudgedCoordinateByCoordinate) {
  const double half = std::sqrt(0.5);
  const AffineHull hull{.normals = mat({{0, half, half}}), .offsets = vec({half}), .rounding = 0};
  const HullReach reach(hull);
  for (const double t : {1e-3, 1e-9, 1e-12, 1e-16}) EXPECT_NEAR(reach.length(vec({t, 1, 1})), t, 1e-6 * t);
  EXPECT_EQ(reach.length(vec({0, 1, 1 + 1e-10})), 0);
  const LinearSystem::Row row{.entries = {{1, 1}, {2, 1 + 1e-10}}, .bound = 1, .name = "row"};
  EXPECT_EQ(reach.length(row, vec({0, 0.5, 0.5})), 0);
  EXPECT_NEAR(reach.length(row, vec({0, 0.5, 0.4})), half * 1e-10, 1e-15);
}

TEST(AffineHull, ProjectIsOrthogonal) {
  const Eigen::VectorXd x = kPlane.project(vec({1, 1, 5}));  // N x = 1.4: moves by 0.6 along the normal
  EXPECT_TRUE(x.isApprox(vec({1.36, 1.48, 5}), 1e-15));
}

}  // namespace
}  // namespace softradial::testing
