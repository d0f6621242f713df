// Strict feasibility of every row, judged in exact arithmetic on the row's own data.

#include <gtest/gtest.h>

#include "reference/exact_judge.hpp"
#include "sample_batches.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using reference::ExactJudge;
using reference::Verdict;
using support::Batch;
using support::BoundsBatch;
using support::BoundsKind;
using support::NamedMethod;
using support::PolyhedraBatch;
using support::Projected;
using support::RandomPoints;

template <class T>
std::vector<double> scales_of_u() {
  if constexpr (sizeof(T) == 4) {
    return {0, 1e-3, 1, 10, 1e3, 1e8, 1e10, 1e20, 1e30, 1e37};
  } else {
    return {0, 1e-3, 1, 10, 1e3, 1e8, 1e30, 1e80, 1e100, 1e300};
  }
}
constexpr std::size_t kRowsPerScale = 40;

template <class T>
void is_feasible(const ExactJudge& judge, std::span<const T> x) {
  const Verdict verdict = judge.judge(x);
  EXPECT_TRUE(verdict.inside) << "slack " << verdict.slack;
  EXPECT_LE(verdict.residual, reference::kResidualUlps * std::numeric_limits<T>::epsilon());
}

template <class T>
class SampleFeasibility : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SampleFeasibility, Precisions);

template <class T>
void bounds_are_kept(RandomPoints& random, std::size_t dim, const BoundsKind& kind, double size) {
  const std::size_t count = scales_of_u<T>().size() * kRowsPerScale;
  BoundsBatch<T> batch = support::random_bounds<T>(random, count, dim, kind, size);
  batch.u = support::rows_at_scales<T>(random, VectorXd::Zero(static_cast<Eigen::Index>(dim)), scales_of_u<T>(),
                                       kRowsPerScale);
  // Half of the rows stand on a large common offset, which a sum constraint takes away.
  for (std::size_t i = 0; i < count; i += 2) {
    for (T& u : batch.u[i]) u += T(1e4);
  }
  const AffineHull hull = kind.sum ? support::sum_hull(dim) : AffineHull::whole_space(dim);
  std::vector<ExactJudge> judges;
  for (std::size_t i = 0; i < count; ++i) judges.emplace_back(support::set_of_row(batch, i), hull);
  for (const NamedMethod& m : support::all_methods()) {
    const Projected<T> projected = support::project(m.method, batch);
    for (std::size_t i = 0; i < count; ++i) {
      SCOPED_TRACE(testing::Message() << m.name << ", row " << i);
      ASSERT_EQ(projected.status[i], RowStatus::ok);
      is_feasible<T>(judges[i], projected.x[i]);
    }
  }
}

// Projects the batch by every method and judges the rows that have an interior; returns how many there were.
template <class T>
int count_feasible(const BoundsBatch<T>& batch, const AffineHull& hull) {
  int resolved = 0;
  for (const NamedMethod& m : support::all_methods()) {
    SCOPED_TRACE(m.name);
    const Projected<T> projected = support::project(m.method, batch);
    for (std::size_t i = 0; i < batch.count(); ++i) {
      SCOPED_TRACE(i);
      if (projected.status[i] != RowStatus::ok) continue;
      ++resolved;
      is_feasible<T>(ExactJudge(support::set_of_row(batch, i), hull), projected.x[i]);
    }
  }
  return resolved;
}

TYPED_TEST(SampleFeasibility, OfBounds) {
  RandomPoints random(31);
  for (const BoundsKind& kind : support::bounds_kinds()) {
    for (const double size : {1e-6, 1.0, 1e5}) {
      for (const std::size_t dim : {2, 7, 33}) {
        SCOPED_TRACE(testing::Message() << kind.name << ", size " << size << ", dim " << dim);
        bounds_are_kept<TypeParam>(random, dim, kind, size);
      }
    }
  }
}

// Intervals of a few hundred ulp, far from the origin: the guard takes a good part of them, or says that it cannot.
TYPED_TEST(SampleFeasibility, OfThinBounds) {
  using T = TypeParam;
  RandomPoints random(32);
  constexpr T kUlp = std::numeric_limits<T>::epsilon();
  BoundsBatch<T> batch(600, 3);
  for (std::size_t i = 0; i < batch.count(); ++i) {
    random.fill_row(batch.u[i], VectorXd::Zero(3), i % 2 == 0 ? 10 : 1e25);
    for (std::size_t j = 0; j < 3; ++j) {
      const T low = static_cast<T>(random.uniform(-2, 2));
      const T width = std::round(static_cast<T>(random.uniform(1, 300))) * kUlp;
      batch.lower[i][j] = low;
      batch.upper[i][j] = low + width;
    }
  }
  EXPECT_GE(count_feasible(batch, AffineHull::whole_space(3)), 2000);
}

// Caps whose sum is hardly more than the total, and totals that are a small part of it: the anchor lies close to a bound.
TYPED_TEST(SampleFeasibility, OfThinCaps) {
  using T = TypeParam;
  RandomPoints random(35);
  constexpr std::size_t kDim = 9;
  BoundsBatch<T> batch = support::random_bounds<T>(random, 900, kDim, support::kCaps);
  for (std::size_t i = 0; i < batch.count(); ++i) {
    for (T& cap : batch.upper[i]) cap = static_cast<T>(random.uniform(0.01, 1));
    const double gap = std::pow(10.0, random.uniform(std::log10(10 * std::numeric_limits<T>::epsilon()), -1));
    (*batch.total)[i][0] = static_cast<T>(batch.upper.get(i).sum() * (i % 3 == 0 ? gap : 1 - gap));
    random.fill_row(batch.u[i], VectorXd::Zero(kDim), i % 2 == 0 ? 10 : 1e25);
  }
  EXPECT_GE(count_feasible(batch, support::sum_hull(kDim)), 5000);
}

// Bounds at the end of the number range, where a slack overflows or its reciprocal is not a normal number.
TYPED_TEST(SampleFeasibility, OfHugeBounds) {
  using T = TypeParam;
  RandomPoints random(33);
  constexpr double kHuge = std::numeric_limits<T>::max();
  BoundsBatch<T> batch(200, 4);
  for (std::size_t i = 0; i < batch.count(); ++i) {
    batch.lower.set(i, VectorXd{{-kHuge, -kHuge / 2, 0, -kHuge * random.uniform(0.1, 1)}});
    batch.upper.set(i, VectorXd{{kHuge, kHuge / 3, kHuge * random.uniform(0.1, 1), kHuge / 1e6}});
    random.fill_row(batch.u[i], VectorXd::Zero(4), i % 2 == 0 ? kHuge : kHuge / 1e5);
  }
  const AffineHull hull = AffineHull::whole_space(4);
  for (const bool own_anchor : {false, true}) {
    if (own_anchor) {
      const VectorXd anchor{{kHuge / 2, kHuge / 5, kHuge / 50, 0}};
      batch.anchor.emplace(batch.count(), 4);
      for (std::size_t i = 0; i < batch.count(); ++i) batch.anchor->set(i, anchor);
      // Every slack below overflows.
      batch.lower.set(0, VectorXd::Constant(4, -kHuge));
      batch.upper.set(0, VectorXd::Constant(4, kHuge));
      batch.anchor->set(0, VectorXd::Constant(4, kHuge / 2));
      batch.u.set(0, batch.anchor->get(0));
    }
    for (const NamedMethod& m : support::all_methods()) {
      SCOPED_TRACE(testing::Message() << m.name << ", own anchor " << own_anchor);
      const Projected<T> projected = support::project(m.method, batch);
      for (std::size_t i = 0; i < batch.count(); ++i) {
        SCOPED_TRACE(i);
        ASSERT_EQ(projected.status[i], RowStatus::ok);
        is_feasible<T>(ExactJudge(support::set_of_row(batch, i), hull), projected.x[i]);
      }
    }
  }
}

// How the caller gets its slacks: b - A u0 in double, rounded once, or b - fl(A u0) in the precision of the rows.
enum class SlackBy { one_rounding, two_roundings };

template <class T>
void polyhedra_are_kept(RandomPoints& random, std::size_t dim, std::size_t num_rows, bool own_matrices, bool with_hull,
                        double anchor_size, SlackBy slack_by) {
  const std::size_t count = scales_of_u<T>().size() * kRowsPerScale;
  PolyhedraBatch<T> batch = support::random_polyhedra<T>(random, count, dim, num_rows, own_matrices, anchor_size);
  if (with_hull) batch.hull = support::random_hull(random, dim);
  batch.u = support::rows_at_scales<T>(random, VectorXd::Zero(static_cast<Eigen::Index>(dim)), scales_of_u<T>(),
                                       kRowsPerScale);
  std::vector<ExactJudge> judges;
  for (std::size_t i = 0; i < count; ++i) {
    const MatrixXd A = batch.matrix(i);
    const VectorXd image = A * batch.anchor.get(i);
    const VectorXd b = (image + batch.slack.get(i)).template cast<T>().template cast<double>();
    const VectorXd rounded = image.template cast<T>().template cast<double>();
    batch.slack.set(i, slack_by == SlackBy::one_rounding ? VectorXd(b - image) : VectorXd(b - rounded));
    const Set set =
        with_hull ? Polyhedron(A, b, batch.hull.normals, batch.hull.normals * batch.anchor.get(i)) : Polyhedron(A, b);
    judges.emplace_back(set, batch.hull);
  }
  for (const NamedMethod& m : support::all_methods()) {
    const Projected<T> projected = support::project(m.method, batch);
    for (std::size_t i = 0; i < count; ++i) {
      SCOPED_TRACE(testing::Message() << m.name << ", row " << i);
      ASSERT_EQ(projected.status[i], RowStatus::ok);
      is_feasible<T>(judges[i], projected.x[i]);
    }
  }
}

TYPED_TEST(SampleFeasibility, OfPolyhedra) {
  RandomPoints random(34);
  for (const bool own_matrices : {false, true}) {
    for (const bool with_hull : {false, true}) {
      for (const SlackBy slack_by : {SlackBy::one_rounding, SlackBy::two_roundings}) {
        for (const double anchor_size : {0.0, 1.0, 1e3}) {
          // Unbounded, bounded, more rows than a panel.
          for (const std::size_t num_rows : {1, 12, 40}) {
            SCOPED_TRACE(testing::Message()
                         << "own " << own_matrices << ", hull " << with_hull << ", roundings "
                         << static_cast<int>(slack_by) + 1 << ", anchor " << anchor_size << ", rows " << num_rows);
            polyhedra_are_kept<TypeParam>(random, 6, num_rows, own_matrices, with_hull, anchor_size, slack_by);
          }
        }
      }
    }
  }
}

// In double the caller has no wider precision for A u0: a sum of many terms errs by more than one rounding. 1000 times 0.1,
// one after the other, comes out 1.4e-12 below 100, which a slack of 0.001 is then too large by.
TEST(SampleFeasibilityInDouble, OfSlacksThatAreSums) {
  constexpr std::size_t kDim = 1000;
  constexpr double kSlack = 1e-3;
  PolyhedraBatch<double> batch(4, kDim, 1, false);
  batch.A.set(0, VectorXd::Ones(kDim));
  const VectorXd anchor = VectorXd::Constant(kDim, 0.1);
  double image = 0;
  for (const double v : anchor) image += v;
  const double b = 100 + kSlack;
  for (std::size_t i = 0; i < batch.count(); ++i) {
    batch.anchor.set(i, anchor);
    batch.slack.set(i, VectorXd::Constant(1, b - image));
    batch.u.set(i, VectorXd::Constant(kDim, std::pow(10.0, 2.0 * static_cast<double>(i))));
  }
  const ExactJudge judge(Polyhedron(MatrixXd::Ones(1, kDim), VectorXd::Constant(1, b)), batch.hull);
  for (const NamedMethod& m : support::all_methods()) {
    SCOPED_TRACE(m.name);
    const Projected<double> projected = support::project(m.method, batch);
    for (std::size_t i = 0; i < batch.count(); ++i) {
      ASSERT_EQ(projected.status[i], RowStatus::ok);
      is_feasible<double>(judge, projected.x[i]);
    }
  }
}

}  // namespace
}  // namespace softradial
