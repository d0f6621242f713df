#pragma once

#include <cstdint>

namespace softradial::study::kernels {

// m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2,  p -= step m / (sqrt(v) / root + epsilon)
template <class T>
struct AdamStep {
  T beta1;
  T beta2;
  T one_minus_beta1;
  T one_minus_beta2;
  T step;             // learning rate / (1 - beta1^k)
  T reciprocal_root;  // 1 / sqrt(1 - beta2^k)
  T epsilon;
};

void adam_step(const AdamStep<float>& step, const float* gradient, float* m, float* v, float* p,
               int64_t count) noexcept;
void adam_step(const AdamStep<double>& step, const double* gradient, double* m, double* v, double* p,
               int64_t count) noexcept;

}  // namespace softradial::study::kernels
