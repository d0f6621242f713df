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
  auto most = hn::Set(tag, u[0]);
  for_each_vector<T>(
      n, [&](int, std::size_t j) SOFTRADIAL_LANES { most = hn::Max(most, hn::LoadU(tag, u + j)); },
      [&](std::size_t j, std::size_t count) SOFTRADIAL_LANES {
        most = hn::Max(most, hn::IfThenElse(hn::FirstN(tag, count), load_first(u + j, count), hn::Set(tag, u[0])));
      });
  return hn::GetLane(hn::MaxOfLanes(tag, most));
}

template <class T>
HWY_INLINE void fill_nan(T* HWY_RESTRICT x, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) x[j] = std::numeric_limits<T>::quiet_NaN();
}

template <class T>
HWY_INLINE void softmax_rows(Rows<const T> u, T total, T inverse_temperature, Rows<T> x) {
  const RowTag<T> tag;
  const std::size_t n = u.dim();
  const auto factor = hn::Set(tag, inverse_temperature);
  for (std::size_t i = 0; i < u.count(); ++i) {
    const T* const from = u.row(i);
    T* const to = x.row(i);
    const auto most = hn::Set(tag, largest(from, n));
    Sum4<T> sum;
    const auto weight = [&](RowVec<T> v) SOFTRADIAL_LANES { return hn::Exp(tag, hn::Mul(hn::Sub(v, most), factor)); };
    for_each_vector<T>(
        n,
        [&](int k, std::size_t j) SOFTRADIAL_LANES {
          const auto w = weight(hn::LoadU(tag, from + j));
          sum.s[k] = hn::Add(sum.s[k], w);
          hn::StoreU(w, tag, to + j);
        },
        [&](std::size_t j, std::size_t count) SOFTRADIAL_LANES {
          const auto w = weight(load_first(from + j, count));
          sum.s[3] = hn::Add(sum.s[3], hn::IfThenElseZero(hn::FirstN(tag, count), w));
          store_first(w, to + j, count);
        });
    const auto scale = hn::Set(tag, total / sum.total());
    for_each_vector<T>(
        n,
        [&](int, std::size_t j) SOFTRADIAL_LANES { hn::StoreU(hn::Mul(scale, hn::LoadU(tag, to + j)), tag, to + j); },
        [&](std::size_t j, std::size_t count)
            SOFTRADIAL_LANES { store_first(hn::Mul(scale, load_first(to + j, count)), to + j, count); });
  }
}

template <class T>
HWY_INLINE void softmax_vjp_rows(Rows<const T> x, Rows<const T> g, T total, T inverse_temperature, Rows<T> grad_u) {
  const RowTag<T> tag;
  const std::size_t n = x.dim();
  const auto factor = hn::Set(tag, inverse_temperature);
  for (std::size_t i = 0; i < x.count(); ++i) {
    const T* const at = x.row(i);
    const T* const from = g.row(i);
    T* const to = grad_u.row(i);
    Sum4<T> along;
    for_each_vector<T>(
        n,
        [&](int k, std::size_t j)
            SOFTRADIAL_LANES { along.s[k] = hn::MulAdd(hn::LoadU(tag, at + j), hn::LoadU(tag, from + j), along.s[k]); },
        [&](std::size_t j, std::size_t count) SOFTRADIAL_LANES {
          along.s[3] = hn::MulAdd(load_first(at + j, count), load_first(from + j, count), along.s[3]);
        });
    const auto mean = hn::Set(tag, along.total() / total);
    const auto value = [&](RowVec<T> p, RowVec<T> v)
                           SOFTRADIAL_LANES { return hn::Mul(hn::Mul(p, factor), hn::Sub(v, mean)); };
    for_each_vector<T>(
        n,
        [&](int, std::size_t j)
            SOFTRADIAL_LANES { hn::StoreU(value(hn::LoadU(tag, at + j), hn::LoadU(tag, from + j)), tag, to + j); },
        [&](std::size_t j, std::size_t count) SOFTRADIAL_LANES {
          store_first(value(load_first(at + j, count), load_first(from + j, count)), to + j, count);
        });
  }
}

// s(tau) and the number of free coordinates, for offsets e.
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
  const auto take = [&](int k, RowVec<T> v, RowVec<T> low, RowVec<T> high) SOFTRADIAL_LANES {
    const auto x = hn::Sub(v, shift);
    const auto clipped = hn::Min(hn::Max(x, low), high);
    sum.s[k] = hn::Add(sum.s[k], clipped);
    const auto inside = hn::And(hn::Gt(x, low), hn::Lt(x, high));
    free.s[k] = hn::Add(free.s[k], hn::IfThenElseZero(inside, one));
  };
  for_each_vector<T>(
      set.dim,
      [&](int k, std::size_t j) SOFTRADIAL_LANES {
        take(k, hn::LoadU(tag, e + j), hn::LoadU(tag, set.lower + j), hn::LoadU(tag, set.upper + j));
      },
      // Behind the end both bounds are 0: nothing is added, nothing is free.
      [&](std::size_t j, std::size_t count) SOFTRADIAL_LANES {
        take(3, load_first(e + j, count), load_first(set.lower + j, count), load_first(set.upper + j, count));
      });
  return {sum.total(), free.total()};
}

// e = u - u_max into x, with the extremes of e - upper and e - lower: the bracket of tau.
template <class T>
struct Bracket {
  T low;
  T high;
  T sum;  // of e
};

// e may be u.
template <class T>
HWY_INLINE Bracket<T> load_offsets(const BoundedSum<T>& set, const T* u, T origin, T* e) {
  const RowTag<T> tag;
  const auto from = hn::Set(tag, origin);
  auto low = hn::Set(tag, hwy::HighestValue<T>());
  auto high = hn::Set(tag, hwy::LowestValue<T>());
  Sum4<T> sum;
  for_each_vector<T>(
      set.dim,
      [&](int k, std::size_t j) SOFTRADIAL_LANES {
        const auto v = hn::Sub(hn::LoadU(tag, u + j), from);
        hn::StoreU(v, tag, e + j);
        sum.s[k] = hn::Add(sum.s[k], v);
        low = hn::Min(low, hn::Sub(v, hn::LoadU(tag, set.upper + j)));
        high = hn::Max(high, hn::Sub(v, hn::LoadU(tag, set.lower + j)));
      },
      [&](std::size_t j, std::size_t count) SOFTRADIAL_LANES {
        const auto here = hn::FirstN(tag, count);
        const auto v = hn::IfThenElseZero(here, hn::Sub(load_first(u + j, count), from));
        store_first(v, e + j, count);
        sum.s[3] = hn::Add(sum.s[3], v);
        low = hn::Min(low, hn::IfThenElse(here, hn::Sub(v, load_first(set.upper + j, count)), low));
        high = hn::Max(high, hn::IfThenElse(here, hn::Sub(v, load_first(set.lower + j, count)), high));
      });
  return {hn::GetLane(hn::MinOfLanes(tag, low)), hn::GetLane(hn::MaxOfLanes(tag, high)), sum.total()};
}

// Half-way, without overflow; equal to an end where no number lies between.
template <class T>
HWY_INLINE T midpoint(T a, T b) {
  return a / 2 + b / 2;
}

template <class T>
HWY_INLINE bool is_finite(T v) {
  return std::abs(v) <= std::numeric_limits<T>::max();
}

// Offsets from `origin` into e, and tau among them, looked for from 0 if it is `near` and from the mean otherwise; false where
// the row is not finite.
template <class T>
HWY_INLINE bool find_tau(const BoundedSum<T>& set, const T* u, T origin, bool near, T* e, T& tau, std::size_t& steps) {
  const std::size_t n = set.dim;
  // Sums of n numbers of the size of the total are exact to about this much.
  const T resolution = 2 * std::numeric_limits<T>::epsilon() * std::abs(set.total);
  Bracket<T> bracket = load_offsets(set, u, origin, e);
  if (!is_finite(bracket.sum) || !is_finite(origin)) {
    bool finite = is_finite(origin);
    for (std::size_t j = 0; j < n; ++j) finite = finite && is_finite(u[j]);
    if (!finite) return false;
    // Finite numbers whose differences overflow: what lies that far away is at its bound.
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
HWY_INLINE std::size_t project_bounded_sum_rows(const BoundedSum<T>& set, Rows<const T> u, Rows<T> x) {
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
    // Far from the largest number the offsets are coarse, seen from the total: once more, counted from the threshold itself.
    if (std::abs(tau) > std::abs(set.total) / 2) find_tau(set, from, origin + tau, true, to, tau, steps);
    const auto shift = hn::Set(tag, tau);
    for_each_vector<T>(
        n,
        [&](int, std::size_t j) SOFTRADIAL_LANES {
          const auto v = hn::Sub(hn::LoadU(tag, to + j), shift);
          hn::StoreU(hn::Min(hn::Max(v, hn::LoadU(tag, set.lower + j)), hn::LoadU(tag, set.upper + j)), tag, to + j);
        },
        [&](std::size_t j, std::size_t count) SOFTRADIAL_LANES {
          const auto v = hn::Sub(load_first(to + j, count), shift);
          const auto low = load_first(set.lower + j, count);
          store_first(hn::Min(hn::Max(v, low), load_first(set.upper + j, count)), to + j, count);
        });
  }
  return steps;
}

template <class T>
HWY_INLINE void bounded_sum_vjp_rows(const BoundedSum<T>& set, Rows<const T> x, Rows<const T> g, Rows<T> grad_u) {
  const RowTag<T> tag;
  const std::size_t n = set.dim;
  const auto one = hn::Set(tag, T{1});
  const auto is_free = [&](RowVec<T> v, RowVec<T> low, RowVec<T> high)
                           SOFTRADIAL_LANES { return hn::And(hn::Gt(v, low), hn::Lt(v, high)); };
  for (std::size_t i = 0; i < x.count(); ++i) {
    const T* const at = x.row(i);
    const T* const from = g.row(i);
    T* const to = grad_u.row(i);
    Sum4<T> sum;
    Sum4<T> count_free;
    const auto take = [&](int k, RowVec<T> v, RowVec<T> low, RowVec<T> high, RowVec<T> cotangent) SOFTRADIAL_LANES {
      const auto free = is_free(v, low, high);
      sum.s[k] = hn::Add(sum.s[k], hn::IfThenElseZero(free, cotangent));
      count_free.s[k] = hn::Add(count_free.s[k], hn::IfThenElseZero(free, one));
    };
    for_each_vector<T>(
        n,
        [&](int k, std::size_t j) SOFTRADIAL_LANES {
          take(k, hn::LoadU(tag, at + j), hn::LoadU(tag, set.lower + j), hn::LoadU(tag, set.upper + j),
               hn::LoadU(tag, from + j));
        },
        [&](std::size_t j, std::size_t count) SOFTRADIAL_LANES {
          take(3, load_first(at + j, count), load_first(set.lower + j, count), load_first(set.upper + j, count),
               load_first(from + j, count));
        });
    const T free = count_free.total();
    const auto mean = hn::Set(tag, free > 0 ? sum.total() / free : T{0});
    for_each_vector<T>(
        n,
        [&](int, std::size_t j) SOFTRADIAL_LANES {
          const auto here =
              is_free(hn::LoadU(tag, at + j), hn::LoadU(tag, set.lower + j), hn::LoadU(tag, set.upper + j));
          hn::StoreU(hn::IfThenElseZero(here, hn::Sub(hn::LoadU(tag, from + j), mean)), tag, to + j);
        },
        [&](std::size_t j, std::size_t count) SOFTRADIAL_LANES {
          const auto here =
              is_free(load_first(at + j, count), load_first(set.lower + j, count), load_first(set.upper + j, count));
          store_first(hn::IfThenElseZero(here, hn::Sub(load_first(from + j, count), mean)), to + j, count);
        });
  }
}

void softmax_f32(Rows<const float> u, float total, float factor, Rows<float> x) { softmax_rows(u, total, factor, x); }
void softmax_f64(Rows<const double> u, double total, double factor, Rows<double> x) {
  softmax_rows(u, total, factor, x);
}
void softmax_vjp_f32(Rows<const float> x, Rows<const float> g, float total, float factor, Rows<float> grad_u) {
  softmax_vjp_rows(x, g, total, factor, grad_u);
}
void softmax_vjp_f64(Rows<const double> x, Rows<const double> g, double total, double factor, Rows<double> grad_u) {
  softmax_vjp_rows(x, g, total, factor, grad_u);
}
std::size_t project_bounded_sum_f32(const BoundedSum<float>& set, Rows<const float> u, Rows<float> x) {
  return project_bounded_sum_rows(set, u, x);
}
std::size_t project_bounded_sum_f64(const BoundedSum<double>& set, Rows<const double> u, Rows<double> x) {
  return project_bounded_sum_rows(set, u, x);
}
void bounded_sum_vjp_f32(const BoundedSum<float>& set, Rows<const float> x, Rows<const float> g, Rows<float> grad_u) {
  bounded_sum_vjp_rows(set, x, g, grad_u);
}
void bounded_sum_vjp_f64(const BoundedSum<double>& set, Rows<const double> x, Rows<const double> g,
                         Rows<double> grad_u) {
  bounded_sum_vjp_rows(set, x, g, grad_u);
}

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(softmax_f32);
HWY_EXPORT(softmax_f64);
HWY_EXPORT(softmax_vjp_f32);
HWY_EXPORT(softmax_vjp_f64);
HWY_EXPORT(project_bounded_sum_f32);
HWY_EXPORT(project_bounded_sum_f64);
HWY_EXPORT(bounded_sum_vjp_f32);
HWY_EXPORT(bounded_sum_vjp_f64);

void softmax(Rows<const float> u, float total, float inverse_temperature, Rows<float> x) noexcept {
  HWY_DYNAMIC_DISPATCH(softmax_f32)(u, total, inverse_temperature, x);
}
void softmax(Rows<const double> u, double total, double inverse_temperature, Rows<double> x) noexcept {
  HWY_DYNAMIC_DISPATCH(softmax_f64)(u, total, inverse_temperature, x);
}
void softmax_vjp(Rows<const float> x, Rows<const float> g, float total, float inverse_temperature,
                 Rows<float> grad_u) noexcept {
  HWY_DYNAMIC_DISPATCH(softmax_vjp_f32)(x, g, total, inverse_temperature, grad_u);
}
void softmax_vjp(Rows<const double> x, Rows<const double> g, double total, double inverse_temperature,
                 Rows<double> grad_u) noexcept {
  HWY_DYNAMIC_DISPATCH(softmax_vjp_f64)(x, g, total, inverse_temperature, grad_u);
}
std::size_t project_bounded_sum(const BoundedSum<float>& set, Rows<const float> u, Rows<float> x) noexcept {
  return HWY_DYNAMIC_DISPATCH(project_bounded_sum_f32)(set, u, x);
}
std::size_t project_bounded_sum(const BoundedSum<double>& set, Rows<const double> u, Rows<double> x) noexcept {
  return HWY_DYNAMIC_DISPATCH(project_bounded_sum_f64)(set, u, x);
}
void bounded_sum_vjp(const BoundedSum<float>& set, Rows<const float> x, Rows<const float> g,
                     Rows<float> grad_u) noexcept {
  HWY_DYNAMIC_DISPATCH(bounded_sum_vjp_f32)(set, x, g, grad_u);
}
void bounded_sum_vjp(const BoundedSum<double>& set, Rows<const double> x, Rows<const double> g,
                     Rows<double> grad_u) noexcept {
  HWY_DYNAMIC_DISPATCH(bounded_sum_vjp_f64)(set, x, g, grad_u);
}

}  // namespace softradial::kernels
#endif  // HWY_ONCE
