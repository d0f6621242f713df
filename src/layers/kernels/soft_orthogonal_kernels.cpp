#include "kernels/soft_orthogonal_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/soft_orthogonal_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/bounded_sum_search.hpp"
#include "kernels/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {

// p, w and the slack that w runs into, for one vector of a row.
template <class T>
struct SoftLanes {
  RowVec<T> p;
  RowVec<T> w;
  RowVec<T> slack;
  hn::Mask<RowTag<T>> free;  // strictly between the bounds of D
};

template <class T>
struct SoftRow {
  const SoftBounds<T>& set;
  const T* u;
  RowVec<T> origin;
  RowVec<T> tau;
  RowVec<T> center;
  RowVec<T> most;

  HWY_INLINE SoftRow(const SoftBounds<T>& bounds, const T* row, const SoftBoundsState<T>& at)
      : set(bounds),
        u(row),
        origin(hn::Set(RowTag<T>(), at.origin)),
        tau(hn::Set(RowTag<T>(), at.tau)),
        center(hn::Set(RowTag<T>(), at.center)),
        most(hn::Set(RowTag<T>(), farthest(bounds))) {}

  // Differences of finite numbers may overflow, and so may their sum. A coordinate this far away is at its bound, however far.
  HWY_INLINE static T farthest(const SoftBounds<T>& bounds) {
    return std::numeric_limits<T>::max() / (8 * static_cast<T>(bounds.smaller.dim));
  }
  HWY_INLINE RowVec<T> clamped(RowVec<T> e) const { return hn::Min(hn::Max(e, hn::Neg(most)), most); }

  template <class Lanes>
  HWY_INLINE SoftLanes<T> at(Lanes lanes) const {
    const RowTag<T> tag;
    const auto e = clamped(hn::Sub(lanes.load(u), origin));
    const auto low = lanes.load(set.smaller.lower);
    const auto high = lanes.load(set.smaller.upper);
    const auto v = hn::Sub(e, tau);
    const auto p = hn::Min(hn::Max(v, low), high);
    const auto w = hn::Mul(lanes.load(set.moves), hn::Sub(hn::Sub(e, center), p));
    const auto up = hn::Sub(lanes.load(set.upper), p);
    const auto down = hn::Sub(p, lanes.load(set.lower));
    // Rounding must not make a slack vanish.
    const auto slack =
        hn::Max(hn::IfThenElse(hn::Gt(w, hn::Zero(tag)), up, down), hn::Set(tag, std::numeric_limits<T>::min()));
    return {p, w, slack, hn::And(hn::Gt(v, low), hn::Lt(v, high))};
  }
};

template <class T>
HWY_INLINE T soft_phi(const SoftBounds<T>& set, T gamma) {
  return 1 / (1 / set.kappa + gamma);
}

// Computes the state of a row; false if it is not finite. `scratch` is a row.
template <class T>
HWY_INLINE bool soft_place(const SoftBounds<T>& set, const T* u, T* scratch, SoftBoundsState<T>& at,
                           std::size_t& steps) {
  at = {T{0}, T{0}, T{0}, T{0}, T{0}, 0};
  const std::size_t n = set.smaller.dim;
  if (set.sum) {
    BoundedSumShift<T> shift;
    if (!find_shift(set.smaller, u, scratch, shift, steps)) return false;
    at.origin = shift.origin;
    at.tau = shift.tau;
    const SoftRow<T> row(set, u, at);
    Sum4<T> moving;
    for_each_lanes<T>(n, [&](int k, auto lanes) SOFTRADIAL_LANES {
      moving.s[k] = hn::MulAdd(lanes.load(set.moves), row.clamped(lanes.load(scratch)), moving.s[k]);
    });
    at.center = set.count > 0 ? (moving.total() - (set.smaller.total - set.fixed)) / set.count : T{0};
  } else {
    Sum4<T> zeros;
    for_each_lanes<T>(n, [&](int k, auto lanes) SOFTRADIAL_LANES {
      const auto v = lanes.load(u);
      zeros.s[k] = hn::Add(zeros.s[k], hn::Sub(v, v));
    });
    if (!(zeros.total() == 0)) return false;
  }
  const SoftRow<T> row(set, u, at);
  const RowTag<T> tag;
  auto most = hn::Zero(tag);
  LaneIndex<T> here_index;
  LaneIndex<T> best_index;
  for_each_lanes<T>(n, [&](int, auto lanes) SOFTRADIAL_LANES {
    const auto here = row.at(lanes);
    const auto ratio = lanes.only(hn::Div(hn::Abs(here.w), here.slack));
    best_index.take_if(hn::Gt(ratio, most), here_index);
    most = hn::Max(most, ratio);
    here_index.advance();
  });
  at.gamma = hn::GetLane(hn::MaxOfLanes(tag, most));
  if (!(at.gamma > 0)) return true;
  const typename LaneIndex<T>::Tag index_tag;
  const auto first = best_index.or_none(hn::Eq(most, hn::Set(tag, at.gamma)));
  at.active = hn::GetLane(hn::MinOfLanes(index_tag, first));
  const SoftLanes<T> here = row.at(TailLanes<T>{static_cast<std::size_t>(at.active), 1});
  at.push = (hn::GetLane(here.w) > 0 ? 1 : -1) / hn::GetLane(here.slack);
  return true;
}

template <class T>
std::size_t soft_orthogonal_rows(const SoftBounds<T>& set, Rows<const T> u, Rows<T> x,
                                 SoftBoundsState<T>* states) noexcept {
  const RowTag<T> tag;
  const std::size_t n = set.smaller.dim;
  std::size_t steps = 0;
  for (std::size_t i = 0; i < u.count(); ++i) {
    T* const to = x.row(i);
    SoftBoundsState<T> at;
    const bool finite = soft_place(set, u.row(i), to, at, steps);
    if (finite) {
      const SoftRow<T> row(set, u.row(i), at);
      const auto phi = hn::Set(tag, soft_phi(set, at.gamma));
      for_each_lanes<T>(n, [&](int, auto lanes) SOFTRADIAL_LANES {
        const auto here = row.at(lanes);
        const auto v = hn::MulAdd(phi, here.w, here.p);
        lanes.store(hn::Min(hn::Max(v, lanes.load(set.lower)), lanes.load(set.upper)), to);
      });
    } else {
      fill_nan(to, n);
      at.gamma = std::numeric_limits<T>::quiet_NaN();
    }
    if (states != nullptr) states[i] = at;
  }
  return steps;
}

template <class T>
void soft_orthogonal_vjp_rows(const SoftBounds<T>& set, Rows<const T> u, const SoftBoundsState<T>* states,
                              Rows<const T> g, Rows<T> grad_u) noexcept {
  const RowTag<T> tag;
  const std::size_t n = set.smaller.dim;
  const auto one = hn::Set(tag, T{1});
  for (std::size_t i = 0; i < u.count(); ++i) {
    const SoftBoundsState<T>& at = states[i];
    T* const to = grad_u.row(i);
    if (std::isnan(at.gamma)) {
      fill_nan(to, n);
      continue;
    }
    const T* const from = g.row(i);
    const SoftRow<T> row(set, u.row(i), at);
    const T phi = soft_phi(set, at.gamma);
    const auto scale = hn::Set(tag, phi);
    Sum4<T> moving;
    Sum4<T> inside;
    Sum4<T> count;
    Sum4<T> along;
    for_each_lanes<T>(n, [&](int k, auto lanes) SOFTRADIAL_LANES {
      const auto here = row.at(lanes);
      const auto v = lanes.load(from);
      moving.s[k] = hn::MulAdd(lanes.load(set.moves), v, moving.s[k]);
      inside.s[k] = hn::Add(inside.s[k], hn::IfThenElseZero(here.free, v));
      count.s[k] = hn::Add(count.s[k], hn::IfThenElseZero(here.free, one));
      along.s[k] = hn::MulAdd(hn::Mul(scale, here.w), v, along.s[k]);
    });
    const T free = count.total();
    // t nu has one entry, at the active coordinate j; so has (gamma - 1) t nu, which Q keeps if j is free. |phi w| <= slack.
    const auto j = static_cast<std::size_t>(at.active);
    const T push_along = along.total() * at.push;
    const T push = phi * push_along;
    const bool is_free = hn::GetLane(hn::IfThenElseZero(row.at(TailLanes<T>{j, 1}).free, one)) > 0;
    // phi (gamma - 1) tends to 1 where gamma overflows.
    const T share = is_finite(at.gamma) ? phi * (at.gamma - 1) : T{1};
    const T push_free = is_free ? push_along * share : T{0};
    const T mean = set.sum && set.count > 0 ? (phi * moving.total() - push) / set.count : T{0};
    const T mean_free = set.sum && free > 0 ? ((1 - phi) * inside.total() - push_free) / free : T{0};
    const auto rest = hn::Set(tag, 1 - phi);
    const auto offset = hn::Set(tag, mean);
    const auto offset_free = hn::Set(tag, mean_free);
    for_each_lanes<T>(n, [&](int, auto lanes) SOFTRADIAL_LANES {
      const auto v = lanes.load(from);
      const auto all = hn::Mul(lanes.load(set.moves), hn::MulSub(scale, v, offset));
      const auto some = hn::IfThenElseZero(row.at(lanes).free, hn::MulSub(rest, v, offset_free));
      lanes.store(hn::Add(all, some), to);
    });
    to[j] -= push + push_free;
  }
}

template <class T>
constexpr SoftOrthogonalKernels<T> kSoftOrthogonalKernels{.project = soft_orthogonal_rows<T>,
                                                          .vjp = soft_orthogonal_vjp_rows<T>};
const SoftOrthogonalKernels<float>& soft_orthogonal_kernels_f32() { return kSoftOrthogonalKernels<float>; }
const SoftOrthogonalKernels<double>& soft_orthogonal_kernels_f64() { return kSoftOrthogonalKernels<double>; }

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(soft_orthogonal_kernels_f32);
HWY_EXPORT(soft_orthogonal_kernels_f64);
template <>
const SoftOrthogonalKernels<float>& SoftOrthogonalKernels<float>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(soft_orthogonal_kernels_f32)();
}
template <>
const SoftOrthogonalKernels<double>& SoftOrthogonalKernels<double>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(soft_orthogonal_kernels_f64)();
}

}  // namespace softradial::kernels
#endif  // HWY_ONCE
