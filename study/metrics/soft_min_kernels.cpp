#include "metrics/soft_min_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/soft_min_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "simd/activations.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::study::kernels::HWY_NAMESPACE {

// e = exp(-|a - d|/tau) in (0, 1]: nothing overflows. sigmoid((d - a)/tau) = 1/(1 + e) or e/(1 + e) by the sign.
template <class T>
HWY_INLINE Vec<T> soft_min(Vec<T> a, Vec<T> d, Vec<T> tau, Vec<T>& slope) {
  const Tag<T> tag;
  const auto one = hn::Set(tag, T{1});
  const auto gap = hn::Div(hn::Sub(d, a), tau);
  const auto e = hn::Exp(tag, hn::Neg(hn::Abs(gap)));
  const auto big = hn::Div(one, hn::Add(one, e));
  slope = hn::IfThenElse(hn::Lt(gap, hn::Zero(tag)), hn::Sub(one, big), big);
  const auto value = hn::NegMulAdd(tau, hn::Log1p(tag, e), hn::Min(a, d));
  return hn::IfThenElse(hn::IsNaN(gap), gap, value);
}

template <class T>
HWY_INLINE double row_sum(const T* x, const T* demand, int64_t count, T scale, T tau, T factor, T* grad) {
  const Tag<T> tag;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(tag));
  const auto s = hn::Set(tag, scale);
  const auto temperature = hn::Set(tag, tau);
  const auto f = hn::Set(tag, factor);
  auto sum = hn::Zero(tag);
  Vec<T> slope;
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    sum = hn::Add(sum, soft_min<T>(hn::Mul(s, hn::LoadU(tag, x + i)), hn::LoadU(tag, demand + i), temperature, slope));
    hn::StoreU(hn::Mul(f, slope), tag, grad + i);
  }
  double rest = 0;
  if (i < count) {
    HWY_ALIGN T a[64 / sizeof(T)] = {};
    HWY_ALIGN T d[64 / sizeof(T)] = {};
    for (int64_t j = i; j < count; ++j) {
      a[j - i] = x[j];
      d[j - i] = demand[j];
    }
    const auto value = soft_min<T>(hn::Mul(s, hn::Load(tag, a)), hn::Load(tag, d), temperature, slope);
    hn::Store(value, tag, a);
    hn::Store(hn::Mul(f, slope), tag, d);
    for (int64_t j = i; j < count; ++j) {
      rest += static_cast<double>(a[j - i]);
      grad[j] = d[j - i];
    }
  }
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(tag, sum))) + rest;
}

double soft_min_f32(const float* x, const float* d, int64_t n, float scale, float tau, float factor, float* grad) {
  return row_sum(x, d, n, scale, tau, factor, grad);
}
double soft_min_f64(const double* x, const double* d, int64_t n, double scale, double tau, double factor,
                    double* grad) {
  return row_sum(x, d, n, scale, tau, factor, grad);
}

}  // namespace softradial::study::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::study::kernels {

HWY_EXPORT(soft_min_f32);
HWY_EXPORT(soft_min_f64);

double soft_min_row(const float* x, const float* demand, int64_t count, float scale, float tau, float factor,
                    float* grad) noexcept {
  return HWY_DYNAMIC_DISPATCH(soft_min_f32)(x, demand, count, scale, tau, factor, grad);
}
double soft_min_row(const double* x, const double* demand, int64_t count, double scale, double tau, double factor,
                    double* grad) noexcept {
  return HWY_DYNAMIC_DISPATCH(soft_min_f64)(x, demand, count, scale, tau, factor, grad);
}

}  // namespace softradial::study::kernels
#endif  // HWY_ONCE
