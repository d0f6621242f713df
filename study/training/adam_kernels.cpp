#include "training/adam_kernels.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "training/adam_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace softradial::study::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The last vector may have fewer lanes than the others: tags of one lane finish the job with the same arithmetic.
template <class Tag, class T>
HWY_INLINE int64_t run(Tag tag, const AdamStep<T>& s, const T* gradient, T* m, T* v, T* p, int64_t from, int64_t to) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(tag));
  const auto beta1 = hn::Set(tag, s.beta1);
  const auto beta2 = hn::Set(tag, s.beta2);
  const auto rest1 = hn::Set(tag, s.one_minus_beta1);
  const auto rest2 = hn::Set(tag, s.one_minus_beta2);
  const auto step = hn::Set(tag, s.step);
  const auto root = hn::Set(tag, s.reciprocal_root);
  const auto epsilon = hn::Set(tag, s.epsilon);
  for (; from + lanes <= to; from += lanes) {
    const auto g = hn::LoadU(tag, gradient + from);
    const auto first = hn::MulAdd(rest1, g, hn::Mul(beta1, hn::LoadU(tag, m + from)));
    const auto second = hn::MulAdd(hn::Mul(rest2, g), g, hn::Mul(beta2, hn::LoadU(tag, v + from)));
    const auto scale = hn::MulAdd(hn::Sqrt(second), root, epsilon);
    hn::StoreU(first, tag, m + from);
    hn::StoreU(second, tag, v + from);
    hn::StoreU(hn::NegMulAdd(step, hn::Div(first, scale), hn::LoadU(tag, p + from)), tag, p + from);
  }
  return from;
}

template <class T>
HWY_INLINE void run_all(const AdamStep<T>& s, const T* gradient, T* m, T* v, T* p, int64_t count) {
  const int64_t done = run(hn::ScalableTag<T>(), s, gradient, m, v, p, 0, count);
  run(hn::CappedTag<T, 1>(), s, gradient, m, v, p, done, count);
}

void adam_f32(const AdamStep<float>& s, const float* gradient, float* m, float* v, float* p, int64_t count) {
  run_all(s, gradient, m, v, p, count);
}
void adam_f64(const AdamStep<double>& s, const double* gradient, double* m, double* v, double* p, int64_t count) {
  run_all(s, gradient, m, v, p, count);
}

}  // namespace softradial::study::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::study::kernels {

HWY_EXPORT(adam_f32);
HWY_EXPORT(adam_f64);

void adam_step(const AdamStep<float>& step, const float* gradient, float* m, float* v, float* p,
               int64_t count) noexcept {
  HWY_DYNAMIC_DISPATCH(adam_f32)(step, gradient, m, v, p, count);
}
void adam_step(const AdamStep<double>& step, const double* gradient, double* m, double* v, double* p,
               int64_t count) noexcept {
  HWY_DYNAMIC_DISPATCH(adam_f64)(step, gradient, m, v, p, count);
}

}  // namespace softradial::study::kernels
#endif  // HWY_ONCE
