// Sets without an interior of their own: the affine hull is found, implicit equalities included.
#include <gtest/gtest.h>

#include "softradial/anchor.hpp"
#include "softradial/projection.hpp"
#include "softradial/sets.hpp"
#include "support/specimen.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// The hull has the codimension expected, and the projection lands on it.
void expect_codimension(const Set& set, std::size_t codimension) {
  const Anchor anchor = find_anchor(set);
  ASSERT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
  EXPECT_EQ(anchor.hull.codimension(), codimension);
  const Projection<double> layer(set);
  auto workspace = layer.make_workspace();
  const VectorXd u = VectorXd::LinSpaced(static_cast<Eigen::Index>(set.dim()), -3, 5);
  VectorXd x(u.size());
  layer.project({u.data(), 1, set.dim()}, {x.data(), 1, set.dim()}, workspace);
  const VectorXd residual = anchor.hull.normals * x - anchor.hull.offsets;
  EXPECT_LE(residual.norm(), 1e-12 * (1 + x.norm()));
}

TEST(FlatSets, TwoOppositeHalfspaces) {
  const MatrixXd A{{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  expect_codimension(Polyhedron(A, VectorXd{{0, 0, 1, 1}}), 1);
}

TEST(FlatSets, ChainOfInequalities) {
  // x1 <= x2 <= x3 <= x1, all in [0, 1]
  const MatrixXd A{{1, -1, 0}, {0, 1, -1}, {-1, 0, 1}, {1, 0, 0}, {-1, 0, 0}};
  expect_codimension(Polyhedron(A, VectorXd{{0, 0, 0, 1, 0}}), 2);
}

TEST(FlatSets, SinglePoint) {
  const MatrixXd A{{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  expect_codimension(Polyhedron(A, VectorXd{{1, -1, 2, -2}}), 2);
}

TEST(FlatSets, SimplexByInequalitiesAlone) {
  MatrixXd A(5, 3);
  A << 1, 1, 1, -1, -1, -1, -MatrixXd::Identity(3, 3);
  expect_codimension(Polyhedron(A, VectorXd{{1, -1, 0, 0, 0}}), 1);
}

TEST(FlatSets, DeclaredEqualitiesMakeAnInequalityTight) {
  // x1 + x2 = 0 with x >= 0: only the origin.
  expect_codimension(Polyhedron(-MatrixXd::Identity(2, 2), VectorXd::Zero(2), MatrixXd{{1, 1}}, VectorXd::Zero(1)), 2);
}

TEST(FlatSets, DependentEqualitiesCountOnce) {
  const MatrixXd E{{1, 1, 0}, {2, 2, 0}};
  expect_codimension(Polyhedron(MatrixXd{{0, 0, 1}}, VectorXd::Ones(1), E, VectorXd{{1, 2}}), 1);
}

TEST(FlatSets, FixedCoordinateOfABox) { expect_codimension(Box(VectorXd{{0, 0.5, -1}}, VectorXd{{1, 0.5, 1}}), 1); }

TEST(FlatSets, OfEveryType) {
  for (const auto& [set, codimension] : support::gather(&support::Specimen::codimensions)) {
    SCOPED_TRACE(to_string(set));
    expect_codimension(set, codimension);
  }
}

TEST(FlatSets, CapsThatAddUpToTheSum) { expect_codimension(CappedSimplex(4, 0.25), 4); }

TEST(FlatSets, BallCutToADisc) {
  const MatrixXd A{{1, 0, 0}, {-1, 0, 0}};
  expect_codimension(Intersection({Ball(VectorXd::Zero(3), 1), Polyhedron(A, VectorXd{{0.2, -0.2}})}), 1);
}

}  // namespace
}  // namespace softradial
