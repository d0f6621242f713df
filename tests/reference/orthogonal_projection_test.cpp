#include "reference/orthogonal_projection.hpp"

#include <gtest/gtest.h>

namespace softradial::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(OrthogonalProjection, CappedSimplexByHand) {
  // Unit caps: the simplex. (2, 0, 0) goes to its corner; (0.5, 0.5, 0.5) loses 1/6 everywhere.
  const VectorXd ones = VectorXd::Ones(3);
  EXPECT_TRUE(nearest_in_capped_simplex(VectorXd::Unit(3, 0) * 2, ones, 1).isApprox(VectorXd::Unit(3, 0), 1e-12));
  EXPECT_TRUE(nearest_in_capped_simplex(ones / 2, ones, 1).isApprox(ones / 3, 1e-12));
  // A cap of 0.4 binds: (0.4, 0.3, 0.3).
  const VectorXd capped = nearest_in_capped_simplex(VectorXd::Unit(3, 0), 0.4 * ones, 1);
  EXPECT_TRUE(capped.isApprox((VectorXd(3) << 0.4, 0.3, 0.3).finished(), 1e-12));
}

TEST(OrthogonalProjection, PolyhedronAgreesWithTheCappedSimplexAndTheCorner) {
  MatrixXd triangle(3, 2);
  triangle << -1, 0, 0, -1, 1, 1;
  const VectorXd b = (VectorXd(3) << 0, 0, 1).finished();
  const VectorXd corner = nearest_in_polyhedron((VectorXd(2) << 3, -1).finished(), triangle, b);
  EXPECT_LT((corner - VectorXd::Unit(2, 0)).norm(), 1e-12);
  const VectorXd edge = nearest_in_polyhedron((VectorXd(2) << 1, 1).finished(), triangle, b);
  EXPECT_LT((edge - VectorXd::Constant(2, 0.5)).norm(), 1e-12);
  const VectorXd kept = VectorXd::Constant(2, 0.25);
  EXPECT_EQ(nearest_in_polyhedron(kept, triangle, b), kept);
}

TEST(OrthogonalProjection, Ball) {
  const VectorXd u = (VectorXd(2) << 6, 8).finished();
  EXPECT_LT((nearest_in_ball(u, VectorXd::Zero(2), 5) - u / 2).norm(), 1e-15);
}

}  // namespace
}  // namespace softradial::reference
