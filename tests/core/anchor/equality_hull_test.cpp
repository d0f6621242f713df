// The hull of stated equalities: rank, orthonormal normals, exact fixed coordinates, contradictions by name.
#include "anchor/equality_hull.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace softradial {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<LinearSystem::Row> rows(const MatrixXd& E, const VectorXd& f) {
  std::vector<LinearSystem::Row> result;
  for (Index k = 0; k < E.rows(); ++k) {
    LinearSystem::Row row{.entries = {}, .bound = f[k], .name = "equality " + std::to_string(k)};
    for (Index j = 0; j < E.cols(); ++j) row.entries.push_back({static_cast<std::size_t>(j), E(k, j)});
    result.push_back(std::move(row));
  }
  return result;
}

EqualityHull hull_of(const MatrixXd& E, const VectorXd& f) {
  return equality_hull(static_cast<std::size_t>(E.cols()), rows(E, f));
}

TEST(EqualityHull, NoneIsTheWholeSpace) {
  const EqualityHull found = equality_hull(100000, {});
  EXPECT_EQ(found.status, AnchorStatus::found);
  EXPECT_EQ(found.hull.codimension(), 0U);
  EXPECT_EQ(found.hull.dim(), 100000U);
}

TEST(EqualityHull, SumHasTheConstantNormal) {
  const EqualityHull found = hull_of(MatrixXd::Ones(1, 7), VectorXd{{3}});
  ASSERT_EQ(found.status, AnchorStatus::found);
  EXPECT_EQ(found.hull.normals, MatrixXd::Constant(1, 7, 1 / std::sqrt(7.0)));
  EXPECT_DOUBLE_EQ(found.hull.offsets[0], 3 / std::sqrt(7.0));
}

TEST(EqualityHull, EqualitiesInOneCoordinateFixItExactly) {
  // x1 = 0.1 leaves 2 x2 = 0.6 of the second row: a triangle of fixed coordinates.
  const EqualityHull found = hull_of(MatrixXd{{0, 3, 0, 0}, {0, 1, 2, 0}, {1, 1, 0, 1}}, VectorXd{{0.3, 0.7, 5}});
  ASSERT_EQ(found.status, AnchorStatus::found);
  ASSERT_EQ(found.hull.codimension(), 3U);
  EXPECT_EQ(found.hull.normals.row(0), VectorXd::Unit(4, 1).transpose());
  EXPECT_EQ(found.hull.normals.row(1), VectorXd::Unit(4, 2).transpose());
  EXPECT_EQ(found.hull.normals(2, 1), 0);
  EXPECT_DOUBLE_EQ(found.hull.offsets[0], 0.1);
  EXPECT_DOUBLE_EQ(found.hull.offsets[1], 0.3);
}

TEST(EqualityHull, DependentRowsCountOnceWhateverTheirScale) {
  std::mt19937 engine(5);
  std::normal_distribution<double> normal;
  const MatrixXd basis = MatrixXd::NullaryExpr(4, 12, [&] { return normal(engine); });
  const MatrixXd mix = MatrixXd::NullaryExpr(9, 4, [&] { return normal(engine); });
  const VectorXd scales = VectorXd::NullaryExpr(9, [&] { return std::pow(10, 3 * normal(engine)); });
  const MatrixXd E = scales.asDiagonal() * mix * basis;
  const VectorXd x = VectorXd::NullaryExpr(12, [&] { return normal(engine); });
  const EqualityHull found = hull_of(E, E * x);
  ASSERT_EQ(found.status, AnchorStatus::found) << found.reason;
  EXPECT_EQ(found.hull.codimension(), 4U);
  EXPECT_EQ(found.independent.size(), 4U);
  EXPECT_LE((found.hull.normals * found.hull.normals.transpose() - MatrixXd::Identity(4, 4)).norm(), 1e-14);
  EXPECT_LE((found.hull.normals * x - found.hull.offsets).norm(), 1e-13 * x.norm());
}

TEST(EqualityHull, NamesTheRowsOfAContradiction) {
  const EqualityHull found = hull_of(MatrixXd{{1, 1, 0}, {0, 1, 1}, {5, 0, 1}, {1, 2, 1}}, VectorXd{{1, 1, 9, 3}});
  EXPECT_EQ(found.status, AnchorStatus::empty);
  for (const std::string name : {"equality 0", "equality 1", "equality 3"}) {
    EXPECT_NE(found.reason.find(name), std::string::npos) << found.reason;
  }
  EXPECT_EQ(found.reason.find("equality 2"), std::string::npos) << found.reason;
}

TEST(EqualityHull, ContradictionsOfFixedCoordinatesAndOfNothing) {
  EXPECT_EQ(hull_of(MatrixXd{{2, 0}, {1, 0}}, VectorXd{{1, 1}}).status, AnchorStatus::empty);
  EXPECT_EQ(hull_of(MatrixXd{{0, 0}}, VectorXd{{1e-300}}).status, AnchorStatus::empty);
  EXPECT_EQ(hull_of(MatrixXd{{0, 0}}, VectorXd{{0}}).hull.codimension(), 0U);
}

TEST(EqualityHull, RoundingIsNoContradiction) {
  EXPECT_EQ(hull_of(MatrixXd{{1, 1}, {1, 1}}, VectorXd{{0.1 + 0.2, 0.3}}).status, AnchorStatus::found);
  EXPECT_EQ(hull_of(MatrixXd{{1, 0}, {1, 0}}, VectorXd{{0.1 + 0.2, 0.3}}).status, AnchorStatus::found);
}

// Dense normals of 60 000 x 100 000 are not to be had: an answer, not a failed allocation.
TEST(EqualityHull, TooManyFixedCoordinatesAreReported) {
  std::vector<LinearSystem::Row> equalities;
  for (std::size_t j = 0; j < 60000; ++j) {
    equalities.push_back({.entries = {{j, 1.0}}, .bound = 0, .name = "fixed coordinate " + std::to_string(j)});
  }
  EXPECT_EQ(equality_hull(100000, equalities).status, AnchorStatus::not_found);
}

}  // namespace
}  // namespace softradial
