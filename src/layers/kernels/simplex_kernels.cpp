#include "kernels/simplex_kernels.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simplex_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "hwy/contrib/math/math-inl.h"
#include "kernels/bounded_sum_search.hpp"
#include "kernels/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {

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

template <class T>
std::size_t project_bounded_sum_rows(const BoundedSum<T>& set, Rows<const T> u, Rows<T> x) noexcept {
  const RowTag<T> tag;
  const std::size_t n = set.dim;
  std::size_t steps = 0;
  for (std::size_t i = 0; i < u.count(); ++i) {
    T* const to = x.row(i);
    BoundedSumShift<T> at;
    if (!find_shift(set, u.row(i), to, at, steps)) {
      fill_nan(to, n);
      continue;
    }
    const auto shift = hn::Set(tag, at.tau);
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

// Computed in double, once for a set.
template <class T>
SumGuide<T> sum_guide(std::span<const T> lower, std::span<const T> upper, T total) {
  double room = 0;
  double filled = total;
  double middle = 0;
  double squares = 0;
  for (std::size_t j = 0; j < lower.size(); ++j) {
    const double width = static_cast<double>(upper[j]) - static_cast<double>(lower[j]);
    room += width;
    filled -= static_cast<double>(lower[j]);
    middle += static_cast<double>(lower[j]) + width / 2;
    squares += width * width;
  }
  const double share = filled / room;
  if (!(share > 0 && share < 1)) return {};
  double low = -9;
  double high = 9;
  for (int i = 0; i < 60; ++i) {
    const double z = (low + high) / 2;
    (std::erfc(-z / std::numbers::sqrt2) / 2 < share ? low : high) = z;
  }
  const auto count = static_cast<double>(lower.size());
  return {.middle = static_cast<T>(middle / count),
          .quantile = static_cast<T>(low),
          .width2 = static_cast<T>(squares / count / 12),
          .density = static_cast<T>(room * std::exp(-low * low / 2) / std::sqrt(2 * std::numbers::pi))};
}
template SumGuide<float> sum_guide<float>(std::span<const float>, std::span<const float>, float);
template SumGuide<double> sum_guide<double>(std::span<const double>, std::span<const double>, double);

}  // namespace softradial::kernels
#endif  // HWY_ONCE
