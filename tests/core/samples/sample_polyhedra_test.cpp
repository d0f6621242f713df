// Polyhedra that change from row to row: the same set in every row is the fixed projection, own matrices are the shared
// one, and it does not matter how the rows lie in memory.

#include "softradial/sample_polyhedra.hpp"

#include <gtest/gtest.h>

#include "sample_batches.hpp"
#include "softradial/projection.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::Batch;
using support::NamedMethod;
using support::NamedSet;
using support::PolyhedraBatch;
using support::PolyhedraCotangents;
using support::Projected;
using support::RandomPoints;
using support::same_bits;

const MatrixXd& matrix_field(const Description& description, const std::string& name) {
  static const MatrixXd none;
  for (const auto& [key, value] : description.fields) {
    if (key == name) return std::get<MatrixXd>(value);
  }
  return none;
}
const VectorXd& vector_field(const Description& description, const std::string& name) {
  static const VectorXd none;
  for (const auto& [key, value] : description.fields) {
    if (key == name) return std::get<VectorXd>(value);
  }
  return none;
}

// Slacks and norms that are rounded in T, and a guard that takes |a| |u0| for the sum of |a_j u0_j|: gamma differs by
// ulp (16 + 2 D |u0|) of itself and ulp (dim / 2 + 2) D |d|, with D = max |w| and |d| / gamma the way to the boundary.
// Twice that for the cotangents, which round as often again.
constexpr double kUlpsApart = 32;

template <class T>
void equals_the_fixed_projection(const Set& given_set, const Method& method) {
  const Description description = given_set->describe();
  const MatrixXd A = matrix_field(description, "A").cast<T>().template cast<double>();
  const VectorXd b = vector_field(description, "b").cast<T>().template cast<double>();
  const MatrixXd& E = matrix_field(description, "E");
  const Set set = E.size() > 0 ? Polyhedron(A, b, E, vector_field(description, "f")) : Polyhedron(A, b);
  const Anchor anchor = given_set.anchor() ? check_anchor(set, *given_set.anchor()) : require_anchor(set);
  const Projection<T> fixed(set.with_anchor(anchor.point), method);
  auto workspace = fixed.make_workspace();

  RandomPoints random(21);
  const auto m = static_cast<std::size_t>(A.rows());
  const Batch<T> u = support::rows_at_scales<T>(random, anchor.point, {0, 1e-3, 1, 30, 1e4, 1e30}, 10);
  PolyhedraBatch<T> batch(u.count(), u.dim(), m, false);
  batch.u = u;
  batch.hull = anchor.hull;
  for (std::size_t k = 0; k < m; ++k) batch.A.set(k, A.row(static_cast<Eigen::Index>(k)).transpose());
  for (std::size_t i = 0; i < u.count(); ++i) {
    batch.anchor.set(i, anchor.point);
    batch.slack.set(i, b - A * batch.anchor.get(i));
  }

  const Batch<T> grad_x = support::gaussian_rows<T>(random, u.count(), u.dim());
  Batch<T> expected_x(u.count(), u.dim()), expected_grad(u.count(), u.dim());
  fixed.project(u.view(), expected_x.rows(), workspace);
  fixed.project_vjp(u.view(), grad_x.view(), expected_grad.rows(), workspace);
  const Projected<T> actual = support::project(method, batch);
  const PolyhedraCotangents<T> cotangents = support::vjp(method, batch, actual, grad_x);

  const VectorXd u0 = batch.anchor.get(0);
  const double steepest = set->gauge<double>({u0, anchor.hull})->lipschitz();
  for (std::size_t i = 0; i < u.count(); ++i) {
    SCOPED_TRACE(testing::Message() << "row " << i << ": u = " << u.get(i).transpose());
    ASSERT_EQ(actual.status[i], RowStatus::ok);
    const double length = (expected_x.get(i) - u0).norm();
    const double ulps = kUlpsApart * std::numeric_limits<T>::epsilon();
    const double relative = ulps * (1 + steepest * (u0.norm() + length));
    EXPECT_LE((actual.x.get(i) - expected_x.get(i)).norm(), relative * (u0.norm() + length));
    const double distance = (anchor.hull.project(u.get(i)) - u0).norm();
    // At the anchor the direction is rounding.
    const double phi = distance > ulps * u0.norm() ? length / distance : 1;
    EXPECT_LE((cotangents.u.get(i) - expected_grad.get(i)).norm(),
              relative * phi * (2 + steepest * length) * grad_x.get(i).norm());
  }
}

class SamplePolyhedraOfZoo : public ::testing::TestWithParam<NamedSet> {};

TEST_P(SamplePolyhedraOfZoo, EqualTheFixedProjection) {
  for (const NamedMethod& m : support::all_methods()) {
    SCOPED_TRACE(m.name);
    equals_the_fixed_projection<float>(GetParam().set, m.method);
    equals_the_fixed_projection<double>(GetParam().set, m.method);
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, SamplePolyhedraOfZoo,
                         ::testing::ValuesIn(support::from_zoo({"halfspace", "triangle", "cone_of_rays", "polyhedron",
                                                                "polyhedron_off_centre", "polyhedron_equalities"})),
                         support::NameOfSet());

template <class T>
class SamplePolyhedraIn : public ::testing::Test {
 protected:
  // Rows of every size, with and without a hull.
  static PolyhedraBatch<T> example(RandomPoints& random, bool own_matrices, bool with_hull) {
    PolyhedraBatch<T> batch = support::random_polyhedra<T>(random, 45, 7, 40, own_matrices);
    if (with_hull) batch.hull = support::random_hull(random, 7);
    batch.u = support::rows_at_scales<T>(random, VectorXd::Zero(7), support::all_scales<T>(), 5);
    return batch;
  }
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SamplePolyhedraIn, Precisions);

// The same matrix for every sample: to the rounding of a sum over dim in another order.
TYPED_TEST(SamplePolyhedraIn, OwnMatricesEqualTheSharedOne) {
  using T = TypeParam;
  for (const bool with_hull : {false, true}) {
    for (const NamedMethod& m : support::all_methods()) {
      SCOPED_TRACE(m.name);
      RandomPoints random(22);
      const PolyhedraBatch<T> shared = this->example(random, false, with_hull);
      PolyhedraBatch<T> own(shared.count(), shared.dim(), shared.num_rows(), true);
      own.u = shared.u;
      own.slack = shared.slack;
      own.anchor = shared.anchor;
      own.hull = shared.hull;
      for (std::size_t i = 0; i < own.A.count(); ++i) own.A.set(i, shared.A.get(i % shared.num_rows()));

      const Batch<T> grad_x = support::gaussian_rows<T>(random, shared.count(), shared.dim());
      const Projected<T> expected = support::project(m.method, shared);
      const Projected<T> actual = support::project(m.method, own);
      const PolyhedraCotangents<T> wanted = support::vjp(m.method, shared, expected, grad_x);
      const PolyhedraCotangents<T> got = support::vjp(m.method, own, actual, grad_x);
      // 40 rows in 7 dimensions at slacks of order 1: x - u0 is of order 1, and so is its condition.
      constexpr double kRounding = 1e3 * std::numeric_limits<T>::epsilon();
      MatrixXd gathered = MatrixXd::Zero(static_cast<Eigen::Index>(own.num_rows()), 7);
      for (std::size_t i = 0; i < shared.count(); ++i) {
        SCOPED_TRACE(i);
        ASSERT_EQ(actual.status[i], RowStatus::ok);
        EXPECT_LE((actual.x.get(i) - expected.x.get(i)).norm(), kRounding * (1 + shared.anchor.get(i).norm()));
        EXPECT_LE((got.u.get(i) - wanted.u.get(i)).norm(), kRounding * (1 + wanted.u.get(i).norm()));
        EXPECT_LE((got.slack.get(i) - wanted.slack.get(i)).norm(), kRounding * (1 + wanted.slack.get(i).norm()));
        EXPECT_LE((got.anchor.get(i) - wanted.anchor.get(i)).norm(), kRounding * (1 + wanted.anchor.get(i).norm()));
        for (std::size_t k = 0; k < own.num_rows(); ++k) {
          gathered.row(static_cast<Eigen::Index>(k)) += got.A.get(i * own.num_rows() + k).transpose();
        }
      }
      for (std::size_t k = 0; k < own.num_rows(); ++k) {
        const VectorXd sum = gathered.row(static_cast<Eigen::Index>(k)).transpose();
        EXPECT_LE((wanted.A.get(k) - sum).norm(), kRounding * (1 + sum.norm())) << k;
      }
    }
  }
}

TYPED_TEST(SamplePolyhedraIn, ARowAloneIsTheRowInTheBatch) {
  using T = TypeParam;
  for (const bool own_matrices : {false, true}) {
    RandomPoints random(23);
    const PolyhedraBatch<T> batch = this->example(random, own_matrices, true);
    const Batch<T> grad_x = support::gaussian_rows<T>(random, batch.count(), batch.dim());
    const Projected<T> together = support::project(SoftRadial{}, batch);
    const PolyhedraCotangents<T> cotangents = support::vjp(SoftRadial{}, batch, together, grad_x);
    for (std::size_t i = 0; i < batch.count(); ++i) {
      SCOPED_TRACE(i);
      const PolyhedraBatch<T> row = batch.rows({i});
      const Projected<T> alone = support::project(SoftRadial{}, row);
      const PolyhedraCotangents<T> own = support::vjp(SoftRadial{}, row, alone, support::select(grad_x, {i}));
      EXPECT_TRUE(same_bits<T>(alone.x[0], together.x[i]));
      EXPECT_TRUE(same_bits<T>(own.u[0], cotangents.u[i]));
      EXPECT_TRUE(same_bits<T>(own.slack[0], cotangents.slack[i]));
      EXPECT_TRUE(same_bits<T>(own.anchor[0], cotangents.anchor[i]));
      if (!own_matrices) continue;
      for (std::size_t k = 0; k < batch.num_rows(); ++k) {
        EXPECT_TRUE(same_bits<T>(own.A[k], cotangents.A[i * batch.num_rows() + k])) << k;
      }
    }
  }
}

TYPED_TEST(SamplePolyhedraIn, EmptyBatchesAreOrdinary) {
  using T = TypeParam;
  for (const bool own_matrices : {false, true}) {
    RandomPoints random(24);
    const PolyhedraBatch<T> none = support::random_polyhedra<T>(random, 0, 3, 4, own_matrices);
    const Projected<T> forward = support::project(SoftRadial{}, none);
    EXPECT_NO_THROW((void)support::vjp(SoftRadial{}, none, forward, Batch<T>(0, 3)));
  }
}

TYPED_TEST(SamplePolyhedraIn, SharedRowsAndStridesChangeNothing) {
  using T = TypeParam;
  RandomPoints random(25);
  const PolyhedraBatch<T> one = support::random_polyhedra<T>(random, 1, 5, 9, false);
  PolyhedraBatch<T> repeated = one.rows({0, 0, 0, 0});
  repeated.u = support::gaussian_rows<T>(random, 4, 5);
  const Batch<T> grad_x = support::gaussian_rows<T>(random, 4, 5);
  const Projected<T> expected = support::project(GaugeMap{}, repeated);
  const PolyhedraCotangents<T> wanted = support::vjp(GaugeMap{}, repeated, expected, grad_x);

  const auto share = [](const Batch<T>& row) { return Rows<const T>(row.data().data(), 4, row.dim(), 0); };
  const SamplePolyhedra<T> shared{share(one.slack), share(one.anchor)};
  // x and the cotangents lie in a wider table.
  constexpr T kMark = 7;
  Batch<T> x(4, 8), grad_u(4, 8);
  for (Batch<T>* out : {&x, &grad_u}) {
    for (std::size_t i = 0; i < 4; ++i) std::ranges::fill((*out)[i], kMark);
  }
  Projected<T> actual(4, 5);
  PolyhedraCotangents<T> got(repeated);
  const PolyhedraMap<T> map = repeated.map(GaugeMap{});
  map.project(shared, one.A.view(), repeated.u.view(), x.rows().columns(1, 5), actual.status, actual.state);
  map.project_vjp(shared, one.A.view(), repeated.u.view(), grad_x.view(), actual.status, actual.state,
                  grad_u.rows().columns(1, 5), {got.slack.rows(), {}, got.A.rows()});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(same_bits<T>(x.view().columns(1, 5)[i], expected.x[i])) << i;
    EXPECT_TRUE(same_bits<T>(grad_u.view().columns(1, 5)[i], wanted.u[i])) << i;
    for (const Batch<T>* out : {&x, &grad_u}) {
      EXPECT_EQ((*out)[i][0], kMark);
      EXPECT_EQ((*out)[i][6], kMark);
    }
  }
  EXPECT_TRUE(same_bits<T>(got.slack.data(), wanted.slack.data()));
  EXPECT_TRUE(same_bits<T>(got.A.data(), wanted.A.data()));
}

// Rows that never bind, one of zeros and one with an infinite slack, are as good as absent.
TYPED_TEST(SamplePolyhedraIn, RowsThatNeverBindChangeNothing) {
  using T = TypeParam;
  RandomPoints random(26);
  const PolyhedraBatch<T> few = support::random_polyhedra<T>(random, 20, 4, 6, false);
  PolyhedraBatch<T> more = support::random_polyhedra<T>(random, 20, 4, 8, false);
  more.anchor = few.anchor;
  more.u = support::rows_at_scales<T>(random, VectorXd::Zero(4), {0.1, 1, 10, 1e20}, 5);
  PolyhedraBatch<T> without = few;
  without.u = more.u;
  for (std::size_t k = 0; k < 6; ++k) more.A.set(k, few.A.get(k));
  more.A.set(6, VectorXd::Zero(4));
  for (std::size_t i = 0; i < 20; ++i) {
    std::ranges::copy(few.slack[i], more.slack[i].begin());
    more.slack[i][6] = i % 2 == 0 ? T{0} : T{1};
    more.slack[i][7] = std::numeric_limits<T>::infinity();
  }
  const Batch<T> grad_x = support::gaussian_rows<T>(random, 20, 4);
  const Projected<T> expected = support::project(SoftRadial{}, without);
  const Projected<T> actual = support::project(SoftRadial{}, more);
  EXPECT_EQ(actual.status, std::vector<RowStatus>(20, RowStatus::ok));
  EXPECT_TRUE(same_bits<T>(actual.x.data(), expected.x.data()));
  const PolyhedraCotangents<T> cotangents = support::vjp(SoftRadial{}, more, actual, grad_x);
  EXPECT_TRUE(same_bits<T>(cotangents.u.data(), support::vjp(SoftRadial{}, without, expected, grad_x).u.data()));
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(cotangents.slack[i][6], 0);
    EXPECT_EQ(cotangents.slack[i][7], 0);
  }
}

// With no row left the set is the hull: hard radial is the projection onto it, however far out.
TYPED_TEST(SamplePolyhedraIn, WithoutRowsTheSetIsTheHull) {
  using T = TypeParam;
  RandomPoints random(28);
  for (const std::size_t num_rows : {0, 1}) {
    for (const bool own_matrices : {false, true}) {
      SCOPED_TRACE(testing::Message() << num_rows << " rows, own " << own_matrices);
      PolyhedraBatch<T> batch = support::random_polyhedra<T>(random, 3, 4, num_rows, own_matrices);
      for (std::size_t k = 0; k < batch.A.count(); ++k) batch.A.set(k, VectorXd::Ones(4));
      for (std::size_t i = 0; i < 3; ++i) std::ranges::fill(batch.slack[i], std::numeric_limits<T>::infinity());
      batch.u.set(0, VectorXd{{1, 2, -3, 0.5}});
      batch.u.set(1, VectorXd::Constant(4, std::numeric_limits<T>::max() / 5));
      batch.u.set(2, batch.u.get(0));
      batch.anchor[2][0] = std::numeric_limits<T>::quiet_NaN();
      const Projected<T> projected = support::project(HardRadial{}, batch);
      const Batch<T> grad_x = support::gaussian_rows<T>(random, 3, 4);
      const PolyhedraCotangents<T> cotangents = support::vjp(HardRadial{}, batch, projected, grad_x);
      for (std::size_t i = 0; i < 2; ++i) {
        SCOPED_TRACE(i);
        ASSERT_EQ(projected.status[i], RowStatus::ok);
        // u0 + (u - u0): two roundings.
        const VectorXd size = batch.u.get(i).cwiseAbs() + 2 * batch.anchor.get(i).cwiseAbs();
        const VectorXd error = (projected.x.get(i) - batch.u.get(i)).cwiseAbs();
        EXPECT_TRUE((error.array() <= std::numeric_limits<T>::epsilon() * size.array()).all());
        EXPECT_EQ(cotangents.u.get(i), grad_x.get(i));
        EXPECT_EQ(cotangents.anchor.get(i), VectorXd::Zero(4));
      }
      EXPECT_EQ(projected.status[2], RowStatus::no_interior);
    }
  }
}

// Coefficients far from 1, whose squares overflow or vanish: each row times a number is the same constraint.
TYPED_TEST(SamplePolyhedraIn, TheSizeOfARowDoesNotMatter) {
  using T = TypeParam;
  RandomPoints random(27);
  PolyhedraBatch<T> plain = support::random_polyhedra<T>(random, 20, 4, 6, false);
  plain.u = support::rows_at_scales<T>(random, VectorXd::Zero(4), {0.1, 1, 10, 1e20}, 5);
  PolyhedraBatch<T> scaled = plain;
  constexpr int kFar = std::numeric_limits<T>::max_exponent * 5 / 8;  // 2^80 or 2^640
  for (std::size_t k = 0; k < 6; ++k) {
    const int exponent = k % 2 == 0 ? kFar : -kFar;
    for (T& a : scaled.A[k]) a = std::ldexp(a, exponent);
    for (std::size_t i = 0; i < 20; ++i) scaled.slack[i][k] = std::ldexp(scaled.slack[i][k], exponent);
  }
  const Projected<T> expected = support::project(SoftRadial{}, plain);
  const Projected<T> actual = support::project(SoftRadial{}, scaled);
  EXPECT_EQ(actual.status, std::vector<RowStatus>(20, RowStatus::ok));
  for (std::size_t i = 0; i < 20; ++i) {
    // The norm that only the guard uses is rounded otherwise.
    EXPECT_LE((actual.x.get(i) - expected.x.get(i)).norm(),
              4 * std::numeric_limits<T>::epsilon() * (plain.anchor.get(i).norm() + expected.x.get(i).norm()))
        << i;
  }
}

}  // namespace
}  // namespace softradial
