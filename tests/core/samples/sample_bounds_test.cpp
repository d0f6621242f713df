// Bounds that change from row to row: the same set in every row is the fixed projection, anchors are the closed form, and
// it does not matter how the rows lie in memory.

#include "softradial/sample_bounds.hpp"

#include <gtest/gtest.h>

#include "reference/exact_judge.hpp"
#include "sample_batches.hpp"
#include "softradial/projection.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using Eigen::VectorXd;
using support::Batch;
using support::BoundsBatch;
using support::BoundsCotangents;
using support::BoundsKind;
using support::NamedMethod;
using support::NamedSet;
using support::Projected;
using support::RandomPoints;
using support::same_bits;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A coordinate set with its data rounded to T, so that both maps see the same numbers.
template <class T>
Set rounded(const CoordinateSet& set) {
  const VectorXd lower = set.lower().cast<T>().template cast<double>();
  const VectorXd upper = set.upper().cast<T>().template cast<double>();
  if (!set.total()) return Box(lower, upper);
  const auto total = static_cast<double>(static_cast<T>(*set.total()));
  if (!std::isfinite(upper[0])) return Simplex(set.dim(), total);
  return CappedSimplex(upper, total);
}

// Reciprocal slacks that are computed in T instead of double are 4 ulp apart, gamma and phi with them; means are summed
// in another order; and every x is rounded: 16 ulp of u0 and of x - u0. Cotangents divide by the slack once more.
constexpr double kUlpsApart = 16;

template <class T>
void equals_the_fixed_projection(const Set& given_set, const Method& method) {
  const Set set = rounded<T>(dynamic_cast<const CoordinateSet&>(*given_set));
  const Anchor anchor = given_set.anchor() ? check_anchor(set, *given_set.anchor()) : require_anchor(set);
  const Projection<T> fixed(set.with_anchor(anchor.point), method);
  auto workspace = fixed.make_workspace();

  RandomPoints random(11);
  const auto& coordinates = dynamic_cast<const CoordinateSet&>(*set);
  const Batch<T> u = support::rows_at_scales<T>(random, anchor.point, support::all_scales<T>(), 8);
  BoundsBatch<T> batch(u.count(), u.dim());
  batch.u = u;
  batch.anchor.emplace(u.count(), u.dim());
  if (coordinates.total()) batch.total.emplace(u.count(), 1);
  for (std::size_t i = 0; i < u.count(); ++i) {
    batch.lower.set(i, coordinates.lower());
    batch.upper.set(i, coordinates.upper());
    batch.anchor->set(i, anchor.point);
    if (coordinates.total()) (*batch.total)[i][0] = static_cast<T>(*coordinates.total());
  }

  const Batch<T> grad_x = support::gaussian_rows<T>(random, u.count(), u.dim());
  Batch<T> expected_x(u.count(), u.dim()), expected_grad(u.count(), u.dim());
  fixed.project(u.view(), expected_x.rows(), workspace);
  fixed.project_vjp(u.view(), grad_x.view(), expected_grad.rows(), workspace);
  const Projected<T> actual = support::project(method, batch);
  const BoundsCotangents<T> cotangents = support::vjp(method, batch, actual, grad_x);

  const VectorXd u0 = batch.anchor->get(0);
  const double steepest = set->gauge<double>({u0, anchor.hull})->lipschitz();
  for (std::size_t i = 0; i < u.count(); ++i) {
    SCOPED_TRACE(testing::Message() << "row " << i << ": u = " << u.get(i).transpose());
    ASSERT_EQ(actual.status[i], RowStatus::ok);
    const double length = (expected_x.get(i) - u0).norm();
    const double ulps = kUlpsApart * std::numeric_limits<T>::epsilon();
    EXPECT_LE((actual.x.get(i) - expected_x.get(i)).norm(), ulps * (u0.norm() + length));
    // |J'g| <= phi (2 + |d| |n| / gamma) |g|, and the distance to the boundary along the ray is |d| / gamma.
    const double distance = (anchor.hull.project(u.get(i)) - u0).norm();
    // At the anchor the direction is rounding.
    const double phi = distance > ulps * u0.norm() ? length / distance : 1;
    if (!std::isfinite(distance)) continue;
    EXPECT_LE((cotangents.u.get(i) - expected_grad.get(i)).norm(),
              ulps * phi * (2 + steepest * length) * (1 + steepest * u0.norm()) * grad_x.get(i).norm() +
                  std::numeric_limits<T>::denorm_min());
  }
}

class SampleBoundsOfZoo : public ::testing::TestWithParam<NamedSet> {};

TEST_P(SampleBoundsOfZoo, EqualTheFixedProjection) {
  for (const NamedMethod& m : support::all_methods()) {
    SCOPED_TRACE(m.name);
    equals_the_fixed_projection<float>(GetParam().set, m.method);
    equals_the_fixed_projection<double>(GetParam().set, m.method);
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, SampleBoundsOfZoo,
                         ::testing::ValuesIn(support::from_zoo(
                             {"simplex", "simplex_sum", "simplex_off_centre", "capped_simplex", "capped_simplex_thin",
                              "capped_simplex_caps", "box", "box_off_centre", "box_open"})),
                         support::NameOfSet());

template <class T>
class SampleBoundsIn : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SampleBoundsIn, Precisions);

// The formula gives an interior point, and the map has it as its anchor: it fixes that point, and moves every other by at
// least 1 - epsilon of the way.
template <class T>
void anchors_are_closed_form(BoundsBatch<T> batch) {
  for (std::size_t i = 0; i < batch.count(); ++i) batch.u.set(i, support::closed_form_anchor(batch, i));
  const Projected<T> actual = support::project(SoftRadial{}, batch);
  for (std::size_t i = 0; i < batch.count(); ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(actual.status[i], RowStatus::ok);
    const VectorXd expected = support::closed_form_anchor(batch, i);
    EXPECT_GT((expected - batch.lower.get(i)).minCoeff(), 0);
    EXPECT_GT((batch.upper.get(i) - expected).minCoeff(), 0);
    // Sums of dim numbers of size 3 at the most, a quotient, a product.
    const double rounding = static_cast<double>(3 * batch.dim() + 4) * std::numeric_limits<T>::epsilon();
    EXPECT_LE((actual.x.get(i) - expected).cwiseAbs().maxCoeff(), rounding);
  }
}

TYPED_TEST(SampleBoundsIn, WithASumTheAnchorIsTheShareOfTheReach) {
  using T = TypeParam;
  RandomPoints random(12);
  for (const BoundsKind& kind : {support::kBoundsWithSums, support::kCaps}) {
    for (const std::size_t dim : {2, 5, 33}) {
      SCOPED_TRACE(testing::Message() << kind.name << ", dim " << dim);
      anchors_are_closed_form(support::random_bounds<T>(random, 40, dim, kind));
    }
  }
}

TYPED_TEST(SampleBoundsIn, WithoutASumTheAnchorIsTheMiddle) {
  using T = TypeParam;
  RandomPoints random(13);
  BoundsBatch<T> batch = support::random_bounds<T>(random, 40, 9, support::kBoxes);
  batch.upper.set(0, VectorXd::Constant(9, kInfinity));
  batch.lower.set(0, VectorXd::Constant(9, -kInfinity));
  anchors_are_closed_form(batch);
}

// The uniform point, to the bit the same in every coordinate: a row of equal numbers has no direction and goes there.
TYPED_TEST(SampleBoundsIn, OneCapForAllGivesTheUniformPoint) {
  using T = TypeParam;
  for (const std::size_t dim : {2, 10, 50, 1000}) {
    for (const double cap : {1.2, 1.5, 7.0, kInfinity}) {
      SCOPED_TRACE(testing::Message() << dim << " coordinates, cap " << cap << " / dim");
      const auto n = static_cast<Eigen::Index>(dim);
      BoundsBatch<T> batch(1, dim);
      batch.upper.set(0, VectorXd::Constant(n, cap / static_cast<double>(dim)));
      batch.total.emplace(1, 1);
      batch.total->set(0, VectorXd::Ones(1));
      batch.u.set(0, VectorXd::Constant(n, 1e6));
      for (const bool one_lower : {false, true}) {
        batch.one_lower = one_lower;
        const Projected<T> actual = support::project(SoftRadial{}, batch);
        ASSERT_EQ(actual.status[0], RowStatus::ok);
        for (const T x : actual.x[0]) {
          EXPECT_EQ(x, actual.x[0][0]);
          EXPECT_NEAR(x, 1.0 / static_cast<double>(dim), std::numeric_limits<T>::epsilon());
        }
      }
    }
  }
}

TYPED_TEST(SampleBoundsIn, EmptyBatchesAreOrdinary) {
  using T = TypeParam;
  const BoundsMap<T> map(3, SoftRadial{});
  EXPECT_NO_THROW(map.project({}, {}, {}, {}));
  BoundsBatch<T> none(0, 3);
  none.total.emplace(0, 1);
  const Projected<T> forward = support::project(SoftRadial{}, none);
  EXPECT_NO_THROW((void)support::vjp(SoftRadial{}, none, forward, Batch<T>(0, 3)));
}

TYPED_TEST(SampleBoundsIn, ARowAloneIsTheRowInTheBatch) {
  using T = TypeParam;
  RandomPoints random(14);
  for (const BoundsKind& kind : support::bounds_kinds()) {
    SCOPED_TRACE(kind.name);
    BoundsBatch<T> batch = support::random_bounds<T>(random, 27, 7, kind);
    batch.u = support::rows_at_scales<T>(random, VectorXd::Zero(7), support::all_scales<T>(), 3);
    const Batch<T> grad_x = support::gaussian_rows<T>(random, 27, 7);
    const Projected<T> together = support::project(SoftRadial{}, batch);
    const BoundsCotangents<T> cotangents = support::vjp(SoftRadial{}, batch, together, grad_x);
    for (std::size_t i = 0; i < batch.count(); ++i) {
      SCOPED_TRACE(i);
      const BoundsBatch<T> row = batch.rows({i});
      const Projected<T> alone = support::project(SoftRadial{}, row);
      const BoundsCotangents<T> own = support::vjp(SoftRadial{}, row, alone, support::select(grad_x, {i}));
      EXPECT_TRUE(same_bits<T>(alone.x[0], together.x[i]));
      EXPECT_TRUE(same_bits<T>(own.u[0], cotangents.u[i]));
      EXPECT_EQ(own.row(0), cotangents.row(i));
    }
  }
}

// A row with stride 0 is that row for every sample.
TYPED_TEST(SampleBoundsIn, SharedRowsAreRepeatedRows) {
  using T = TypeParam;
  RandomPoints random(15);
  const BoundsBatch<T> one = support::random_bounds<T>(random, 1, 7, support::kBoundsWithSums);
  BoundsBatch<T> repeated = one.rows({0, 0, 0, 0, 0});
  repeated.u = support::gaussian_rows<T>(random, 5, 7);
  const Projected<T> expected = support::project(SoftRadial{}, repeated);

  const auto share = [](const Batch<T>& row) { return Rows<const T>(row.data().data(), 5, row.dim(), 0); };
  const SampleBounds<T> shared{share(one.lower), share(one.upper), share(*one.total), {}};
  Projected<T> actual(5, 7);
  const BoundsMap<T> map(7, SoftRadial{});
  map.project(shared, repeated.u.view(), actual.x.rows(), actual.status, actual.state);
  EXPECT_TRUE(same_bits<T>(actual.x.data(), expected.x.data()));
  EXPECT_EQ(actual.status, expected.status);

  const Batch<T> grad_x = support::gaussian_rows<T>(random, 5, 7);
  const BoundsCotangents<T> wanted = support::vjp(SoftRadial{}, repeated, expected, grad_x);
  BoundsCotangents<T> got(repeated);
  map.project_vjp(shared, repeated.u.view(), grad_x.view(), actual.status, actual.state, got.u.rows(),
                  {got.lower.rows(), got.upper.rows(), got.total.rows(), {}});
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(got.row(i), wanted.row(i)) << i;
}

// Rows of a wider table, and nothing written beside them.
TYPED_TEST(SampleBoundsIn, StridesChangeNothing) {
  using T = TypeParam;
  RandomPoints random(16);
  BoundsBatch<T> batch = support::random_bounds<T>(random, 6, 7, support::kBoundsWithSums);
  batch.u = support::gaussian_rows<T>(random, 6, 7);
  const Batch<T> grad_x = support::gaussian_rows<T>(random, 6, 7);
  const Projected<T> expected = support::project(HardRadial{}, batch);
  const BoundsCotangents<T> wanted = support::vjp(HardRadial{}, batch, expected, grad_x);

  constexpr T kMark = 7;
  const auto spread = [&](const Batch<T>& dense) {
    Batch<T> wide(dense.count(), dense.dim() + 3);
    for (std::size_t i = 0; i < dense.count(); ++i) {
      std::ranges::fill(wide[i], kMark);
      std::ranges::copy(dense[i], wide[i].begin() + 1);
    }
    return wide;
  };
  const auto inner = [](const Batch<T>& wide) { return wide.view().columns(1, wide.dim() - 3); };
  const auto inner_rows = [](Batch<T>& wide) { return wide.rows().columns(1, wide.dim() - 3); };
  const Batch<T> u = spread(batch.u), lower = spread(batch.lower), upper = spread(batch.upper);
  const Batch<T> total = spread(*batch.total), g = spread(grad_x);
  const SampleBounds<T> strided{inner(lower), inner(upper), inner(total), {}};
  Batch<T> x = spread(batch.u), grad_u = spread(batch.u), grad_upper = spread(batch.u), grad_lower = spread(batch.u);
  Projected<T> actual(6, 7);
  const BoundsMap<T> map(7, HardRadial{});
  map.project(strided, inner(u), inner_rows(x), actual.status, actual.state);
  map.project_vjp(strided, inner(u), inner(g), actual.status, actual.state, inner_rows(grad_u),
                  {inner_rows(grad_lower), inner_rows(grad_upper), {}, {}});
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(same_bits<T>(inner(x)[i], expected.x[i])) << i;
    EXPECT_TRUE(same_bits<T>(inner(grad_u)[i], wanted.u[i])) << i;
    EXPECT_TRUE(same_bits<T>(inner(grad_upper)[i], wanted.upper[i])) << i;
    EXPECT_TRUE(same_bits<T>(inner(grad_lower)[i], wanted.lower[i])) << i;
    for (const Batch<T>* out : {&x, &grad_u, &grad_upper, &grad_lower}) {
      EXPECT_EQ((*out)[i][0], kMark);
      EXPECT_EQ((*out)[i][8], kMark);
    }
  }
}

// What is not asked for may be left out of the computation, but is not missed: sums run in another order at the most.
TYPED_TEST(SampleBoundsIn, CotangentsDoNotDependOnWhatElseIsWanted) {
  using T = TypeParam;
  constexpr auto kMark = static_cast<double>(T{12345});
  for (const NamedMethod& m : support::all_methods()) {
    for (const BoundsKind& kind : support::bounds_kinds()) {
      for (const std::size_t dim : {2, 7, 40, 130}) {
        SCOPED_TRACE(testing::Message() << m.name << ", " << kind.name << ", dim " << dim);
        RandomPoints random(17);
        BoundsBatch<T> batch = support::random_bounds<T>(random, 50, dim, kind);
        batch.u = support::rows_at_scales<T>(random, VectorXd::Zero(static_cast<Eigen::Index>(dim)),
                                             {0.1, 1, 10, 1e4, 1e25}, 10);
        batch.u[3][0] = std::numeric_limits<T>::quiet_NaN();
        batch.upper[11][1] = batch.lower[11][1];
        const Batch<T> grad_x = support::gaussian_rows<T>(random, 50, dim);
        const Projected<T> forward = support::project(m.method, batch);
        Projected<T> stateless(50, dim);
        BoundsMap<T>(dim, m.method).project(batch.view(), batch.u.view(), stateless.x.rows(), stateless.status);
        const BoundsCotangents<T> all = support::vjp(m.method, batch, forward, grad_x);
        const BoundsCotangents<T> some = support::vjp(m.method, batch, forward, grad_x, support::Wanted::all_but_lower);
        for (std::size_t i = 0; i < 50; ++i) {
          SCOPED_TRACE(i);
          EXPECT_TRUE(same_bits<T>(stateless.x[i], forward.x[i]));
          EXPECT_EQ(stateless.status[i], forward.status[i]);
          // Sums over dim numbers, divided by slacks from 0.01 on.
          const double rounding = 100 * (10 + static_cast<double>(dim)) * std::numeric_limits<T>::epsilon();
          const auto same = [&](const Batch<T>& a, const Batch<T>& b) {
            return (a.get(i) - b.get(i)).norm() <= rounding * (grad_x.get(i).norm() + b.get(i).norm());
          };
          EXPECT_TRUE(same(some.u, all.u));
          EXPECT_TRUE(same(some.upper, all.upper));
          EXPECT_TRUE(!batch.total || same(some.total, all.total));
          EXPECT_TRUE(!batch.anchor || same(some.anchor, all.anchor));
          EXPECT_TRUE((some.lower.get(i).array() == kMark).all());
        }
      }
    }
  }
}

// Lower bounds of 0 that all samples share make shares of a total, unless there is no total, or an anchor is given: then they
// are bounds as any other.
template <class T>
void shared_zeros_are_bounds(bool with_total_and_anchor) {
  RandomPoints random(23);
  BoundsBatch<T> batch(9, 5);
  batch.u = support::gaussian_rows<T>(random, 9, 5);
  if (with_total_and_anchor) batch.total.emplace(9, 1);
  if (with_total_and_anchor) batch.anchor.emplace(9, 5);
  for (std::size_t i = 0; i < batch.count(); ++i) {
    for (std::size_t j = 0; j < batch.dim(); ++j) {
      batch.lower[i][j] = 0;
      batch.upper[i][j] = static_cast<T>(random.uniform(1, 2));
      if (with_total_and_anchor) (*batch.anchor)[i][j] = static_cast<T>(j + 1) / 16;
    }
    if (with_total_and_anchor) (*batch.total)[i][0] = T{15} / 16;
  }
  const Projected<T> repeated = support::project(SoftRadial{}, batch);
  batch.one_lower = true;
  const Projected<T> shared = support::project(SoftRadial{}, batch);
  for (std::size_t i = 0; i < batch.count(); ++i) {
    ASSERT_EQ(shared.status[i], RowStatus::ok);
    EXPECT_TRUE(same_bits<T>(shared.x[i], repeated.x[i])) << i;
  }
}

TEST(SampleBounds, ZerosThatAreSharedAreBounds) {
  for (const bool with_total_and_anchor : {false, true}) {
    shared_zeros_are_bounds<float>(with_total_and_anchor);
    shared_zeros_are_bounds<double>(with_total_and_anchor);
  }
}

}  // namespace
}  // namespace softradial
