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
  EXPECT_EQ(space.freedom(vec({1, 2, 3})), 1);
  EXPECT_EQ(space.project(vec({1, 2, 3})), vec({1, 2, 3}));
}

TEST(AffineHull, FreedomIsTheShareOfADirectionThatStaysInTheHull) {
  EXPECT_LT(kPlane.freedom(vec({3, 4, 0})), 1e-15);
  EXPECT_DOUBLE_EQ(kPlane.freedom(vec({0, 0, -7})), 1);
  EXPECT_DOUBLE_EQ(kPlane.freedom(vec({1, 0, 0})), 0.8);
  EXPECT_DOUBLE_EQ(kPlane.freedom(vec({1e300, 0, 0})), 0.8);
  EXPECT_DOUBLE_EQ(kPlane.freedom(vec({1e-300, 0, 0})), 0.8);
  EXPECT_EQ(kPlane.freedom(vec({0, 0, 0})), 0);
}

TEST(AffineHull, ProjectIsOrthogonal) {
  const Eigen::VectorXd x = kPlane.project(vec({1, 1, 5}));  // N x = 1.4: moves by 0.6 along the normal
  EXPECT_TRUE(x.isApprox(vec({1.36, 1.48, 5}), 1e-15));
}

}  // namespace
}  // namespace softradial::testing
