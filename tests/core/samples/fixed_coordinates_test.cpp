// Coordinates that a sample's bounds fix: they have their value, and the rest is projected as if they were not there.

#include <gtest/gtest.h>

#include "sample_batches.hpp"

namespace softradial {
namespace {

using Eigen::VectorXd;
using support::Batch;
using support::BoundsBatch;
using support::BoundsCotangents;
using support::BoundsKind;
using support::Projected;
using support::RandomPoints;
using support::same_bits;

constexpr std::size_t kDim = 6;
constexpr std::size_t kRows = 12;

// Which coordinates of row i are fixed: some of them, never all but one.
bool is_fixed(std::size_t i, std::size_t j) { return (i + j) % 3 == 0 || (i % 4 == 1 && j == 1); }

// Random bounds with fixed coordinates, and the same without these.
template <class T>
struct Masked {
  BoundsBatch<T> whole;
  std::vector<BoundsBatch<T>> rest;  // one row each

  Masked(RandomPoints& random, const BoundsKind& kind) : whole(support::random_bounds<T>(random, kRows, kDim, kind)) {
    whole.u = support::gaussian_rows<T>(random, kRows, kDim);
    for (std::size_t i = 0; i < kRows; ++i) {
      double fixed_sum = 0;
      double removed = 0;
      for (std::size_t j = 0; j < kDim; ++j) {
        if (!is_fixed(i, j)) continue;
        const T value = kind.caps ? T{0} : static_cast<T>(std::ldexp(std::round(random.uniform(-8, 8)), -2));
        if (whole.anchor) removed += static_cast<double>((*whole.anchor)[i][j]);
        whole.lower[i][j] = whole.upper[i][j] = value;
        fixed_sum += static_cast<double>(value);
      }
      if (whole.total) place_total(i, fixed_sum, removed);
      rest.push_back(without_fixed(i, fixed_sum));
    }
  }

  // In the middle of what the free coordinates can reach, or the sum of their anchors.
  void place_total(std::size_t i, double fixed_sum, double removed) {
    double low = 0;
    double room = 0;
    double anchors = -removed;
    for (std::size_t j = 0; j < kDim; ++j) {
      if (whole.anchor) anchors += static_cast<double>((*whole.anchor)[i][j]);
      if (is_fixed(i, j)) continue;
      low += static_cast<double>(whole.lower[i][j]);
      const double width = static_cast<double>(whole.upper[i][j]) - static_cast<double>(whole.lower[i][j]);
      room += std::min(width, 1.0);
    }
    (*whole.total)[i][0] = static_cast<T>(fixed_sum + (whole.anchor ? anchors : low + room / 2));
  }

  [[nodiscard]] BoundsBatch<T> without_fixed(std::size_t i, double fixed_sum) const {
    std::vector<std::size_t> free;
    for (std::size_t j = 0; j < kDim; ++j) {
      if (!is_fixed(i, j)) free.push_back(j);
    }
    BoundsBatch<T> out(1, free.size());
    out.one_lower = whole.one_lower;
    if (whole.total) out.total.emplace(1, 1);
    if (whole.total) (*out.total)[0][0] = static_cast<T>(static_cast<double>((*whole.total)[i][0]) - fixed_sum);
    if (whole.anchor) out.anchor.emplace(1, free.size());
    for (std::size_t k = 0; k < free.size(); ++k) {
      out.u[0][k] = whole.u[i][free[k]];
      out.lower[0][k] = whole.lower[i][free[k]];
      out.upper[0][k] = whole.upper[i][free[k]];
      if (whole.anchor) (*out.anchor)[0][k] = (*whole.anchor)[i][free[k]];
    }
    return out;
  }
};

template <class T>
std::vector<T> free_part(std::size_t i, std::span<const T> row) {
  std::vector<T> out;
  for (std::size_t j = 0; j < kDim; ++j) {
    if (!is_fixed(i, j)) out.push_back(row[j]);
  }
  return out;
}

template <class T>
void is_the_projection_of_the_rest(const BoundsKind& kind, const Method& method) {
  RandomPoints random(5);
  const Masked<T> masked(random, kind);
  const Batch<T> grad_x = support::gaussian_rows<T>(random, kRows, kDim);
  const Projected<T> whole = support::project(method, masked.whole);
  const BoundsCotangents<T> cotangents = support::vjp(method, masked.whole, whole, grad_x);
  for (std::size_t i = 0; i < kRows; ++i) {
    SCOPED_TRACE(kind.name + ", row " + std::to_string(i));
    const BoundsBatch<T>& rest = masked.rest[i];
    const Projected<T> alone = support::project(method, rest);
    ASSERT_EQ(alone.status[0], RowStatus::ok);
    ASSERT_EQ(whole.status[i], RowStatus::ok);
    EXPECT_TRUE(same_bits<T>(free_part<T>(i, whole.x[i]), alone.x[0]));

    Batch<T> g(1, rest.dim());
    std::ranges::copy(free_part<T>(i, grad_x[i]), g[0].begin());
    const BoundsCotangents<T> expected = support::vjp(method, rest, alone, g);
    EXPECT_TRUE(same_bits<T>(free_part<T>(i, cotangents.u[i]), expected.u[0]));
    EXPECT_TRUE(same_bits<T>(free_part<T>(i, cotangents.upper[i]), expected.upper[0]));
    const T of_total = masked.whole.total ? expected.total[0][0] : T{0};
    if (masked.whole.total) {
      EXPECT_EQ(cotangents.total[i][0], of_total);
    }
    for (std::size_t j = 0; j < kDim; ++j) {
      if (!is_fixed(i, j)) continue;
      EXPECT_EQ(whole.x[i][j], masked.whole.lower[i][j]);
      EXPECT_EQ(cotangents.u[i][j], 0);
      EXPECT_EQ(cotangents.lower[i][j] + cotangents.upper[i][j], grad_x[i][j] - of_total);
    }
  }
}

TEST(FixedCoordinates, TheRestIsProjectedWithoutThem) {
  for (const BoundsKind& kind : support::bounds_kinds()) {
    for (const auto& [name, method] : support::all_methods()) {
      SCOPED_TRACE(name);
      is_the_projection_of_the_rest<float>(kind, method);
      is_the_projection_of_the_rest<double>(kind, method);
    }
  }
}

// Caps of 0 leave one coordinate, which must be the sum, or none.
TEST(FixedCoordinates, ASumDecidesTheLastOne) {
  BoundsBatch<double> batch(3, 3);
  batch.one_lower = true;
  batch.total.emplace(3, 1);
  for (std::size_t i = 0; i < 3; ++i) (*batch.total)[i][0] = 1;
  batch.upper.set(0, VectorXd{{0, 2, 0}});
  batch.upper.set(1, VectorXd{{0, 0.5, 0}});
  batch.upper.set(2, VectorXd{{0, 0, 0}});
  const Projected<double> out = support::project(SoftRadial{}, batch);
  EXPECT_EQ(out.status, (std::vector{RowStatus::ok, RowStatus::no_interior, RowStatus::no_interior}));
  EXPECT_EQ(out.x.get(0), (VectorXd{{0, 1, 0}}));
}

// A total that all upper bounds, or all lower ones, use up leaves one point: x is there, and its cotangent goes to these bounds.
template <class T>
void a_total_leaves_one_point(const Method& method, bool one_lower) {
  const VectorXd lower = VectorXd::Zero(4);
  const std::vector<VectorXd> upper{VectorXd{{0, 1, 0, 0}}, VectorXd{{0.25, 0.25, 0.25, 0.25}},
                                    VectorXd{{0.5, 0, 0.5, 0}}, VectorXd{{1, 1, 0, 1}}};
  const std::vector<double> totals{1, 1, 1, 0};
  BoundsBatch<T> batch(4, 4);
  batch.one_lower = one_lower;
  batch.total.emplace(4, 1);
  RandomPoints random(3);
  batch.u = support::gaussian_rows<T>(random, 4, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    batch.lower.set(i, lower);
    batch.upper.set(i, upper[i]);
    (*batch.total)[i][0] = static_cast<T>(totals[i]);
  }
  const Projected<T> out = support::project(method, batch);
  const Batch<T> grad_x = support::gaussian_rows<T>(random, 4, 4);
  const BoundsCotangents<T> cotangents = support::vjp(method, batch, out, grad_x);
  for (std::size_t i = 0; i < 4; ++i) {
    SCOPED_TRACE("row " + std::to_string(i));
    ASSERT_EQ(out.status[i], RowStatus::ok);
    // An ulp inside, unless it is the only coordinate or 0.
    const VectorXd point = i < 3 ? upper[i] : lower;
    EXPECT_LE((out.x.get(i) - point).cwiseAbs().maxCoeff(), std::numeric_limits<T>::epsilon() / 2);
    EXPECT_EQ(cotangents.total[i][0], 0);
    for (std::size_t j = 0; j < 4; ++j) {
      const T g = grad_x[i][j];
      if (i == 1 || (i == 2 && upper[i][static_cast<Eigen::Index>(j)] > 0)) {
        EXPECT_LT(out.x[i][j], batch.upper[i][j]);
      } else {
        EXPECT_EQ(out.x[i][j], static_cast<T>(point[static_cast<Eigen::Index>(j)]));
      }
      const bool equal = batch.upper[i][j] == 0;
      EXPECT_EQ(cotangents.u[i][j], 0);
      EXPECT_EQ(cotangents.upper[i][j], equal ? g / 2 : i < 3 ? g : 0);
    }
  }
}

TEST(FixedCoordinates, ATotalThatBoundsUseUpLeavesOnePoint) {
  for (const auto& [name, method] : support::all_methods()) {
    for (const bool one_lower : {true, false}) {
      SCOPED_TRACE(name + (one_lower ? ", one lower bound" : ""));
      a_total_leaves_one_point<float>(method, one_lower);
      a_total_leaves_one_point<double>(method, one_lower);
    }
  }
}

// Bounds that contradict each other stay refused, whatever they sum to.
TEST(FixedCoordinates, BoundsThatCrossAreNoPoint) {
  BoundsBatch<double> batch(1, 3);
  batch.total.emplace(1, 1);
  (*batch.total)[0][0] = 1;
  batch.lower.set(0, VectorXd{{1, 1, 0}});
  batch.upper.set(0, VectorXd{{0, 0, 1}});
  EXPECT_EQ(support::project(SoftRadial{}, batch).status[0], RowStatus::no_interior);
}

TEST(FixedCoordinates, ANumberThatIsNotFiniteStaysOne) {
  BoundsBatch<double> batch(1, 3);
  batch.upper.set(0, VectorXd{{0, 1, 1}});
  batch.u[0][0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(support::project(SoftRadial{}, batch).status[0], RowStatus::not_finite);
}

}  // namespace
}  // namespace softradial
