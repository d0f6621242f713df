// Rows so large that |d|^2 leaves the number range: cotangents are finite, and those of the set are the limit that rows
// of ordinary size approach along the same ray.

#include <gtest/gtest.h>

#include "sample_batches.hpp"

namespace softradial {
namespace {

using Eigen::VectorXd;
using support::Batch;
using support::BoundsBatch;
using support::BoundsCotangents;
using support::BoundsKind;
using support::NamedMethod;
using support::PolyhedraBatch;
using support::PolyhedraCotangents;
using support::Projected;
using support::RandomPoints;
using support::Wanted;

constexpr std::size_t kCount = 40;
constexpr std::size_t kDim = 6;

// A row below and one above the size at which rows are scaled (2^30 or 2^300), a power of two apart. Where the sets have
// size 1 the close row is still so far out that r, s and the direction are at their limits to `kNear`.
template <class T>
struct Sizes {
  static constexpr double kFar = sizeof(T) == 4 ? 0x1p100 : 0x1p1000;
  static constexpr double kClose = sizeof(T) == 4 ? 0x1p26 : 0x1p60;
  // The anchor's part in the close row's direction and 1 - s of the gauge map, 1 / |d|; rounding, times the condition.
  static constexpr double kNear = 100 / kClose + 1000 * std::numeric_limits<T>::epsilon();
};

template <class T>
class ExtremeSamples : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ExtremeSamples, Precisions);

template <class T>
void is_near(const Batch<T>& far, const Batch<T>& close, double factor, const Batch<T>& grad_x, const char* name) {
  for (std::size_t i = 0; i < far.count(); ++i) {
    const VectorXd expected = close.get(i);
    EXPECT_TRUE(far.get(i).allFinite()) << name << " of row " << i;
    EXPECT_LE((far.get(i) * factor - expected).norm(), Sizes<T>::kNear * (grad_x.get(i).norm() + expected.norm()))
        << name << " of row " << i << ": " << far.get(i).transpose() * factor << " instead of " << expected.transpose();
  }
}

TYPED_TEST(ExtremeSamples, CotangentsOfBoundsAreTheLimit) {
  using T = TypeParam;
  for (const NamedMethod& m : support::all_methods()) {
    for (const BoundsKind& kind : support::bounds_kinds()) {
      for (const Wanted wanted : {Wanted::everything, Wanted::all_but_lower}) {
        SCOPED_TRACE(testing::Message() << m.name << ", " << kind.name << ", wanted " << static_cast<int>(wanted));
        RandomPoints random(61);
        BoundsBatch<T> close = support::random_bounds<T>(random, kCount, kDim, kind);
        BoundsBatch<T> far = close;
        for (std::size_t i = 0; i < kCount; ++i) {
          const VectorXd v = random.gaussian(kDim).template cast<T>().template cast<double>();
          close.u.set(i, Sizes<T>::kClose * v);
          far.u.set(i, Sizes<T>::kFar * v);
        }
        const Batch<T> grad_x = support::gaussian_rows<T>(random, kCount, kDim);
        const Projected<T> close_forward = support::project(m.method, close);
        const Projected<T> far_forward = support::project(m.method, far);
        const BoundsCotangents<T> expected = support::vjp(m.method, close, close_forward, grad_x, wanted);
        const BoundsCotangents<T> actual = support::vjp(m.method, far, far_forward, grad_x, wanted);
        is_near(actual.lower, expected.lower, 1, grad_x, "lower");
        is_near(actual.upper, expected.upper, 1, grad_x, "upper");
        is_near(actual.total, expected.total, 1, grad_x, "total");
        is_near(actual.anchor, expected.anchor, 1, grad_x, "anchor");
        // grad_u falls like 1 / |u|.
        for (std::size_t i = 0; i < kCount; ++i) {
          const double ratio = Sizes<T>::kFar / Sizes<T>::kClose;
          const VectorXd limit = expected.u.get(i);
          EXPECT_LE((actual.u.get(i) * ratio - limit).norm(),
                    Sizes<T>::kNear * (limit.norm() + grad_x.get(i).norm() / Sizes<T>::kClose))
              << i;
        }
      }
    }
  }
}

TYPED_TEST(ExtremeSamples, CotangentsOfPolyhedraAreTheLimit) {
  using T = TypeParam;
  for (const NamedMethod& m : support::all_methods()) {
    for (const bool own_matrices : {false, true}) {
      for (const bool with_hull : {false, true}) {
        SCOPED_TRACE(testing::Message() << m.name << ", own " << own_matrices << ", hull " << with_hull);
        RandomPoints random(62);
        PolyhedraBatch<T> close = support::random_polyhedra<T>(random, kCount, kDim, 40, own_matrices);
        if (with_hull) close.hull = support::random_hull(random, kDim);
        PolyhedraBatch<T> far = close;
        for (std::size_t i = 0; i < kCount; ++i) {
          const VectorXd v = random.gaussian(kDim).template cast<T>().template cast<double>();
          close.u.set(i, Sizes<T>::kClose * v);
          far.u.set(i, Sizes<T>::kFar * v);
        }
        const Batch<T> grad_x = support::gaussian_rows<T>(random, kCount, kDim);
        const PolyhedraCotangents<T> expected =
            support::vjp(m.method, close, support::project(m.method, close), grad_x);
        const PolyhedraCotangents<T> actual = support::vjp(m.method, far, support::project(m.method, far), grad_x);
        is_near(actual.slack, expected.slack, 1, grad_x, "slack");
        is_near(actual.anchor, expected.anchor, 1, grad_x, "anchor");
        double size = 0;
        double error = 0;
        for (std::size_t k = 0; k < expected.A.count(); ++k) {
          size = std::max(size, expected.A.get(k).norm());
          error = std::max(error, (actual.A.get(k) - expected.A.get(k)).norm());
        }
        EXPECT_LE(error, Sizes<T>::kNear * size);
        for (std::size_t i = 0; i < kCount; ++i) {
          const double ratio = Sizes<T>::kFar / Sizes<T>::kClose;
          const VectorXd wanted = expected.u.get(i);
          EXPECT_LE((actual.u.get(i) * ratio - wanted).norm(),
                    Sizes<T>::kNear * (wanted.norm() + grad_x.get(i).norm() / Sizes<T>::kClose))
              << i;
        }
      }
    }
  }
}

// The largest float rows are ordinary ones in double: the same numbers through the other path.
TEST(ExtremeFloatSamples, HaveTheCotangentsOfDouble) {
  // Rounding in float, times the condition of sets with slacks from 0.03.
  constexpr double kRounding = 1e3 * std::numeric_limits<float>::epsilon();
  const auto widen = [](const Batch<float>& narrow) {
    Batch<double> out(narrow.count(), narrow.dim());
    for (std::size_t i = 0; i < narrow.count(); ++i) out.set(i, narrow.get(i));
    return out;
  };
  for (const NamedMethod& m : support::all_methods()) {
    for (const bool sum : {false, true}) {
      SCOPED_TRACE(testing::Message() << m.name << ", sum " << sum);
      RandomPoints random(63);
      BoundsBatch<float> coarse = support::random_bounds<float>(random, kCount, kDim, {"with anchors", sum, true});
      coarse.u = support::rows_at_scales<float>(random, VectorXd::Zero(kDim), {1e10, 1e20, 1e30, 1e37}, kCount / 4);
      BoundsBatch<double> fine(kCount, kDim);
      fine.u = widen(coarse.u);
      fine.lower = widen(coarse.lower);
      fine.upper = widen(coarse.upper);
      fine.anchor = widen(*coarse.anchor);
      if (coarse.total) fine.total = widen(*coarse.total);
      const Batch<float> grad_x = support::gaussian_rows<float>(random, kCount, kDim);
      const Projected<float> coarse_forward = support::project(m.method, coarse);
      const Projected<double> fine_forward = support::project(m.method, fine);
      const auto actual = support::vjp(m.method, coarse, coarse_forward, grad_x);
      const auto expected = support::vjp(m.method, fine, fine_forward, widen(grad_x));
      for (std::size_t i = 0; i < kCount; ++i) {
        SCOPED_TRACE(i);
        EXPECT_LE((coarse_forward.x.get(i) - fine_forward.x.get(i)).norm(),
                  kRounding * (10 + fine_forward.x.get(i).norm()));
        EXPECT_LE((actual.row(i) - expected.row(i)).norm(),
                  kRounding * (grad_x.get(i).norm() + expected.row(i).norm()));
      }
    }
  }
}

}  // namespace
}  // namespace softradial
