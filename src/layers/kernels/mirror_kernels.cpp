#include "kernels/mirror_kernels.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mirror_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "hwy/contrib/math/math-inl.h"
#include "kernels/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {

// Exponents are clamped to +-kMostExponent. There a share is 0 or 1 to far less than rounding, E + q does not overflow, and its
// reciprocal is a normal number. tau is searched within +-kSpan of an origin.
template <class T>
inline constexpr T kMostExponent = 80;
template <>
inline constexpr double kMostExponent<double> = 700;
template <class T>
inline constexpr T kSpan = 40;
template <>
inline constexpr double kSpan<double> = 350;

inline constexpr int kHalleySteps = 8;
// After a step this small the next error, of third order in it, is rounding: x is written, and its sum is checked.
template <class T>
inline constexpr T kLastStep = T{0x1p-8};
template <>
inline constexpr double kLastStep<double> = 0x1p-18;

template <class T>
struct MirrorSums {
  T filled;  // sum of width share
  T slope;   // sum of width share (1 - share)
  T bend;    // sum of width share (1 - share) (1 - 2 share)
};

// The sums for weights E = weight(lanes).
template <class T, class Weight>
HWY_INLINE MirrorSums<T> mirror_sums(const MirrorBounds<T>& set, T q, const Weight& weight) {
  const auto shift = hn::Set(RowTag<T>(), q);
  Sum4<T> filled;
  Sum4<T> slope;
  Sum4<T> bend;
  for_each_lanes<T>(set.dim, [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto e = weight(lanes);
    const auto share = hn::Mul(e, reciprocal_of(hn::Add(e, shift)));
    const auto part = hn::Mul(lanes.load(set.width), share);
    const auto rest = hn::NegMulAdd(part, share, part);
    filled.s[k] = hn::Add(filled.s[k], part);
    slope.s[k] = hn::Add(slope.s[k], rest);
    bend.s[k] = hn::NegMulAdd(rest, share, bend.s[k]);
  });
  const T slopes = slope.total();
  return {filled.total(), slopes, slopes + 2 * bend.total()};
}

// Writes x from the weights; returns the sum of width share.
template <class T, bool kClosed, class Weight>
HWY_INLINE T mirror_pass(const MirrorBounds<T>& set, T q, T* HWY_RESTRICT x, const Weight& weight) {
  const RowTag<T> tag;
  const auto shift = hn::Set(tag, kClosed ? q : 1 / q);
  Sum4<T> filled;
  // Behind the end of the row widths are 0.
  for_each_lanes<T>(set.dim, [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto e = weight(lanes);
    const auto share = hn::Mul(e, kClosed ? reciprocal_of(hn::Add(e, shift)) : shift);
    const auto part = hn::Mul(lanes.load(set.width), share);
    filled.s[k] = hn::Add(filled.s[k], part);
    lanes.store(hn::Min(hn::Add(lanes.load(set.lower), part), lanes.load(set.upper)), x);
  });
  return filled.total();
}

// Computes E = exp((u - origin) / T) and stores it in `weights`.
template <class T>
struct FreshWeights {
  const T* u;
  T* weights;
  RowVec<T> from;
  RowVec<T> factor;

  HWY_INLINE FreshWeights(const MirrorBounds<T>& set, const T* row, T origin, T* out)
      : u(row),
        weights(out),
        from(hn::Set(RowTag<T>(), origin)),
        factor(hn::Set(RowTag<T>(), set.inverse_temperature)) {}
  template <class Lanes>
  HWY_INLINE RowVec<T> operator()(Lanes lanes) const {
    const RowTag<T> tag;
    const auto least = hn::Set(tag, -kMostExponent<T>);
    const auto most = hn::Set(tag, kMostExponent<T>);
    const auto z = hn::Mul(hn::Sub(lanes.load(u), from), factor);
    const auto e = hn::Exp(tag, hn::Min(hn::Max(z, least), most));
    lanes.store(e, weights);
    return e;
  }
};

// Loads the weights that FreshWeights stored.
template <class T>
struct KeptWeights {
  const T* weights;
  template <class Lanes>
  HWY_INLINE RowVec<T> operator()(Lanes lanes) const {
    return lanes.load(weights);
  }
};

// The spread of a row, and the mean and variance of u / T, which only guide the search.
template <class T>
struct MirrorSpread {
  T least;
  T most;
  T mean;
  T variance;
  bool finite;
};

template <class T>
HWY_INLINE MirrorSpread<T> mirror_spread(const T* HWY_RESTRICT u, std::size_t n, T inverse_temperature) {
  const RowTag<T> tag;
  const auto first = hn::Set(tag, u[0]);
  const auto factor = hn::Set(tag, inverse_temperature);
  auto least = first;
  auto most = first;
  Sum4<T> sum;
  Sum4<T> squares;
  for_each_lanes<T>(n, [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto v = lanes.only_or(lanes.load(u), first);
    least = hn::Min(least, v);
    most = hn::Max(most, v);
    const auto d = hn::Mul(hn::Sub(v, first), factor);
    sum.s[k] = hn::Add(sum.s[k], d);
    squares.s[k] = hn::MulAdd(d, d, squares.s[k]);
  });
  const T count = static_cast<T>(n);
  const T offset = sum.total() / count;
  const T variance = squares.total() / count - offset * offset;
  bool finite = std::abs(variance) <= std::numeric_limits<T>::max();
  if (!finite) {
    finite = true;
    for (std::size_t j = 0; j < n; ++j) finite = finite && std::abs(u[j]) <= std::numeric_limits<T>::max();
  }
  return {hn::GetLane(hn::MinOfLanes(tag, least)), hn::GetLane(hn::MaxOfLanes(tag, most)),
          u[0] + offset / inverse_temperature, variance, finite};
}

template <class T>
HWY_INLINE void fill_row(T* HWY_RESTRICT x, std::size_t n, T value) {
  for (std::size_t j = 0; j < n; ++j) x[j] = value;
}

// The tau that was found for a row, origin + T log q.
template <class T>
struct MirrorShift {
  T origin;
  T q;
};

// Without upper bounds tau has a closed form.
template <class T>
HWY_INLINE MirrorShift<T> mirror_open_row(const MirrorBounds<T>& set, const T* HWY_RESTRICT u, T most,
                                          T* HWY_RESTRICT weights, T* HWY_RESTRICT x) {
  const T q = mirror_pass<T, false>(set, T{1}, x, FreshWeights<T>(set, u, most, weights)) / set.goal;
  mirror_pass<T, false>(set, q, x, KeptWeights<T>{weights});
  return {most, q};
}

template <class T>
HWY_INLINE MirrorShift<T> mirror_closed_row(const MirrorBounds<T>& set, const T* HWY_RESTRICT u,
                                            const MirrorSpread<T>& spread, T* HWY_RESTRICT weights, T* HWY_RESTRICT x,
                                            std::size_t& steps) {
  // If all u were v, tau would be v - T level. So v is searched between the least and the largest u. With the origin at v,
  // q = exp((tau - origin) / T) begins at exp(-level).
  T low = spread.least;
  T high = spread.most;
  const T start = std::exp(-set.level);
  // If the u were normally distributed, a logistic function of them would have nearly this mean.
  const T wider = std::sqrt(1 + spread.variance * static_cast<T>(std::numbers::pi / 8));
  T origin = spread.mean - set.level / set.inverse_temperature * (wider - 1);
  if (!(origin > low && origin < high)) origin = low / 2 + high / 2;
  const auto fresh_sums = [&](T at) SOFTRADIAL_LANES {
    return mirror_sums<T>(set, start, FreshWeights<T>(set, u, at, weights));
  };
  const auto narrow = [&] { return (high - low) * set.inverse_temperature <= kSpan<T>; };
  while (!narrow() && origin != low && origin != high) {
    ++steps;
    (fresh_sums(origin).filled > set.goal ? low : high) = origin;
    origin = low / 2 + high / 2;
  }
  T least;
  T most;
  if (narrow()) {
    // One more factor of 2 on each side covers the rounding of the level.
    least = start * std::exp((low - origin) * set.inverse_temperature) / 2;
    most = start * std::exp((high - origin) * set.inverse_temperature) * 2;
  } else {
    // No number lies between low and high, and T is small against their distance: v is near one of the two.
    least = start * std::exp(-kSpan<T>);
    most = start * std::exp(kSpan<T>);
    fresh_sums(low);
    origin = mirror_sums<T>(set, most, KeptWeights<T>{weights}).filled > set.goal ? high : low;
  }
  // About the rounding of the sum.
  const T resolution = 4 * std::numeric_limits<T>::epsilon() * set.goal;
  const T odds = (set.room - set.goal) / set.goal;
  T q = start;
  MirrorSums<T> at = fresh_sums(origin);
  for (int step = 0;; ++step) {
    ++steps;
    const T excess = at.filled - set.goal;
    if (!(std::abs(excess) > resolution)) break;
    (excess > 0 ? least : most) = q;
    T next = 0;
    bool last = false;
    if (step < kHalleySteps || step % 2 == 0) {
      const T rest = set.room - at.filled;
      const T both = at.filled * rest;
      const T newton = std::log(at.filled / rest * odds) * both / (at.slope * set.room);
      const T curve = newton / 2 * (at.slope * (rest - at.filled) / both - at.bend / at.slope);
      const T change = std::abs(curve) < T{0.5} ? newton / (1 + curve) : newton;
      next = q * std::exp(change);
      last = std::abs(change) < kLastStep<T>;
    }
    const bool stays = next > least && next < most;
    if (!stays) next = std::sqrt(least) * std::sqrt(most);
    if (!(next > least && next < most)) break;
    q = next;
    if (last && stays && std::abs(mirror_pass<T, true>(set, q, x, KeptWeights<T>{weights}) - set.goal) <= resolution) {
      return {origin, q};
    }
    at = mirror_sums<T>(set, q, KeptWeights<T>{weights});
  }
  mirror_pass<T, true>(set, q, x, KeptWeights<T>{weights});
  return {origin, q};
}

template <class T>
std::size_t mirror_rows(const MirrorBounds<T>& set, Rows<const T> u, Rows<T> x, T* scratch, T* shifts) noexcept {
  std::size_t steps = 0;
  for (std::size_t i = 0; i < u.count(); ++i) {
    const T* const from = u.row(i);
    T* const to = x.row(i);
    const MirrorSpread<T> spread = mirror_spread(from, set.dim, set.inverse_temperature);
    MirrorShift<T> shift{T{0}, T{1}};
    if (!spread.finite) {
      fill_row(to, set.dim, std::numeric_limits<T>::quiet_NaN());
    } else if (!set.sum) {
      mirror_pass<T, true>(set, T{1}, to, FreshWeights<T>(set, from, T{0}, scratch));
    } else if (set.closed) {
      shift = mirror_closed_row(set, from, spread, scratch, to, steps);
    } else {
      shift = mirror_open_row(set, from, spread.most, scratch, to);
    }
    if (shifts != nullptr) {
      shifts[2 * i] = shift.origin;
      shifts[2 * i + 1] = std::log(shift.q);
    }
  }
  return steps;
}

template <class T, bool kClosed>
HWY_INLINE void mirror_vjp_row(const MirrorBounds<T>& set, const T* x, const T* g, T* grad_u) {
  const RowTag<T> tag;
  const auto area = [&](auto lanes) SOFTRADIAL_LANES {
    const auto at = lanes.load(x);
    const auto below = hn::Sub(at, lanes.load(set.lower));
    if constexpr (!kClosed) return below;
    // The second factor is at most 1: no square of a width is formed, which would overflow.
    return hn::Mul(below, hn::Mul(hn::Sub(lanes.load(set.upper), at), lanes.load(set.reciprocal)));
  };
  T mean = 0;
  if (set.sum) {
    Sum4<T> total;
    Sum4<T> along;
    for_each_lanes<T>(set.dim, [&](int k, auto lanes) SOFTRADIAL_LANES {
      const auto a = area(lanes);
      total.s[k] = hn::Add(total.s[k], a);
      along.s[k] = hn::MulAdd(a, lanes.load(g), along.s[k]);
    });
    // At what the precision cannot tell from a vertex, nothing moves.
    const T all = total.total();
    mean = all > 0 ? along.total() / all : all;
  }
  const auto middle = hn::Set(tag, mean);
  const auto factor = hn::Set(tag, set.inverse_temperature);
  for_each_lanes<T>(set.dim, [&](int, auto lanes) SOFTRADIAL_LANES {
    lanes.store(hn::Mul(hn::Mul(area(lanes), factor), hn::Sub(lanes.load(g), middle)), grad_u);
  });
}

template <class T>
void mirror_vjp_rows(const MirrorBounds<T>& set, Rows<const T> x, Rows<const T> g, Rows<T> grad_u) noexcept {
  for (std::size_t i = 0; i < x.count(); ++i) {
    if (set.closed) {
      mirror_vjp_row<T, true>(set, x.row(i), g.row(i), grad_u.row(i));
    } else {
      mirror_vjp_row<T, false>(set, x.row(i), g.row(i), grad_u.row(i));
    }
  }
}

template <class T>
constexpr MirrorKernels<T> kMirrorKernels{.project = mirror_rows<T>, .vjp = mirror_vjp_rows<T>};
const MirrorKernels<float>& mirror_kernels_f32() { return kMirrorKernels<float>; }
const MirrorKernels<double>& mirror_kernels_f64() { return kMirrorKernels<double>; }

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(mirror_kernels_f32);
HWY_EXPORT(mirror_kernels_f64);
template <>
const MirrorKernels<float>& MirrorKernels<float>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(mirror_kernels_f32)();
}
template <>
const MirrorKernels<double>& MirrorKernels<double>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(mirror_kernels_f64)();
}

}  // namespace softradial::kernels
#endif  // HWY_ONCE
