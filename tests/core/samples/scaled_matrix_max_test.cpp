// The matrix kernel with scales that change from row to row, against the loop that it stands for.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "sets/rows/matrix_max_kernels.hpp"
#include "support/batch.hpp"
#include "support/random_points.hpp"

namespace softradial {
namespace {

using support::Batch;

template <class T>
struct Problem {
  Batch<T> W;
  Batch<T> d;
  Batch<T> scales;  // filled up with zeros to whole panels

  Problem(std::size_t num_rows, std::size_t num_columns, std::size_t count)
      : W(num_rows, num_columns), d(count, num_columns), scales(count, padded(num_rows)) {}

  static std::size_t padded(std::size_t num_rows) {
    constexpr std::size_t kPanel = kernels::kPanelRows<T>;
    return (num_rows + kPanel - 1) / kPanel * kPanel;
  }
};

template <class T>
struct Maxima {
  std::vector<T> best;
  std::vector<std::int32_t> index;
};

template <class T>
Maxima<T> scaled_matrix_max(const Problem<T>& problem) {
  kernels::Panels<T> panels(problem.W.count(), problem.W.dim());
  for (std::size_t i = 0; i < problem.W.count(); ++i) {
    for (std::size_t k = 0; k < problem.W.dim(); ++k) panels.set(i, k, problem.W[i][k]);
  }
  kernels::MatrixMaxScratch<T> scratch(problem.d.count());
  Maxima<T> out{std::vector<T>(problem.d.count()), std::vector<std::int32_t>(problem.d.count())};
  kernels::scaled_matrix_max(panels, problem.d.view(), problem.scales.view(), out.best.data(), out.index.data(),
                             scratch);
  return out;
}

template <class T>
T naive_entry(const Problem<T>& problem, std::size_t r, std::size_t i) {
  T sum = 0;
  for (std::size_t k = 0; k < problem.W.dim(); ++k) sum = std::fma(problem.W[i][k], problem.d[r][k], sum);
  return problem.scales[r][i] * sum;
}

template <class T>
Maxima<T> naive(const Problem<T>& problem) {
  Maxima<T> out{std::vector<T>(problem.d.count()), std::vector<std::int32_t>(problem.d.count(), -1)};
  for (std::size_t r = 0; r < problem.d.count(); ++r) {
    for (std::size_t i = 0; i < problem.W.count(); ++i) {
      const T value = naive_entry(problem, r, i);
      if (value > out.best[r]) {
        out.best[r] = value;
        out.index[r] = static_cast<std::int32_t>(i);
      }
    }
  }
  return out;
}

template <class T>
class ScaledMatrixMax : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ScaledMatrixMax, Precisions);

// Multiplications that are not fused round once more than the loop's.
TYPED_TEST(ScaledMatrixMax, IsTheNaiveLoop) {
  using T = TypeParam;
  support::RandomPoints random(1);
  constexpr std::size_t kPanel = kernels::kPanelRows<T>;
  for (const std::size_t m : {std::size_t{1}, std::size_t{5}, kPanel - 1, kPanel, kPanel + 1, 2 * kPanel + 3}) {
    for (const std::size_t n : {1, 3, 20}) {
      for (const std::size_t count : {1, 13, 14, 15, 40}) {
        SCOPED_TRACE(testing::Message() << m << " x " << n << ", " << count << " rows");
        Problem<T> problem(m, n, count);
        for (std::size_t i = 0; i < m; ++i) problem.W.set(i, random.gaussian(n));
        for (std::size_t r = 0; r < count; ++r) {
          problem.d.set(r, random.gaussian(n));
          for (std::size_t i = 0; i < m; ++i) problem.scales[r][i] = static_cast<T>(random.uniform(0.1, 10));
        }
        const Maxima<T> expected = naive(problem);
        const Maxima<T> actual = scaled_matrix_max(problem);
        for (std::size_t r = 0; r < count; ++r) {
          const T rounding = static_cast<T>(10 * (n + 2)) * std::numeric_limits<T>::epsilon() *
                             static_cast<T>(problem.d.get(r).norm()) * static_cast<T>(std::sqrt(n) * 4);
          ASSERT_NEAR(actual.best[r], expected.best[r], rounding);
          if (expected.index[r] < 0) {
            EXPECT_EQ(actual.index[r], -1);
          } else {
            ASSERT_GE(actual.index[r], 0);
            ASSERT_LT(actual.index[r], static_cast<std::int32_t>(m));
            EXPECT_NEAR(naive_entry(problem, r, static_cast<std::size_t>(actual.index[r])), expected.best[r], rounding);
          }
        }
      }
    }
  }
}

// Small integers and powers of two: every number is exact, and so is every tie.
TYPED_TEST(ScaledMatrixMax, TiesTakeTheSmallestIndex) {
  using T = TypeParam;
  support::RandomPoints random(2);
  constexpr std::size_t kPanel = kernels::kPanelRows<T>;
  Problem<T> problem(3 * kPanel + 5, 3, 60);
  const auto whole = [&](double low, double high) { return static_cast<T>(std::round(random.uniform(low, high))); };
  for (std::size_t i = 0; i < problem.W.count(); ++i) {
    for (T& entry : problem.W[i]) entry = whole(-2, 2);
  }
  for (std::size_t r = 0; r < problem.d.count(); ++r) {
    for (T& entry : problem.d[r]) entry = whole(-2, 2);
    for (std::size_t i = 0; i < problem.W.count(); ++i) problem.scales[r][i] = std::exp2(whole(-2, 0));
  }
  const Maxima<T> expected = naive(problem);
  const Maxima<T> actual = scaled_matrix_max(problem);
  EXPECT_EQ(actual.best, expected.best);
  EXPECT_EQ(actual.index, expected.index);
}

TYPED_TEST(ScaledMatrixMax, NothingPositiveHasNoIndex) {
  using T = TypeParam;
  Problem<T> problem(4, 2, 3);
  for (std::size_t i = 0; i < 4; ++i) problem.W.set(i, Eigen::VectorXd{{1, static_cast<double>(i)}});
  problem.d.set(0, Eigen::VectorXd{{-1, -1}});
  problem.d.set(1, Eigen::VectorXd{{0, 0}});
  problem.d.set(2, Eigen::VectorXd{{1, 1}});
  // Row 2 is left out of every constraint.
  for (std::size_t r = 0; r < 2; ++r) std::ranges::fill(problem.scales[r].first(4), T{1});
  const Maxima<T> actual = scaled_matrix_max(problem);
  EXPECT_EQ(actual.best, (std::vector<T>{0, 0, 0}));
  EXPECT_EQ(actual.index, (std::vector<std::int32_t>{-1, -1, -1}));
}

// One scale for all rows: the kernel without scales, bit for bit.
TYPED_TEST(ScaledMatrixMax, AllOnesIsMatrixMax) {
  using T = TypeParam;
  support::RandomPoints random(3);
  Problem<T> problem(kernels::kPanelRows<T> + 7, 9, 17);
  kernels::Panels<T> panels(problem.W.count(), 9);
  for (std::size_t i = 0; i < problem.W.count(); ++i) {
    problem.W.set(i, random.gaussian(9));
    for (std::size_t k = 0; k < 9; ++k) panels.set(i, k, problem.W[i][k]);
  }
  for (std::size_t r = 0; r < 17; ++r) {
    problem.d.set(r, random.gaussian(9));
    std::ranges::fill(problem.scales[r].first(problem.W.count()), T{1});
  }
  kernels::MatrixMaxScratch<T> scratch(17);
  Maxima<T> plain{std::vector<T>(17), std::vector<std::int32_t>(17)};
  kernels::matrix_max(panels, problem.d.view(), plain.best.data(), plain.index.data(), scratch);
  const Maxima<T> scaled = scaled_matrix_max(problem);
  EXPECT_EQ(scaled.best, plain.best);
  EXPECT_EQ(scaled.index, plain.index);
}

}  // namespace
}  // namespace softradial
