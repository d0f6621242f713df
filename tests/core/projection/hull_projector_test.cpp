// The projection onto an affine hull, for blocks of rows: against exact products, whatever lies along the normals.
#include "hull_projector.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace softradial {
namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

AffineHull random_hull(Eigen::Index dim, Eigen::Index codimension) {
  std::srand(7);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(Eigen::MatrixXd::Random(dim, codimension));
  const Eigen::MatrixXd Q = qr.householderQ() * Eigen::MatrixXd::Identity(dim, codimension);
  return {.normals = Q.transpose(), .offsets = Eigen::VectorXd::Zero(codimension)};
}

template <class T>
std::vector<T> normal_rows(std::size_t count, std::size_t dim, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<T> draw;
  std::vector<T> values(count * dim);
  for (T& v : values) v = draw(engine);
  return values;
}

template <class T>
class HullProjectorTest : public testing::Test {
 protected:
  static constexpr std::size_t kDim = 100;
  static constexpr std::size_t kRows = 37;  // two tiles, fours and single rows
  static constexpr T kEps = std::numeric_limits<T>::epsilon();

  static std::vector<T> projected(const HullProjector<T>& hull, std::vector<T> rows) {
    const std::size_t count = rows.size() / kDim;
    HullScratch<T> scratch(hull, count);
    hull.project(Rows<T>(rows.data(), count, kDim), scratch);
    return rows;
  }

  // Expects N d = 0 up to rounding of d itself, and d = P u up to rounding of u; N itself is orthonormal to a few ulp only.
  static void expect_projection(const AffineHull& hull, const T* u, const T* d) {
    LongVector from(kDim);
    LongVector to(kDim);
    for (std::size_t j = 0; j < kDim; ++j) {
      from[static_cast<Eigen::Index>(j)] = u[j];
      to[static_cast<Eigen::Index>(j)] = d[j];
    }
    const LongMatrix N = hull.normals.cast<long double>();
    const LongVector exact = from - N.transpose() * (N * from);
    EXPECT_LE((to - exact).norm(), 16 * kEps * from.norm());
    EXPECT_LE((N * to).norm(), 16 * kEps * to.norm());
  }
};

using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(HullProjectorTest, Precisions);

TYPED_TEST(HullProjectorTest, LeavesNoNormalPart) {
  using T = TypeParam;
  for (const Eigen::Index codimension : {1, 3, 4, 10, 50, 90, 99}) {
    SCOPED_TRACE(codimension);
    const AffineHull hull = random_hull(this->kDim, codimension);
    const HullProjector<T> projector(hull);
    // Offsets along the normals of every size, from none to far beyond the row's own.
    std::vector<T> u = normal_rows<T>(this->kRows, this->kDim, 1);
    for (std::size_t i = 0; i < this->kRows; ++i) {
      const double offset = i % 3 == 0 ? 0 : std::pow(10.0, static_cast<double>(i % 6));
      for (std::size_t j = 0; j < this->kDim; ++j) {
        u[i * this->kDim + j] += static_cast<T>(offset * hull.normals(0, static_cast<Eigen::Index>(j)));
      }
    }
    const std::vector<T> d = this->projected(projector, u);
    for (std::size_t i = 0; i < this->kRows; ++i) {
      SCOPED_TRACE(i);
      this->expect_projection(hull, &u[i * this->kDim], &d[i * this->kDim]);
    }
  }
}

TYPED_TEST(HullProjectorTest, RowAloneAndInABatchAgreeBitForBit) {
  using T = TypeParam;
  for (const Eigen::Index codimension : {3, 10, 50}) {
    const HullProjector<T> projector(random_hull(this->kDim, codimension));
    std::vector<T> u = normal_rows<T>(this->kRows, this->kDim, 2);
    for (std::size_t j = 0; j < this->kDim; ++j) u[5 * this->kDim + j] += static_cast<T>(1e4);
    const std::vector<T> d = this->projected(projector, u);
    for (std::size_t i = 0; i < this->kRows; ++i) {
      const auto first = static_cast<std::ptrdiff_t>(i * this->kDim);
      const std::vector<T> alone(u.begin() + first, u.begin() + first + static_cast<std::ptrdiff_t>(this->kDim));
      const std::vector<T> result = this->projected(projector, alone);
      EXPECT_TRUE(std::equal(result.begin(), result.end(), d.begin() + first)) << "row " << i;
    }
  }
}

// What is left of a multiple of the normals is rounding, in no direction: nothing of it may pass for a direction.
TYPED_TEST(HullProjectorTest, MultiplesOfTheNormalsVanish) {
  using T = TypeParam;
  const AffineHull hull = random_hull(this->kDim, 50);
  const HullProjector<T> projector(hull);
  for (const double size : {1e-30, 1.0, 1e8}) {
    std::vector<T> u(this->kDim);
    for (std::size_t j = 0; j < this->kDim; ++j) {
      u[j] = static_cast<T>(size * hull.normals(3, static_cast<Eigen::Index>(j)));
    }
    const std::vector<T> d = this->projected(projector, u);
    this->expect_projection(hull, u.data(), d.data());
  }
}

// A point has no directions: every row becomes 0, also where the last passes are among numbers that products round to 0.
TYPED_TEST(HullProjectorTest, NothingIsLeftOnAPoint) {
  using T = TypeParam;
  for (const Eigen::Index dim : {2, 3, 5, 8}) {
    for (int trial = 0; trial < 20; ++trial) {
      const HullProjector<T> projector(random_hull(dim, dim));
      for (const T size : {T{1e-30F}, T{1}, T{1e6F}, std::numeric_limits<T>::max() / 16}) {
        std::vector<T> d = normal_rows<T>(1, static_cast<std::size_t>(dim), static_cast<unsigned>(trial));
        for (T& v : d) v *= size;
        HullScratch<T> scratch(projector, 1);
        projector.project(Rows<T>(d.data(), 1, d.size()), scratch);
        for (const T v : d) EXPECT_EQ(v, 0) << dim << ", " << size;
      }
    }
  }
}

// Coordinates in units from 1e-7 to 1e7, each of which moves as far as its unit: the terms of N d are all alike, and 1e-14 of |d|.
// The normal part of a row may be of any size between the two.
TYPED_TEST(HullProjectorTest, NothingIsLeftBesideTheTermsOfTheNormal) {
  using T = TypeParam;
  constexpr int kUnits = 15;
  AffineHull hull = AffineHull::whole_space(kUnits);
  Eigen::VectorXd normal(kUnits);
  for (Eigen::Index j = 0; j < kUnits; ++j) normal[j] = std::pow(10.0, static_cast<double>(7 - j));
  hull.normals = normal.normalized().transpose();
  hull.offsets = Eigen::VectorXd::Zero(1);
  const HullProjector<T> projector(hull, Units::mixed);
  for (int power = -8; power <= 16; ++power) {
    std::vector<T> d = normal_rows<T>(1, kUnits, static_cast<unsigned>(power + 8));
    for (std::size_t j = 0; j < kUnits; ++j) {
      const auto at = static_cast<Eigen::Index>(j);
      d[j] = static_cast<T>(static_cast<double>(d[j]) / normal[at] + std::pow(10.0, power) * hull.normals(0, at));
    }
    projector.project(std::span<T>(d));
    const Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>> row(d.data(), kUnits);
    const LongVector terms =
        hull.normals.row(0).transpose().cast<long double>().cwiseProduct(row.template cast<long double>());
    EXPECT_LE(std::abs(terms.sum()), 4 * this->kEps * terms.cwiseAbs().sum()) << "normal part of 1e" << power;
  }
}

TYPED_TEST(HullProjectorTest, NanStaysInItsRow) {
  using T = TypeParam;
  const HullProjector<T> projector(random_hull(this->kDim, 10));
  std::vector<T> u = normal_rows<T>(this->kRows, this->kDim, 3);
  const std::vector<T> clean = this->projected(projector, u);
  u[2 * this->kDim + 7] = std::numeric_limits<T>::quiet_NaN();
  u[20 * this->kDim + 7] = std::numeric_limits<T>::infinity();
  const std::vector<T> d = this->projected(projector, u);
  for (std::size_t i = 0; i < d.size(); ++i) {
    if (i / this->kDim == 2 || i / this->kDim == 20) {
      EXPECT_FALSE(std::isfinite(d[i])) << i;
    } else {
      EXPECT_EQ(d[i], clean[i]) << i;
    }
  }
}

// Normals of two blocks that share no coordinate: what is rounding of the large block is not left in the small one. Dust that a
// decomposition leaves in the other block ties nothing together.
TYPED_TEST(HullProjectorTest, BlocksAreProjectedInTheirOwnUnits) {
  using T = TypeParam;
  constexpr Eigen::Index kHalf = TestFixture::kDim / 2;
  for (const Eigen::Index codimension : {1, 2, 10}) {
    AffineHull hull = AffineHull::whole_space(this->kDim);
    hull.normals = Eigen::MatrixXd::Constant(2 * codimension, this->kDim, 1e-20);
    for (Eigen::Index k = 0; k < 2; ++k) {
      hull.normals.block(k * codimension, k * kHalf, codimension, kHalf) = random_hull(kHalf, codimension).normals;
    }
    hull.offsets = Eigen::VectorXd::Zero(2 * codimension);
    const HullProjector<T> projector(hull);
    std::vector<T> u = normal_rows<T>(this->kRows, this->kDim, 4);
    for (std::size_t i = 0; i < u.size(); ++i) {
      const std::size_t j = i % this->kDim;
      // The first block is large, the second has a large offset along its first normal.
      u[i] = j < static_cast<std::size_t>(kHalf)
                 ? u[i] * T{1e15F}
                 : u[i] + T{1e10F} * static_cast<T>(hull.normals(codimension, static_cast<Eigen::Index>(j)));
    }
    const std::vector<T> d = this->projected(projector, u);
    for (std::size_t i = 0; i < this->kRows; ++i) {
      const Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>> row(&d[i * this->kDim], this->kDim);
      const LongVector small = row.tail(kHalf).template cast<long double>();
      const LongMatrix normals = hull.normals.bottomRightCorner(codimension, kHalf).cast<long double>();
      EXPECT_LE((normals * small).cwiseAbs().maxCoeff(), 64 * this->kEps * small.norm()) << i;
    }
  }
}

}  // namespace
}  // namespace softradial
