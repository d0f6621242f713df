// Random sets with a known interior point: one is found, the hull has the dimension that the construction gave it, and
// the point passes as an anchor of the user's.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "softradial/anchor.hpp"
#include "softradial/sets.hpp"
#include "support/specimen.hpp"

namespace softradial {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::Draw;

void expect_anchor(const Set& set, AnchorSearch search, std::size_t codimension) {
  const Anchor anchor = find_anchor(set, search);
  ASSERT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
  EXPECT_GT(anchor.slack, 0);
  EXPECT_EQ(anchor.hull.codimension(), codimension);
  EXPECT_EQ(check_anchor(set, anchor.point).hull.codimension(), codimension);
}

// Groups of rows at x0 whose directions cancel are implicit equalities; the others pass x0 at a distance.
TEST(RandomSets, PolyhedraWithImplicitEqualities) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed);
    const Index n = draw.integer(1, 12);
    const double scale = std::pow(10, draw.integer(-3, 3));
    const VectorXd x0 = scale * draw.vector(n);
    const int groups = draw.integer(0, 3);
    const Index strict = draw.integer(1, 30);
    MatrixXd A(4 * groups + strict, n);
    for (int g = 0; g < groups; ++g) {
      A.middleRows(4 * g, 3) = draw.matrix(3, n);
      A.row(4 * g + 3) = -A.middleRows(4 * g, 3).colwise().sum();
    }
    A.bottomRows(strict) = draw.matrix(strict, n);
    VectorXd b = A * x0;
    b.tail(strict) += scale * draw.vector(strict).cwiseAbs() + VectorXd::Constant(strict, 1e-3 * scale);
    std::size_t codimension = 0;
    if (groups > 0) {
      Eigen::ColPivHouseholderQR<MatrixXd> qr;
      qr.setThreshold(1e-9);
      codimension = static_cast<std::size_t>(qr.compute(A.topRows(4 * groups)).rank());
    }
    expect_anchor(Polyhedron(A, b), AnchorSearch::chebyshev, codimension);
    expect_anchor(Polyhedron(A, b), AnchorSearch::analytic, codimension);
  }
}

// Random rows through a point with room in each, in coordinates and rows of any units: the anchor is inside every row, and no
// dimension is lost to the tolerances of another unit.
void expect_all_dimensions(unsigned seed, double exponents, bool many_rows) {
  SCOPED_TRACE("units from 1e-" + std::to_string(exponents) + ", seed " + std::to_string(seed));
  Draw draw(seed);
  const Index n = draw.integer(1, 6);
  const Index m = draw.integer(static_cast<int>(n) + 1, many_rows ? 40 : 12);
  const Index k = draw.integer(0, 2) == 0 ? draw.integer(0, static_cast<int>(n) - 1) : 0;
  const auto anything = [&](Index count) -> Eigen::ArrayXd {
    return (exponents * draw.vector(count)).array().cwiseMax(-exponents).cwiseMin(exponents);
  };
  const VectorXd units = Eigen::pow(10.0, anything(n));
  const VectorXd lengths = Eigen::pow(10.0, anything(m) / 2);
  const VectorXd y = draw.vector(n);
  const VectorXd x = units.cwiseProduct(y);
  MatrixXd A = draw.matrix(m, n);
  const VectorXd room = A.cwiseAbs() * y.cwiseAbs() * 1e-4 + draw.vector(m).cwiseAbs();
  A = (lengths.asDiagonal() * A * units.cwiseInverse().asDiagonal()).eval();
  const VectorXd b = A * x + lengths.cwiseProduct(room);
  const MatrixXd E = draw.matrix(k, n) * units.cwiseInverse().asDiagonal();
  const Polyhedron set(A, b, E, E * x);
  for (const AnchorSearch search : {AnchorSearch::chebyshev, AnchorSearch::analytic}) {
    const Anchor anchor = find_anchor(set, search);
    ASSERT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
    EXPECT_EQ(anchor.hull.codimension(), static_cast<std::size_t>(k));
    EXPECT_TRUE(((b - A * anchor.point).array() > 0).all());
  }
}

TEST(RandomSets, PolyhedraInMixedUnits) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    for (const double exponents : {0.0, 3.0, 5.0, 7.0}) expect_all_dimensions(seed, exponents, seed % 2 == 0);
  }
}

// One random constraint, of any type, that x0 satisfies with a margin of delta, in units of the scale.
Set constraint_at(Draw& draw, const VectorXd& x0, double scale, double delta) {
  std::vector<const support::Specimen*> types;
  for (const support::Specimen& specimen : support::specimens()) {
    if (specimen.around) types.push_back(&specimen);
  }
  const int chosen = draw.integer(0, static_cast<int>(types.size()) - 1);
  return types[static_cast<std::size_t>(chosen)]->around(draw, x0, scale, delta);
}

TEST(RandomSets, IntersectionsOfCurvedConstraints) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed);
    const Index n = draw.integer(1, 10);
    const double scale = std::pow(10, draw.integer(-3, 3));
    const double delta = std::pow(10, -draw.integer(0, 5));
    const VectorXd x0 = scale * draw.vector(n);
    std::vector<Set> parts;
    for (int k = draw.integer(1, 4); k > 0; --k) parts.push_back(constraint_at(draw, x0, scale, delta));
    const bool flat = draw.integer(0, 3) == 0;
    if (flat) {
      const VectorXd a = draw.vector(n);
      MatrixXd A(2, n);
      A << a.transpose(), -a.transpose();
      parts.emplace_back(Polyhedron(A, VectorXd{{a.dot(x0), -a.dot(x0)}}));
    }
    expect_anchor(Intersection(parts), AnchorSearch::automatic, flat ? 1 : 0);
  }
}

}  // namespace
}  // namespace softradial
