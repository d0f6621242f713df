#include "metrics/served_rate.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "simd/training_kernels.hpp"

namespace softradial::study {
namespace {

void check(const at::Tensor& x, const at::Tensor& supply, const at::Tensor& demand) {
  if (x.dim() != 2 || demand.sizes() != x.sizes() || supply.numel() != x.size(0) || x.size(0) == 0 ||
      demand.scalar_type() != x.scalar_type() || supply.scalar_type() != x.scalar_type()) {
    throw std::invalid_argument("served rate: shares and demand (batch, zones) and supply (batch) of one type, given " +
                                std::to_string(x.numel()) + ", " + std::to_string(demand.numel()) + " and " +
                                std::to_string(supply.numel()) + " numbers");
  }
}

template <class T>
double hard_min_row(const T* x, const T* d, int64_t count, T scale, T factor, T* grad) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const T a = scale * x[i];
    sum += static_cast<double>(std::min(a, d[i]));
    if (grad != nullptr) grad[i] = a < d[i] ? factor : T{0};
  }
  return sum;
}

template <class T>
double evaluate(const at::Tensor& x, const at::Tensor& supply, const at::Tensor& demand, double tau, T* grad) {
  const int64_t batch = x.size(0);
  const int64_t zones = x.size(1);
  const T* s = supply.data_ptr<T>();
  double served = 0;
  for (int64_t b = 0; b < batch; ++b) {
    const T* shares = x.data_ptr<T>() + b * zones;
    const T* d = demand.data_ptr<T>() + b * zones;
    double asked = 0;
    for (int64_t i = 0; i < zones; ++i) asked += static_cast<double>(d[i]);
    asked = std::max(asked, 1.0);
    const T factor = static_cast<T>(-static_cast<double>(s[b]) / (asked * static_cast<double>(batch)));
    T* row = grad == nullptr ? nullptr : grad + b * zones;
    const double met =
        tau > 0 ? kernels::training_kernels<T>().soft_min_row(shares, d, zones, s[b], static_cast<T>(tau), factor, row)
                : hard_min_row(shares, d, zones, s[b], factor, row);
    served += met / asked;
  }
  return served / static_cast<double>(batch);
}

}  // namespace

double served_loss(const at::Tensor& x, const at::Tensor& supply, const at::Tensor& demand, double tau,
                   at::Tensor& grad_x) {
  check(x, supply, demand);
  if (!(tau >= 0)) throw std::invalid_argument("served rate: the temperature must be >= 0, not " + std::to_string(tau));
  const at::Tensor shares = x.detach().contiguous();
  return x.scalar_type() == at::kFloat
             ? -evaluate(shares, supply.contiguous(), demand.contiguous(), tau, grad_x.data_ptr<float>())
             : -evaluate(shares, supply.contiguous(), demand.contiguous(), tau, grad_x.data_ptr<double>());
}

double served_rate(const at::Tensor& x, const at::Tensor& supply, const at::Tensor& demand) {
  check(x, supply, demand);
  const auto wide = [](const at::Tensor& t) { return t.detach().to(at::kDouble).contiguous(); };
  return evaluate<double>(wide(x), wide(supply), wide(demand), 0, nullptr);
}

}  // namespace softradial::study
