#include "kernels/correction_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/correction_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {

template <class T>
HWY_INLINE T sum_of(const T* p, std::size_t n) {
  Sum4<T> sum;
  for_each_lanes<T>(n, [&](int k, auto lanes) SOFTRADIAL_LANES { sum.s[k] = hn::Add(sum.s[k], lanes.load(p)); });
  return sum.total();
}

// relu(x - upper) - relu(lower - x)
template <class T>
HWY_INLINE RowVec<T> excess(RowVec<T> x, RowVec<T> low, RowVec<T> high) {
  const auto zero = hn::Zero(RowTag<T>());
  return hn::Sub(hn::Max(hn::Sub(x, high), zero), hn::Max(hn::Sub(low, x), zero));
}
template <class T>
HWY_INLINE T excess_at(const BoundedSum<T>& set, const T* x, std::size_t j) {
  return x[j] > set.upper[j] ? x[j] - set.upper[j] : x[j] < set.lower[j] ? x[j] - set.lower[j] : T{0};
}
template <class T>
HWY_INLINE auto outside(RowVec<T> x, RowVec<T> low, RowVec<T> high) {
  return hn::Or(hn::Gt(x, high), hn::Lt(x, low));
}

template <class T>
HWY_INLINE std::size_t free_coordinates(const Dc3Steps<T>& s) {
  return s.sum ? s.set.dim - 1 : s.set.dim;
}

template <class T>
HWY_INLINE void dc3_start(const Dc3Steps<T>& s, const T* u, T* x) {
  const RowTag<T> tag;
  const std::size_t n = s.set.dim;
  const T shift = s.sum && s.symmetric ? (sum_of(u, n) - s.set.total) / static_cast<T>(n) : T{0};
  const auto by = hn::Set(tag, shift);
  Sum4<T> sum;
  for_each_lanes<T>(free_coordinates(s), [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto v = lanes.only(hn::Sub(lanes.load(u), by));
    sum.s[k] = hn::Add(sum.s[k], v);
    lanes.store(v, x);
  });
  if (s.sum) x[n - 1] = s.set.total - sum.total();
}

// `to` may be `x`.
template <class T>
HWY_INLINE void dc3_step(const Dc3Steps<T>& s, const T* x, T* m, T* to) {
  const RowTag<T> tag;
  const std::size_t n = s.set.dim;
  const auto last = hn::Set(tag, s.sum ? 2 * excess_at(s.set, x, n - 1) : T{0});
  const auto two = hn::Set(tag, T{2});
  const auto momentum = hn::Set(tag, s.momentum);
  const auto rate = hn::Set(tag, s.rate);
  Sum4<T> sum;
  for_each_lanes<T>(free_coordinates(s), [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto v = lanes.load(x);
    const auto push = hn::MulSub(two, excess<T>(v, lanes.load(s.set.lower), lanes.load(s.set.upper)), last);
    const auto speed = hn::MulAdd(momentum, lanes.load(m), push);
    const auto next = lanes.only(hn::NegMulAdd(rate, speed, v));
    lanes.store(speed, m);
    lanes.store(next, to);
    sum.s[k] = hn::Add(sum.s[k], next);
  });
  if (s.sum) to[n - 1] = s.set.total - sum.total();
}

// One step backwards: turns the cotangents of xi (the free coordinates) and of m after the step into those before it.
template <class T>
HWY_INLINE void dc3_step_back(const Dc3Steps<T>& s, const T* x, T* grad_xi, T* grad_m) {
  const RowTag<T> tag;
  const std::size_t n = s.set.dim;
  const auto rate = hn::Set(tag, s.rate);
  Sum4<T> sum;
  for_each_lanes<T>(free_coordinates(s), [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto g = hn::NegMulAdd(rate, lanes.load(grad_xi), lanes.load(grad_m));
    lanes.store(g, grad_m);
    sum.s[k] = hn::Add(sum.s[k], g);
  });
  const bool moved = s.sum && (x[n - 1] > s.set.upper[n - 1] || x[n - 1] < s.set.lower[n - 1]);
  const auto last = hn::Set(tag, moved ? 2 * sum.total() : T{0});
  const auto two = hn::Set(tag, T{2});
  const auto momentum = hn::Set(tag, s.momentum);
  for_each_lanes<T>(free_coordinates(s), [&](int, auto lanes) SOFTRADIAL_LANES {
    const auto g = lanes.load(grad_m);
    const auto here = outside<T>(lanes.load(x), lanes.load(s.set.lower), lanes.load(s.set.upper));
    const auto own = hn::IfThenElseZero(here, hn::Mul(two, g));
    lanes.store(hn::Add(lanes.load(grad_xi), hn::Add(own, last)), grad_xi);
    lanes.store(hn::Mul(momentum, g), grad_m);
  });
}

template <class T>
HWY_INLINE void clear(T* p, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) p[j] = 0;
}

template <class T>
void dc3_rows(const Dc3Steps<T>& s, Rows<const T> u, Rows<T> x, T* m) noexcept {
  for (std::size_t i = 0; i < u.count(); ++i) {
    dc3_start(s, u.row(i), x.row(i));
    clear(m, s.set.dim);
    for (std::size_t t = 0; t < s.steps; ++t) dc3_step(s, x.row(i), m, x.row(i));
  }
}

template <class T>
void dc3_vjp_rows(const Dc3Steps<T>& s, Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u, T* m,
                  Rows<T> path) noexcept {
  const RowTag<T> tag;
  const std::size_t n = s.set.dim;
  for (std::size_t i = 0; i < u.count(); ++i) {
    dc3_start(s, u.row(i), path.row(0));
    clear(m, n);
    for (std::size_t t = 0; t < s.steps; ++t) dc3_step(s, path.row(t), m, path.row(t + 1));
    T* const g = grad_u.row(i);
    // The last coordinate moves in the opposite direction of all others.
    const auto last = hn::Set(tag, s.sum ? grad_x.row(i)[n - 1] : T{0});
    for_each_lanes<T>(free_coordinates(s), [&](int, auto lanes) SOFTRADIAL_LANES {
      lanes.store(hn::Sub(lanes.load(grad_x.row(i)), last), g);
    });
    if (s.sum) g[n - 1] = 0;
    clear(m, n);
    for (std::size_t t = s.steps; t-- > 0;) dc3_step_back(s, path.row(t), g, m);
    if (!s.sum || !s.symmetric) continue;
    const auto mean = hn::Set(tag, sum_of(g, n) / static_cast<T>(n));
    for_each_lanes<T>(n, [&](int, auto lanes) SOFTRADIAL_LANES { lanes.store(hn::Sub(lanes.load(g), mean), g); });
  }
}

// `to` may be `x`.
template <class T>
HWY_INLINE void least_squares_step(const LeastSquaresSteps<T>& s, const T* x, T* to) {
  const RowTag<T> tag;
  const std::size_t n = s.set.dim;
  const T missing = s.sum ? s.set.total - sum_of(x, n) : T{0};
  Sum4<T> out;
  for_each_lanes<T>(n, [&](int k, auto lanes) SOFTRADIAL_LANES {
    out.s[k] = hn::Add(out.s[k], excess<T>(lanes.load(x), lanes.load(s.set.lower), lanes.load(s.set.upper)));
  });
  // sum(w) = n missing - sum of the excesses.
  const T common = s.sum ? (static_cast<T>(n) * missing - out.total()) / static_cast<T>(n + 2) : T{0};
  const auto shift = hn::Set(tag, (missing - common) / 2);
  const auto half = hn::Set(tag, T{0.5});
  for_each_lanes<T>(n, [&](int, auto lanes) SOFTRADIAL_LANES {
    const auto v = lanes.load(x);
    const auto e = excess<T>(v, lanes.load(s.set.lower), lanes.load(s.set.upper));
    lanes.store(hn::Add(hn::NegMulAdd(half, e, v), shift), to);
  });
}

template <class T>
void least_squares_rows(const LeastSquaresSteps<T>& s, Rows<const T> u, Rows<T> x) noexcept {
  for (std::size_t i = 0; i < u.count(); ++i) {
    least_squares_step(s, u.row(i), x.row(i));
    for (std::size_t t = 1; t < s.steps; ++t) least_squares_step(s, x.row(i), x.row(i));
  }
}

// Backwards through 1/2 (I - 11'/(n + 2)), then through the violations.
template <class T>
void least_squares_vjp_rows(const LeastSquaresSteps<T>& s, Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u,
                            Rows<T> path) noexcept {
  const RowTag<T> tag;
  const std::size_t n = s.set.dim;
  const auto half = hn::Set(tag, T{0.5});
  for (std::size_t i = 0; i < u.count(); ++i) {
    for_each_lanes<T>(n, [&](int, auto lanes) SOFTRADIAL_LANES { lanes.store(lanes.load(u.row(i)), path.row(0)); });
    for (std::size_t t = 1; t < s.steps; ++t) least_squares_step(s, path.row(t - 1), path.row(t));
    T* const g = grad_u.row(i);
    for (std::size_t t = s.steps; t-- > 0;) {
      const T* const from = t + 1 == s.steps ? grad_x.row(i) : g;
      const T total = s.sum ? sum_of(from, n) : T{0};
      const T common = total / static_cast<T>(n + 2);
      // sum of (g - common) / 2
      const auto back = hn::Set(tag, (total - static_cast<T>(n) * common) / 2);
      const auto mean = hn::Set(tag, common);
      const T* const x = path.row(t);
      for_each_lanes<T>(n, [&](int, auto lanes) SOFTRADIAL_LANES {
        const auto v = lanes.load(from);
        const auto here = outside<T>(lanes.load(x), lanes.load(s.set.lower), lanes.load(s.set.upper));
        const auto own = hn::IfThenElseZero(here, hn::Mul(half, hn::Sub(v, mean)));
        lanes.store(hn::Sub(hn::Sub(v, own), back), g);
      });
    }
  }
}

template <class T>
constexpr CorrectionKernels<T> kCorrectionKernels{.dc3 = dc3_rows<T>,
                                                  .dc3_vjp = dc3_vjp_rows<T>,
                                                  .least_squares = least_squares_rows<T>,
                                                  .least_squares_vjp = least_squares_vjp_rows<T>};
const CorrectionKernels<float>& correction_kernels_f32() { return kCorrectionKernels<float>; }
const CorrectionKernels<double>& correction_kernels_f64() { return kCorrectionKernels<double>; }

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(correction_kernels_f32);
HWY_EXPORT(correction_kernels_f64);
template <>
const CorrectionKernels<float>& CorrectionKernels<float>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(correction_kernels_f32)();
}
template <>
const CorrectionKernels<double>& CorrectionKernels<double>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(correction_kernels_f64)();
}

}  // namespace softradial::kernels
#endif  // HWY_ONCE
