#include "sets/rows/row_slack_kernels.hpp"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sets/rows/row_slack_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/simd_guard.hpp"
#include "kernels/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {

template <class T>
T guarded_scales_of(const LinearSlack<T>& slack, const T* HWY_RESTRICT norms, const AnchorSize<T>& size, std::size_t m,
                    T* HWY_RESTRICT scale) noexcept {
  const RowTag<T> tag;
  const guard::LaneMath<T> math;
  const auto anchor_norm = hn::Set(tag, size.norm);
  const auto infinity = hn::Set(tag, std::numeric_limits<T>::infinity());
  const auto smallest = hn::Set(tag, guard::kSmallestSlack<T>);
  const auto largest = hn::Set(tag, guard::kLargestNorm<T>);
  const auto zero = hn::Zero(tag);
  auto good = hn::FirstN(tag, hn::Lanes(tag));
  auto steepest = zero;
  // Lanes behind the last row read as 0.x <= 0.
  for_each_lanes<T>(m, [&](int, auto lanes) SOFTRADIAL_LANES {
    const auto at =
        slack.image != nullptr ? hn::Sub(lanes.load(slack.b), lanes.load(slack.image)) : lanes.load(slack.b);
    const auto norm = lanes.load(norms);
    const auto open = hn::Or(hn::Eq(at, infinity), hn::And(hn::Eq(norm, zero), hn::Ge(at, zero)));
    const auto ordinary = hn::And(hn::Ge(norm, smallest), hn::Le(norm, largest));
    const auto guarded = guard::guarded_slack(math, at, guard::row_loss(math, size.roundings, anchor_norm, norm));
    good = hn::And(good, hn::Or(open, hn::And(ordinary, guard::resolvable(math, at, guarded))));
    const auto inverse = guard::reciprocal_slack(math, open, guarded);
    steepest = hn::Max(steepest, hn::IfThenZeroElse(open, hn::Mul(norm, inverse)));
    lanes.store(inverse, scale);
  });
  const T bound = hn::GetLane(hn::MaxOfLanes(tag, steepest));
  return hn::AllTrue(tag, good) && bound <= guard::kLargestNorm<T> ? bound : T{-1};
}

template <bool kImage, class T>
HWY_INLINE T shared_scales_of(const SharedRows<T>& rows, const T* HWY_RESTRICT b, T* HWY_RESTRICT scale) {
  const RowTag<T> tag;
  const guard::LaneMath<T> math;
  const auto infinity = hn::Set(tag, std::numeric_limits<T>::infinity());
  auto good = hn::FirstN(tag, hn::Lanes(tag));
  auto steepest = hn::Zero(tag);
  for_each_lanes<T>(rows.norms.size(), [&](int, auto lanes) SOFTRADIAL_LANES {
    auto slack = lanes.load(b);
    if constexpr (kImage) slack = hn::Sub(slack, lanes.load(rows.image));
    // In lanes behind the end both sides are 0. A NaN is not greater than anything.
    good = hn::And(good, hn::Ge(slack, lanes.load(rows.least.data())));
    const auto guarded = guard::guarded_slack(math, slack, lanes.load(rows.loss.data()));
    const auto inverse = guard::reciprocal_slack(math, hn::Eq(slack, infinity), guarded);
    steepest = hn::Max(steepest, lanes.only(hn::Mul(lanes.load(rows.norms.data()), inverse)));
    lanes.store(inverse, scale);
  });
  const T bound = hn::GetLane(hn::MaxOfLanes(tag, steepest));
  return hn::AllTrue(tag, good) && bound <= guard::kLargestNorm<T> ? bound : T{-1};
}

template <class T>
void shared_scale_rows(const SharedRows<T>& rows, Rows<const T> b, Rows<T> scales, T* steepest) noexcept {
  for (std::size_t i = 0; i < b.count(); ++i) {
    steepest[i] = rows.image != nullptr ? shared_scales_of<true>(rows, b.row(i), scales.row(i))
                                        : shared_scales_of<false>(rows, b.row(i), scales.row(i));
  }
}

template <class T>
constexpr RowSlackKernels<T> kRowSlackKernels{.guarded_scales = guarded_scales_of<T>,
                                              .guarded_scale_rows = shared_scale_rows<T>};
const RowSlackKernels<float>& row_slack_kernels_f32() { return kRowSlackKernels<float>; }
const RowSlackKernels<double>& row_slack_kernels_f64() { return kRowSlackKernels<double>; }

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(row_slack_kernels_f32);
HWY_EXPORT(row_slack_kernels_f64);
template <>
const RowSlackKernels<float>& RowSlackKernels<float>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(row_slack_kernels_f32)();
}
template <>
const RowSlackKernels<double>& RowSlackKernels<double>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(row_slack_kernels_f64)();
}

// Solves  guarded = keep slack - loss >= 3/4 slack  and  guarded >= kSmallestSlack  for the slack, and adds a few ulp, so
// that rounding cannot let one through.
template <class T>
SharedRows<T>::SharedRows(std::span<const T> row_norms, const AnchorSize<T>& size, const T* image_of_anchor)
    : norms(row_norms), image(image_of_anchor), loss(norms.size()), least(norms.size()) {
  constexpr T kTaken = guard::kRoundings * guard::kUlp<T>;
  constexpr T kKeep = 1 - kTaken;
  constexpr T kMostKept = 1 - T{guard::kMostSigma};
  for (std::size_t k = 0; k < norms.size(); ++k) {
    loss[k] = guard::row_loss(guard::Scalars<T>(), size.roundings, size.norm, norms[k]);
    least[k] = (1 + kTaken) * std::max(loss[k] / (kKeep - kMostKept), (guard::kSmallestSlack<T> + loss[k]) / kKeep);
  }
}

template struct SharedRows<float>;
template struct SharedRows<double>;

}  // namespace softradial::kernels
#endif  // HWY_ONCE
