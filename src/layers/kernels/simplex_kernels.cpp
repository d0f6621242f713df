#include "kernels/simplex_kernels.hpp"

#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simplex_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "hwy/contrib/math/math-inl.h"
#include "kernels/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {

// max_j u_j
template <class T>
HWY_INLINE T largest(const T* HWY_RESTRICT u, std::size_t n) {
  const RowTag<T> tag;
  const auto first = hn::Set(tag, u[0]);
  auto most = first;
  for_each_lanes<T>(
      n, [&](int, auto lanes) SOFTRADIAL_LANES { most = hn::Max(most, lanes.only_or(lanes.load(u), first)); });
  return hn::GetLane(hn::MaxOfLanes(tag, most));
}

template <class T>
HWY_INLINE void fill_nan(T* HWY_RESTRICT x, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) x[j] = std::numeric_limits<T>::quiet_NaN();
}

template <class T>
void softmax_rows(Rows<const T> u, T total, T inverse_temperature, Rows<T> x) noexcept {
  const RowTag<T> tag;
  const std::size_t n = u.dim();
  const auto factor = hn::Set(tag, inverse_temperature);
  for (std::size_t i = 0; i < u.count(); ++i) {
    const T* const from = u.row(i);
    T* const to = x.row(i);
    const auto most = hn::Set(tag, largest(from, n));
    Sum4<T> sum;
    for_each_lanes<T>(n, [&](int k, auto lanes) SOFTRADIAL_LANES {
      const auto weight = hn::Exp(tag, hn::Mul(hn::Sub(lanes.load(from), most), factor));
      sum.s[k] = hn::Add(sum.s[k], lanes.only(weight));
      lanes.store(weight, to);
    });
    const auto scale = hn::Set(tag, total / sum.total());
    for_each_lanes<T>(n, [&](int, auto lanes) SOFTRADIAL_LANES { lanes.store(hn::Mul(scale, lanes.load(to)), to); });
  }
}

template <class T>
void softmax_vjp_rows(Rows<const T> x, Rows<const T> g, T total, T inverse_temperature, Rows<T> grad_u) noexcept {
  const RowTag<T> tag;
  const std::size_t n = x.dim();
  const auto factor = hn::Set(tag, inverse_temperature);
  for (std::size_t i = 0; i < x.count(); ++i) {
    const T* const at = x.row(i);
    const T* const from = g.row(i);
    T* const to = grad_u.row(i);
    Sum4<T> along;
    for_each_lanes<T>(n, [&](int k, auto lanes) SOFTRADIAL_LANES {
      along.s[k] = hn::MulAdd(lanes.load(at), lanes.load(from), along.s[k]);
    });
    const auto mean = hn::Set(tag, along.total() / total);
    for_each_lanes<T>(n, [&](int, auto lanes) SOFTRADIAL_LANES {
      lanes.store(hn::Mul(hn::Mul(lanes.load(at), factor), hn::Sub(lanes.load(from), mean)), to);
    });
  }
}

// s(tau) and the number of free coordinates; e are the offsets of u.
template <class T>
struct ClippedSum {
  T sum;
  T free;
};

template <class T>
HWY_INLINE ClippedSum<T> clipped_sum(const BoundedSum<T>& set, const T* HWY_RESTRICT e, T tau) {
  const RowTag<T> tag;
  const auto shift = hn::Set(tag, tau);
  const auto one = hn::Set(tag, T{1});
  Sum4<T> sum;
  Sum4<T> free;
  // After the end of the row both bounds are 0: these lanes add nothing and none counts as free.
  for_each_lanes<T>(set.dim, [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto low = lanes.load(set.lower);
    const auto high = lanes.load(set.upper);
    const auto x = hn::Sub(lanes.load(e), shift);
    const auto clipped = hn::Min(hn::Max(x, low), high);
    sum.s[k] = hn::Add(sum.s[k], clipped);
    const auto inside = hn::And(hn::Gt(x, low), hn::Lt(x, high));
    free.s[k] = hn::Add(free.s[k], hn::IfThenElseZero(inside, one));
  });
  return {sum.total(), free.total()};
}

// A bracket of tau: the smallest e - upper and the largest e - lower, for the offsets e = u - origin.
template <class T>
struct Bracket {
  T low;
  T high;
  T sum;  // of e
};

// Writes the offsets to e, which may be u.
template <class T>
HWY_INLINE Bracket<T> load_offsets(const BoundedSum<T>& set, const T* u, T origin, T* e) {
  const RowTag<T> tag;
  const auto from = hn::Set(tag, origin);
  auto low = hn::Set(tag, hwy::HighestValue<T>());
  auto high = hn::Set(tag, hwy::LowestValue<T>());
  Sum4<T> sum;
  for_each_lanes<T>(set.dim, [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto v = lanes.only(hn::Sub(lanes.load(u), from));
    lanes.store(v, e);
    sum.s[k] = hn::Add(sum.s[k], v);
    low = hn::Min(low, lanes.only_or(hn::Sub(v, lanes.load(set.upper)), low));
    high = hn::Max(high, lanes.only_or(hn::Sub(v, lanes.load(set.lower)), high));
  });
  return {hn::GetLane(hn::MinOfLanes(tag, low)), hn::GetLane(hn::MaxOfLanes(tag, high)), sum.total()};
}

// The middle, without overflow. Equal to an end if no number lies between them.
template <class T>
HWY_INLINE T midpoint(T a, T b) {
  return a / 2 + b / 2;
}

template <class T>
HWY_INLINE bool is_finite(T v) {
  return std::abs(v) <= std::numeric_limits<T>::max();
}

// Writes the offsets from `origin` to e and finds tau for them. The search starts at 0 if `near`, else at the mean.
// Returns false if the row is not finite.
template <class T>
HWY_INLINE bool find_tau(const BoundedSum<T>& set, const T* u, T origin, bool near, T* e, T& tau, std::size_t& steps) {
  const std::size_t n = set.dim;
  // The rounding of a sum of n numbers of the size of the total, about.
  const T resolution = 2 * std::numeric_limits<T>::epsilon() * std::abs(set.total);
  Bracket<T> bracket = load_offsets(set, u, origin, e);
  if (!is_finite(bracket.sum) || !is_finite(origin)) {
    bool finite = is_finite(origin);
    for (std::size_t j = 0; j < n; ++j) finite = finite && is_finite(u[j]);
    if (!finite) return false;
    // The numbers are finite, but their differences overflow. A coordinate that far away is at its bound.
    constexpr T kFar = std::numeric_limits<T>::max() / 4;
    for (std::size_t j = 0; j < n; ++j) e[j] = e[j] < -kFar ? -kFar : e[j] > kFar ? kFar : e[j];
    bracket = load_offsets(set, e, T{0}, e);
  }
  tau = near ? T{0} : (bracket.sum - set.total) / static_cast<T>(n);
  if (!(tau > bracket.low && tau < bracket.high)) tau = midpoint(bracket.low, bracket.high);
  for (;;) {
    ++steps;
    const ClippedSum<T> at = clipped_sum(set, e, tau);
    const T excess = at.sum - set.total;
    if (std::abs(excess) <= resolution) return true;
    (excess > 0 ? bracket.low : bracket.high) = tau;
    T next = at.free > 0 ? tau + excess / at.free : midpoint(bracket.low, bracket.high);
    if (!(next > bracket.low && next < bracket.high)) next = midpoint(bracket.low, bracket.high);
    if (!(next > bracket.low && next < bracket.high)) return true;
    tau = next;
  }
}

template <class T>
std::size_t project_bounded_sum_rows(const BoundedSum<T>& set, Rows<const T> u, Rows<T> x) noexcept {
  const RowTag<T> tag;
  const std::size_t n = set.dim;
  std::size_t steps = 0;
  for (std::size_t i = 0; i < u.count(); ++i) {
    const T* const from = u.row(i);
    T* const to = x.row(i);
    const T origin = largest(from, n);
    T tau = 0;
    if (!find_tau(set, from, origin, false, to, tau, steps)) {
      fill_nan(to, n);
      continue;
    }
    // If tau is large compared with the total, the offsets near it are coarse. So search once more with tau as the
    // origin.
    if (std::abs(tau) > std::abs(set.total) / 2) find_tau(set, from, origin + tau, true, to, tau, steps);
    const auto shift = hn::Set(tag, tau);
    for_each_lanes<T>(n, [&](int, auto lanes) SOFTRADIAL_LANES {
      const auto v = hn::Sub(lanes.load(to), shift);
      lanes.store(hn::Min(hn::Max(v, lanes.load(set.lower)), lanes.load(set.upper)), to);
    });
  }
  return steps;
}

template <class T>
void bounded_sum_vjp_rows(const BoundedSum<T>& set, Rows<const T> x, Rows<const T> g, Rows<T> grad_u) noexcept {
  const RowTag<T> tag;
  const std::size_t n = set.dim;
  const auto one = hn::Set(tag, T{1});
  for (std::size_t i = 0; i < x.count(); ++i) {
    const T* const at = x.row(i);
    const T* const from = g.row(i);
    T* const to = grad_u.row(i);
    const auto is_free = [&](auto lanes) SOFTRADIAL_LANES {
      const auto v = lanes.load(at);
      return hn::And(hn::Gt(v, lanes.load(set.lower)), hn::Lt(v, lanes.load(set.upper)));
    };
    Sum4<T> sum;
    Sum4<T> count_free;
    for_each_lanes<T>(n, [&](int k, auto lanes) SOFTRADIAL_LANES {
      const auto free = is_free(lanes);
      sum.s[k] = hn::Add(sum.s[k], hn::IfThenElseZero(free, lanes.load(from)));
      count_free.s[k] = hn::Add(count_free.s[k], hn::IfThenElseZero(free, one));
    });
    const T free = count_free.total();
    const auto mean = hn::Set(tag, free > 0 ? sum.total() / free : T{0});
    for_each_lanes<T>(n, [&](int, auto lanes) SOFTRADIAL_LANES {
      lanes.store(hn::IfThenElseZero(is_free(lanes), hn::Sub(lanes.load(from), mean)), to);
    });
  }
}

template <class T>
constexpr SimplexKernels<T> kSimplexKernels{.softmax = softmax_rows<T>,
                                            .softmax_vjp = softmax_vjp_rows<T>,
                                            .project_bounded_sum = project_bounded_sum_rows<T>,
                                            .bounded_sum_vjp = bounded_sum_vjp_rows<T>};
const SimplexKernels<float>& simplex_kernels_f32() { return kSimplexKernels<float>; }
const SimplexKernels<double>& simplex_kernels_f64() { return kSimplexKernels<double>; }

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(simplex_kernels_f32);
HWY_EXPORT(simplex_kernels_f64);
template <>
const SimplexKernels<float>& SimplexKernels<float>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(simplex_kernels_f32)();
}
template <>
const SimplexKernels<double>& SimplexKernels<double>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(simplex_kernels_f64)();
}

}  // namespace softradial::kernels
#endif  // HWY_ONCE
