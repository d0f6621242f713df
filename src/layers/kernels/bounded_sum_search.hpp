// Included once for every vector target, inside foreach_target: no include guard of the usual kind.
#if defined(SOFTRADIAL_KERNELS_BOUNDED_SUM_SEARCH_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SOFTRADIAL_KERNELS_BOUNDED_SUM_SEARCH_HPP
#undef SOFTRADIAL_KERNELS_BOUNDED_SUM_SEARCH_HPP
#else
#define SOFTRADIAL_KERNELS_BOUNDED_SUM_SEARCH_HPP
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstddef>
#include <limits>

#include "kernels/simd_rows.hpp"
#include "kernels/simplex_kernels.hpp"

// The search for tau of an orthogonal projection onto bounds and a sum: simplex_kernels.hpp describes it.
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

// s(tau) and the number of free coordinates, for the offsets e of u.
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
  // Behind the end of the row both bounds are 0: these lanes add nothing and none counts as free.
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
  T squares;
};

// Writes the offsets to e, which may be u.
template <class T>
HWY_INLINE Bracket<T> load_offsets(const BoundedSum<T>& set, const T* u, T origin, T* e) {
  const RowTag<T> tag;
  const auto from = hn::Set(tag, origin);
  auto low = hn::Set(tag, hwy::HighestValue<T>());
  auto high = hn::Set(tag, hwy::LowestValue<T>());
  Sum4<T> sum;
  Sum4<T> squares;
  for_each_lanes<T>(set.dim, [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto v = lanes.only(hn::Sub(lanes.load(u), from));
    lanes.store(v, e);
    sum.s[k] = hn::Add(sum.s[k], v);
    squares.s[k] = hn::MulAdd(v, v, squares.s[k]);
    low = hn::Min(low, lanes.only_or(hn::Sub(v, lanes.load(set.upper)), low));
    high = hn::Max(high, lanes.only_or(hn::Sub(v, lanes.load(set.lower)), high));
  });
  return {hn::GetLane(hn::MinOfLanes(tag, low)), hn::GetLane(hn::MaxOfLanes(tag, high)), sum.total(), squares.total()};
}

// The midpoint, without overflow. Equal to an end if no number lies between them.
template <class T>
HWY_INLINE T midpoint(T a, T b) {
  return a / 2 + b / 2;
}

template <class T>
HWY_INLINE bool is_finite(T v) {
  return std::abs(v) <= std::numeric_limits<T>::max();
}

// Writes the offsets from `origin` to e and finds tau for them. The search starts at 0 if `near`, else at the guide's tau or at
// mean - total / n. Returns false if the row is not finite.
template <class T>
HWY_INLINE bool find_tau(const BoundedSum<T>& set, const T* u, T origin, bool near, T* e, T& tau, std::size_t& steps) {
  const std::size_t n = set.dim;
  // About the rounding of a sum of n numbers of the size of the total.
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
  const T mean = bracket.sum / static_cast<T>(n);
  const T variance = bracket.squares / static_cast<T>(n) - mean * mean;
  const T spread = std::sqrt(variance + set.guide.width2);
  // In a row that is narrower than the bounds most coordinates are free. If all are, mean - total / n is exact.
  const bool guided = set.guide.density > 0 && variance > set.guide.width2;
  tau = near     ? T{0}
        : guided ? mean - set.guide.middle - set.guide.quantile * spread
                 : mean - set.total / static_cast<T>(n);
  if (!(tau > bracket.low && tau < bracket.high)) tau = midpoint(bracket.low, bracket.high);
  constexpr int kGuidedSteps = 4;
  for (int step = guided ? 0 : kGuidedSteps;; ++step) {
    ++steps;
    const ClippedSum<T> at = clipped_sum(set, e, tau);
    const T excess = at.sum - set.total;
    if (std::abs(excess) <= resolution) return true;
    (excess > 0 ? bracket.low : bracket.high) = tau;
    T next = at.free > 0           ? tau + excess / at.free
             : step < kGuidedSteps ? tau + excess * spread / set.guide.density
                                   : midpoint(bracket.low, bracket.high);
    if (!(next > bracket.low && next < bracket.high)) next = midpoint(bracket.low, bracket.high);
    if (!(next > bracket.low && next < bracket.high)) return true;
    tau = next;
  }
}

// The shift of a row's projection: x_j = clip(e_j - tau, lower_j, upper_j) with the offsets e_j = u_j - origin.
template <class T>
struct BoundedSumShift {
  T origin = 0;
  T tau = 0;
};

// Finds the shift and leaves the offsets in e. Returns false if the row is not finite.
template <class T>
HWY_INLINE bool find_shift(const BoundedSum<T>& set, const T* u, T* e, BoundedSumShift<T>& at, std::size_t& steps) {
  at.origin = largest(u, set.dim);
  if (!find_tau(set, u, at.origin, false, e, at.tau, steps)) return false;
  // If tau is large compared with the total, the offsets near it are coarse. So search once more with tau as the origin; and
  // again, because the first tau may be off by an ulp of u, which may be large compared with the total, too. If differences
  // overflow, each search moves the origin by up to an eighth of the range of numbers. One search gains the digits of T. From
  // the largest number to the smallest this takes 12 searches in single and 41 in double precision, and a few for such moves.
  constexpr int kSearches = 48;
  for (int i = 0; i < kSearches && std::abs(at.tau) > std::abs(set.total) / 2; ++i) {
    at.origin += at.tau;
    find_tau(set, u, at.origin, true, e, at.tau, steps);
  }
  return true;
}

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
