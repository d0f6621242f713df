// The largest eigenvalue alone is that of the whole spectrum, for matrices of every order, size and structure.
#include "algebra/symmetric_eigen.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace softradial {
namespace {

template <class T>
class LargestEigenvalue : public ::testing::Test {
 protected:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  static void expect_that_of_the_spectrum(const Matrix& symmetric) {
    const Eigen::Index order = symmetric.rows();
    const SymmetricEigen<T> all(symmetric, SymmetricEigen<T>::Want::values);
    SymmetricEigen<T> solver(order);
    const T bound = 4 * static_cast<T>(order) * std::numeric_limits<T>::epsilon() * symmetric.cwiseAbs().maxCoeff();
    EXPECT_NEAR(solver.largest(symmetric), all.values()[order - 1], static_cast<T>(order) * bound) << symmetric;
  }
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LargestEigenvalue, Precisions);

TYPED_TEST(LargestEigenvalue, OfRandomMatricesOfEverySize) {
  std::mt19937 engine(1);
  std::normal_distribution<TypeParam> draw;
  for (const Eigen::Index order : {1, 2, 3, 5, 10, 50}) {
    for (const TypeParam scale : {TypeParam(1e-30), TypeParam(1), TypeParam(1e30)}) {
      const typename TestFixture::Matrix half =
          TestFixture::Matrix::NullaryExpr(order, order, [&](Eigen::Index, Eigen::Index) { return draw(engine); });
      this->expect_that_of_the_spectrum(scale * (half + half.transpose()));
      this->expect_that_of_the_spectrum(-scale * (half * half.transpose()));
    }
  }
}

TYPED_TEST(LargestEigenvalue, OfDiagonalEqualAndZeroMatrices) {
  using Square = typename TestFixture::Matrix;
  this->expect_that_of_the_spectrum(Square::Zero(4, 4));
  this->expect_that_of_the_spectrum(Square::Identity(4, 4));
  this->expect_that_of_the_spectrum(-Square::Identity(4, 4));
  this->expect_that_of_the_spectrum(Square::Ones(6, 6));
  Square diagonal = Square::Zero(3, 3);
  diagonal.diagonal() << -1, 5, 2;
  this->expect_that_of_the_spectrum(diagonal);
}

// What is above the diagonal is not read.
TYPED_TEST(LargestEigenvalue, OfTheLowerTriangle) {
  using Square = typename TestFixture::Matrix;
  Square lower = Square::Zero(2, 2);
  lower << 1, 100, 2, 1;
  SymmetricEigen<TypeParam> solver(2);
  EXPECT_NEAR(solver.largest(lower), 3, 1e-5);
}

}  // namespace
}  // namespace softradial
