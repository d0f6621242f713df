#include "sets/coordinates/bounds_kernels.hpp"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sets/coordinates/bounds_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/simd_guard.hpp"
#include "kernels/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {

#include "sets/coordinates/bounds_formulas.inc"

// The reach of a row, vector by vector.
template <class T>
struct Reach {
  const BoundsRow<T>& row;
  RowVec<T> spare;

  HWY_INLINE explicit Reach(const BoundsRow<T>& of) : row(of), spare(hn::Set(RowTag<T>(), of.spare)) {}
  template <class Lanes>
  HWY_INLINE RowVec<T> at(const Lanes& lanes) const {
    return reach(guard::LaneMath<T>(), lanes.load(row.lower), lanes.load(row.upper), spare);
  }
};

template <class T>
T values_sum(const T* values, std::size_t n) noexcept {
  const RowTag<T> tag;
  auto total = hn::Zero(tag);
  for_each_lanes<T>(n, [&](int, auto lanes) SOFTRADIAL_LANES { total = hn::Add(total, lanes.load(values)); });
  return hn::GetLane(hn::SumOfLanes(tag, total));
}

template <class T>
T reach_sum_of(const BoundsRow<T>& row) noexcept {
  const RowTag<T> tag;
  const Reach<T> reach(row);
  auto total = hn::Zero(tag);
  for_each_lanes<T>(row.dim,
                    [&](int, auto lanes) SOFTRADIAL_LANES { total = hn::Add(total, lanes.only(reach.at(lanes))); });
  return hn::GetLane(hn::SumOfLanes(tag, total));
}

template <class T>
void reach_anchor_of(const BoundsRow<T>& row, T theta, T* HWY_RESTRICT anchor) noexcept {
  const Reach<T> reach(row);
  const auto share = hn::Set(RowTag<T>(), theta);
  for_each_lanes<T>(row.dim, [&](int, auto lanes) SOFTRADIAL_LANES {
    lanes.store(on_reach(guard::LaneMath<T>(), lanes.load(row.lower), share, reach.at(lanes)), anchor);
  });
}

template <class T>
bool guarded_sides_of(const BoundsRow<T>& row, const T* HWY_RESTRICT anchor, T* HWY_RESTRICT up,
                      T* HWY_RESTRICT down) noexcept {
  const RowTag<T> tag;
  const guard::LaneMath<T> math;
  const auto infinity = hn::Set(tag, std::numeric_limits<T>::infinity());
  auto good = hn::FirstN(tag, hn::Lanes(tag));
  for_each_lanes<T>(row.dim, [&](int, auto lanes) SOFTRADIAL_LANES {
    const auto at = lanes.load(anchor);
    good = hn::And(good, hn::Lt(hn::Abs(at), infinity));
    const auto place = [&](RowVec<T> slack, RowVec<T> bound, RowVec<T> open_bound, T* to) SOFTRADIAL_LANES {
      const auto guarded = guard::guarded_slack(math, slack, guard::side_loss(math, at, bound));
      const auto open = lanes.or_behind_end(hn::Eq(bound, open_bound));
      good = hn::And(good, hn::Or(open, guard::resolvable(math, slack, guarded)));
      lanes.store(guard::reciprocal_slack(math, open, guarded), to);
    };
    const auto lower = lanes.load(row.lower);
    const auto upper = lanes.load(row.upper);
    place(hn::Sub(upper, at), upper, infinity, up);
    place(hn::Sub(at, lower), lower, hn::Neg(infinity), down);
  });
  return hn::AllTrue(tag, good);
}

template <class T>
T reach_dot_of(const BoundsRow<T>& row, const T* HWY_RESTRICT h) noexcept {
  const RowTag<T> tag;
  const Reach<T> reach(row);
  auto total = hn::Zero(tag);
  for_each_lanes<T>(row.dim, [&](int, auto lanes) SOFTRADIAL_LANES {
    total = hn::MulAdd(lanes.load(h), lanes.only(reach.at(lanes)), total);
  });
  return hn::GetLane(hn::SumOfLanes(tag, total));
}

template <class T>
T reach_vjp_of(const BoundsRow<T>& row, const T* HWY_RESTRICT h, T theta, T mean, T* HWY_RESTRICT grad_lower,
               T* HWY_RESTRICT grad_upper) noexcept {
  const RowTag<T> tag;
  const auto spare = hn::Set(tag, row.spare);
  const auto share = hn::Set(tag, theta);
  const auto center = hn::Set(tag, mean);
  auto rest = hn::Zero(tag);
  for_each_lanes<T>(row.dim, [&](int, auto lanes) SOFTRADIAL_LANES {
    const auto at = lanes.load(h);
    const auto grad_reach = hn::Mul(share, hn::Sub(at, center));
    const auto capped = hn::Le(hn::Sub(lanes.load(row.upper), lanes.load(row.lower)), spare);
    const auto of_upper = hn::IfThenElseZero(capped, grad_reach);
    rest = hn::Add(rest, lanes.only(hn::IfThenZeroElse(capped, grad_reach)));
    if (grad_upper != nullptr) lanes.store(of_upper, grad_upper);
    if (grad_lower != nullptr) lanes.store(hn::Sub(at, of_upper), grad_lower);
  });
  return hn::GetLane(hn::SumOfLanes(tag, rest));
}

template <class T>
constexpr BoundsKernels<T> kBoundsKernels{.sum = values_sum<T>,
                                          .reach_sum = reach_sum_of<T>,
                                          .reach_anchor = reach_anchor_of<T>,
                                          .guarded_sides = guarded_sides_of<T>,
                                          .reach_dot = reach_dot_of<T>,
                                          .reach_vjp = reach_vjp_of<T>};
const BoundsKernels<float>& bounds_kernels_f32() { return kBoundsKernels<float>; }
const BoundsKernels<double>& bounds_kernels_f64() { return kBoundsKernels<double>; }

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(bounds_kernels_f32);
HWY_EXPORT(bounds_kernels_f64);
template <>
const BoundsKernels<float>& BoundsKernels<float>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(bounds_kernels_f32)();
}
template <>
const BoundsKernels<double>& BoundsKernels<double>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(bounds_kernels_f64)();
}

}  // namespace softradial::kernels
#endif  // HWY_ONCE
