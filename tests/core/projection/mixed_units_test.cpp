// Coordinates in different units, tied together by equalities: metres beside nanometres, prices beside shares.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/exact_judge.hpp"
#include "sets/sized_gauge.hpp"
#include "softradial/errors.hpp"
#include "softradial/projection.hpp"
#include "softradial/sets.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kDim = 6;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The box [0, 1]^n with equalities E y = f through its inside, in the coordinates x_j = unit_j y_j. Units are powers of two, so
// that E / unit has no rounding.
struct Case {
  VectorXd unit;
  MatrixXd E;
  VectorXd f;
};

Case random_case(support::RandomPoints& random, Index equalities, int exponents) {
  Case out{VectorXd(kDim), MatrixXd(equalities, kDim), VectorXd(equalities)};
  const VectorXd where = random.gaussian(kDim);
  const VectorXd inside = 0.5 + 0.3 * random.gaussian(kDim).array().tanh();
  for (Index j = 0; j < kDim; ++j) out.unit[j] = std::ldexp(1, static_cast<int>(exponents * std::tanh(where[j])));
  MatrixXd directions(kDim, kDim);
  for (Index k = 0; k < kDim; ++k) directions.col(k) = random.gaussian(kDim);
  const MatrixXd orthonormal = directions.householderQr().householderQ();
  out.E = orthonormal.topRows(equalities);
  out.f = out.E * inside;
  out.E = (out.E * out.unit.cwiseInverse().asDiagonal()).eval();
  return out;
}

// The same set, written in five ways.
std::vector<Set> writings(const Case& c) {
  const MatrixXd sides = MatrixXd::Identity(kDim, kDim);
  MatrixXd A(2 * kDim, kDim);
  A << sides, -sides;
  VectorXd b(2 * kDim);
  b << c.unit, VectorXd::Zero(kDim);
  const Set equalities = Polyhedron(MatrixXd(0, kDim), VectorXd(0), c.E, c.f);
  const Set box = Box(VectorXd::Zero(kDim), c.unit);
  const MatrixXd to_y = c.unit.cwiseInverse().asDiagonal();
  const Set unit_box = Box(VectorXd::Zero(kDim), VectorXd::Ones(kDim));
  return {Polyhedron(A, b, c.E, c.f), Polyhedron(SparseMatrix(A.sparseView()), b, SparseMatrix(c.E.sparseView()), c.f),
          Intersection({box, equalities}),
          Intersection({AffinePreimage(unit_box, to_y, VectorXd::Zero(kDim)), equalities}),
          Intersection(
              {Product({Box(VectorXd::Zero(2), c.unit.head(2)), Box(VectorXd::Zero(4), c.unit.tail(4))}), equalities})};
}

template <class T>
void expect_inside(const Case& c, const Set& set, support::RandomPoints& random) {
  const Projection<T> layer(set);
  EXPECT_EQ(layer.anchor().hull.codimension(), static_cast<std::size_t>(c.E.rows()));
  const VectorXd& u0 = layer.anchor().point;
  for (const double size : {1e-3, 1.0, 1e3, 1e12}) {
    const VectorXd u = size * random.gaussian(kDim).cwiseProduct(c.unit);
    const std::vector<T> row(u.begin(), u.end());
    const std::vector<T> x = layer({row.data(), 1, row.size()});
    for (Index j = 0; j < kDim; ++j) {
      const double here = x[static_cast<std::size_t>(j)];
      EXPECT_TRUE(here > 0 && here < c.unit[j]) << "x_" << j << " = " << here << " of " << c.unit[j];
    }
    for (Index k = 0; k < c.E.rows(); ++k) {
      long double off = c.f[k];
      long double terms = std::abs(c.f[k]);
      for (Index j = 0; j < kDim; ++j) {
        const double here = x[static_cast<std::size_t>(j)];
        off -= static_cast<long double>(c.E(k, j)) * here;
        terms += std::abs(c.E(k, j)) * std::max(std::abs(here), std::abs(u0[j]));
      }
      // Each of several equalities gets some of the rounding of the others.
      constexpr T kUlp = std::numeric_limits<T>::epsilon();
      const double most = (c.E.rows() == 1 ? 4.0 : 12.0) * kDim * kUlp;
      EXPECT_LE(std::abs(off), most * terms) << "equality " << k;
    }
  }
}

void expect_all_inside(Index equalities, int exponents) {
  const auto seed = static_cast<unsigned>(100 * equalities + exponents);
  support::RandomPoints random(seed);
  for (int trial = 0; trial < 10; ++trial) {
    const Case c = random_case(random, equalities, exponents);
    const std::vector<Set> sets = writings(c);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      SCOPED_TRACE(std::to_string(equalities) + " equalities, units from 2^-" + std::to_string(exponents) + " to 2^" +
                   std::to_string(exponents) + ", trial " + std::to_string(trial) + ", writing " + std::to_string(i));
      support::RandomPoints rows(seed + static_cast<unsigned>(trial));
      try {
        expect_inside<double>(c, sets[i], rows);
        expect_inside<float>(c, sets[i], rows);
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
}

// Every bound and every equality holds in its own units, however the set is written.
TEST(MixedUnits, OneEquality) {
  for (const int exponents : {0, 4, 10, 20, 26}) expect_all_inside(1, exponents);
}
TEST(MixedUnits, TwoEqualities) {
  for (const int exponents : {0, 4, 10, 16, 22, 26}) expect_all_inside(2, exponents);
}
TEST(MixedUnits, ThreeEqualities) {
  for (const int exponents : {0, 4, 10, 16, 22, 26}) expect_all_inside(3, exponents);
}
// The hull is a line.
TEST(MixedUnits, FiveEqualities) {
  for (const int exponents : {0, 4, 10, 16, 22, 26}) expect_all_inside(5, exponents);
}

// x_0 >= 0 is no constant where 1e12 x_0 + x_1 + x_2 = 1, though its normal is that of the equality up to 1e-12; x_1 = 0 is, where
// 5 x_1 <= 0 <= x_1, though the equality x_0 + 7e10 x_1 + x_2 = 0 lets it move as little.
TEST(MixedUnits, AFlatSetIsFlatInItsOwnUnits) {
  const MatrixXd A = (MatrixXd(3, 3) << 0, 5, 0, 0, -1, 0, 0, 0, -1).finished();
  const MatrixXd E = (MatrixXd(1, 3) << 1, 66666666663, 1).finished();
  const Projection<double> layer(Polyhedron(A, VectorXd::Zero(3), E, VectorXd::Zero(1)));
  EXPECT_EQ(layer.anchor().hull.codimension(), 2u);
  const std::vector<double> u = {1, 2, 3};
  const std::vector<double> x = layer({u.data(), 1, 3});
  EXPECT_EQ(x[1], 0);
  EXPECT_GT(x[2], 0);
  EXPECT_NEAR(x[0] + x[2], 0, 1e-15);
}

// x_0 = x_1, as two inequalities, beside 4 x_0 + c x_1 + x_2 = 6: of two normals, entries that are small beside those of another
// coordinate count as much.
TEST(MixedUnits, EqualitiesBesideALargeCoefficient) {
  const MatrixXd A = (MatrixXd(3, 3) << -1, 1, 0, 1, -1, 0, 0, 0, -1).finished();
  for (const double c : {10.0, 1e6, 1e12, 1e16, 1e18, 1e24, 1e36}) {
    SCOPED_TRACE(c);
    const MatrixXd E = (MatrixXd(1, 3) << 4, c, 1).finished();
    const Set set = Polyhedron(A, VectorXd::Zero(3), E, VectorXd::Constant(1, 6));
    const Projection<double> layer(set);
    ASSERT_EQ(layer.anchor().hull.codimension(), 2u);
    for (const double size : {0.0, 1.0, -1.0, 1e6, -1e6}) {
      const std::vector<double> u = {size, -size, size / 3};
      const std::vector<double> x = layer({u.data(), 1, 3});
      const VectorXd& u0 = layer.anchor().point;
      const double terms = 6 + (c + 4) * std::max(std::abs(x[1]), std::abs(u0[1])) + std::max(x[2], u0[2]);
      constexpr double kUlp = std::numeric_limits<double>::epsilon();
      EXPECT_LE(std::abs(4 * x[0] + c * x[1] + x[2] - 6), 48 * kUlp * terms);
      EXPECT_LE(std::abs(x[0] - x[1]), 48 * kUlp * std::max(std::abs(x[1]), u0.head(2).cwiseAbs().maxCoeff()));
      EXPECT_GT(x[2], 0);
    }
  }
}

// x_0 / c + c (x_1 + x_2) <= 3 where x_1 + x_2 = 2 / c: all of the row but x_0 / c is constant, and that is what bounds x_0.
template <class T>
void expect_the_rest_of_a_row_holds(double c) {
  SCOPED_TRACE(c);
  const MatrixXd A = (MatrixXd(4, 3) << 1 / c, c, c, -1 / c, 0, 0, 0, -c, 0, 0, 0, -c).finished();
  const VectorXd b{{3, 0, 0, 0}};
  const Projection<T> layer(Polyhedron(A, b, MatrixXd{{0, 1, 1}}, VectorXd::Constant(1, 2 / c)));
  EXPECT_EQ(layer.anchor().hull.codimension(), 1u);
  for (const double size : {1.0, c, 1e6 * c, 1e15 * c}) {
    const std::vector<T> u = {static_cast<T>(size), static_cast<T>(size / 3), static_cast<T>(-size)};
    const std::vector<T> x = layer({u.data(), 1, 3});
    for (Index i = 0; i < 4; ++i) {
      long double slack = b[i];
      for (Index j = 0; j < 3; ++j) slack -= static_cast<long double>(A(i, j)) * x[static_cast<std::size_t>(j)];
      EXPECT_GT(slack, 0) << "row " << i << ", u of " << size;
    }
  }
}

TEST(MixedUnits, WhatAnEqualityLeavesOfARowCounts) {
  for (const double c : {1.0, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}) {
    expect_the_rest_of_a_row_holds<double>(c);
    expect_the_rest_of_a_row_holds<float>(c);
  }
}

// x_1 <= 1 / t, as a row that is the equality up to t, however it is written.
TEST(MixedUnits, ARowThatIsAlmostAnEqualityHolds) {
  for (const double t : {1e-3, 1e-6, 1e-9, 1e-10, 1e-11, 1e-12}) {
    const MatrixXd row{{1, 1 + t, 1}};
    const MatrixXd sum{{1, 1, 1}};
    const VectorXd one = VectorXd::Ones(1);
    const Set plane = Polyhedron(MatrixXd(0, 3), VectorXd(0), sum, one);
    const Set below_two = Box(VectorXd::Constant(1, -kInfinity), 2 * one);
    const std::vector<Set> sets = {Polyhedron(row, 2 * one, sum, one), Intersection({Polyhedron(row, 2 * one), plane}),
                                   Intersection({AffinePreimage(below_two, row, VectorXd::Zero(1)), plane})};
    for (std::size_t i = 0; i < sets.size(); ++i) {
      SCOPED_TRACE("t = " + std::to_string(t) + ", writing " + std::to_string(i));
      const Projection<double> layer(sets[i]);
      for (const double size : {1.0, 1 / t, 1e3 / t, 1e100}) {
        const std::vector<double> u = {-size, size, 0.5};
        const std::vector<double> x = layer({u.data(), 1, 3});
        EXPECT_LT(static_cast<long double>(x[0]) + (1 + t) * static_cast<long double>(x[1]) + x[2], 2);
      }
    }
  }
}

// x = 9e-114 is no number of single precision, and 0 is no point of the set.
TEST(MixedUnits, AnEqualityBetweenTinyNumbersIsRefusedInSinglePrecision) {
  for (const double c : {1e50, 1e113}) {
    const MatrixXd sides = (MatrixXd(4, 2) << 1, 0, -1, 0, 0, 1, 0, -1).finished();
    const Set set = Polyhedron(sides, VectorXd{{10 / c, 0, 1, 0}}, MatrixXd{{c, 0}}, VectorXd{{6}});
    EXPECT_NO_THROW(Projection<double>{set});
    EXPECT_THROW(Projection<float>{set}, AnchorNotInterior);
  }
}

// x_1 = (6 - 4 x_0 - x_2) / c is no number of single precision from c = 1e38 on: the layer is refused, not wrong.
TEST(MixedUnits, CoefficientsThatAPrecisionCannotHoldAreRefused) {
  const MatrixXd A = (MatrixXd(3, 3) << -5, 1, 1, 1, -1, 0, 0, 0, -1).finished();
  for (const double c : {1e40, 8.9e64, 1e200}) {
    SCOPED_TRACE(c);
    const MatrixXd E = (MatrixXd(1, 3) << 4, c, 1).finished();
    const Set set = Polyhedron(A, VectorXd{{2, 0, 5}}, E, VectorXd::Constant(1, 6));
    EXPECT_NO_THROW(Projection<double>{set});
    EXPECT_THROW(Projection<float>{set}, AnchorNotInterior);
  }
}

// The map of hard radial type commutes with a change of units: p_SC(S u) = S p_C(u), coordinate by coordinate. So every coordinate
// keeps its reach, in units of its own: the guard takes a few ulp of each, not of the longest. And results are strictly inside.
class UnitsOf : public ::testing::TestWithParam<support::NamedSet> {};

template <class T>
void expect_units_do_not_matter(const Set& set, const Anchor& anchor, const VectorXd& sizes) {
  const auto dim = static_cast<Index>(set.dim());
  const Set in_y = set_in_sizes(set, sizes);
  const Projection<double> layer(set, HardRadial{}, {.anchor_point = anchor.point});
  const Projection<T> sized(in_y, HardRadial{}, {.anchor_point = anchor.point.cwiseQuotient(sizes)});
  std::optional<reference::ExactJudge> judge;
  // Functions of the user's have no data to judge by.
  if (set->describe().type != "level_set") {
    judge.emplace(AffinePreimage(set, sizes.asDiagonal(), VectorXd::Zero(dim)), sized.anchor().hull);
  }
  support::RandomPoints random(5);
  for (int trial = 0; trial < 40; ++trial) {
    // Along one coordinate, or along all of them.
    VectorXd d = random.gaussian(dim);
    if (trial % 2 == 0) d = (d[0] > 0 ? 1 : -1) * VectorXd::Unit(dim, trial / 2 % dim);
    for (const double size : {1e3, 1e9, 1e25}) {
      const VectorXd far = size * d.cwiseQuotient(sizes);
      const std::vector<T> row(far.begin(), far.end());
      const std::vector<T> y = sized({row.data(), 1, row.size()});
      if (judge) {
        EXPECT_TRUE(judge->judge(std::span<const T>(y)).inside) << "u of " << size;
      }
    }
    const VectorXd u = anchor.point + (trial % 4 < 2 ? 1 : 30) * d;
    const VectorXd u_y = u.cwiseQuotient(sizes);
    const std::vector<double> x = layer({u.data(), 1, set.dim()});
    const std::vector<T> row(u_y.begin(), u_y.end());
    const std::vector<T> y = sized({row.data(), 1, row.size()});
    for (Index j = 0; j < dim; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const double tolerance = 1e-2 * std::max(1.0, std::abs(x[at] - anchor.point[j])) + 1e-6 * std::abs(x[at]);
      EXPECT_NEAR(static_cast<double>(y[at]) * sizes[j], x[at], tolerance)
          << "x_" << j << " of " << dim << ", unit " << sizes[j];
    }
  }
}

constexpr std::array kExponents = {4, 20, 30};

// From 2^-exponents to 2^exponents.
VectorXd random_sizes(support::RandomPoints& random, std::size_t dim, int exponents) {
  VectorXd sizes(static_cast<Index>(dim));
  for (double& size : sizes) size = std::ldexp(1, static_cast<int>(exponents * std::tanh(random.gaussian(1)[0])));
  return sizes;
}

TEST_P(UnitsOf, DoNotMatter) {
  const Set& set = GetParam().set;
  const Anchor anchor = require_anchor(set);
  if (anchor.hull.codimension() > 0) return;  // what an equality leaves of u depends on its units
  support::RandomPoints random(3);
  for (const int exponents : kExponents) {
    SCOPED_TRACE("units to 2^" + std::to_string(exponents));
    const VectorXd sizes = random_sizes(random, set.dim(), exponents);
    expect_units_do_not_matter<double>(set, anchor, sizes);
    expect_units_do_not_matter<float>(set, anchor, sizes);
  }
}

TEST_P(UnitsOf, HideNoAnchor) {
  const Set& set = GetParam().set;
  support::RandomPoints random(7);
  for (const int exponents : kExponents) {
    SCOPED_TRACE("units to 2^" + std::to_string(exponents));
    const Anchor anchor = find_anchor(set_in_sizes(set, random_sizes(random, set.dim(), exponents)));
    EXPECT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
  }
}

// Preimages of a ball under maps of any condition, columns in units from 1e-8 to 1e8, around a point that is far from 0 in them:
// Newton's method begins far outside. They were called empty.
TEST(MixedUnits, CurvedSetsAreFoundFromAfar) {
  support::RandomPoints random(11);
  for (int trial = 0; trial < 200; ++trial) {
    const Index dim = 2 + trial % 4;
    MatrixXd A(dim, dim);
    VectorXd inside(dim);
    for (Index j = 0; j < dim; ++j) {
      const double unit = std::pow(10.0, 8 * std::tanh(random.gaussian(1)[0]));
      A.col(j) = random.gaussian(dim) / unit;
      inside[j] = 10 * unit * random.gaussian(1)[0];
    }
    const AffinePreimage set(Ball(VectorXd::Zero(dim), 1), A, -A * inside);
    const Anchor anchor = find_anchor(set);
    EXPECT_EQ(anchor.status, AnchorStatus::found) << "trial " << trial << ": " << anchor.reason;
  }
}

// Steepness says no less than how soon a set ends along a coordinate, on either side, in either precision, but for what the guard
// takes.
template <class T>
void expect_bounds_of_gauge(const Set& set, const Anchor& anchor) {
  const VectorXd point = anchor.point.cast<T>().template cast<double>();
  const GaugePtr<T> gauge = sized_gauge<T>(set, {point, anchor.hull});
  const auto scratch = gauge->make_scratch(1);
  const std::vector<double> steepness = gauge->steepness(set.dim());
  constexpr double kRounding = 16 * std::numeric_limits<T>::epsilon();
  for (std::size_t j = 0; j < set.dim(); ++j) {
    for (const T side : {T{1}, T{-1}}) {
      std::vector<T> d(set.dim());
      d[j] = side;
      GaugeAt<T> at;
      gauge->evaluate(Rows<const T>(d.data(), 1, d.size()), {&at, 1}, *scratch);
      EXPECT_LE(static_cast<double>(at.gamma), steepness[j] / (1 - gauge->sigma()) * (1 + kRounding)) << "x_" << j;
    }
  }
}

TEST_P(UnitsOf, AreBoundedBySteepness) {
  const Set& set = GetParam().set;
  const Anchor anchor = require_anchor(set);
  expect_bounds_of_gauge<double>(set, anchor);
  expect_bounds_of_gauge<float>(set, anchor);
}

INSTANTIATE_TEST_SUITE_P(Zoo, UnitsOf, ::testing::ValuesIn(support::set_zoo()), support::NameOfSet());

}  // namespace
}  // namespace softradial
