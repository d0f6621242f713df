#include "metrics/losses.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "simd/training_kernels.hpp"

namespace softradial::study {

namespace {

// Two passes: the first writes dR_t/dw_t and dR_t/dw_{t+1} of each day's own return, the second multiplies them by
// dloss/dR_t. With q = x / sqrt(delta^2 + x^2) (sign(x) for delta = 0):
//   dR_t/dw_{t+1} = -gamma/2 q        dR_t/dw_t = y (1 + gamma/2 (q - q . drift) / g)
template <class T>
double evaluate(const at::Tensor& w, const at::Tensor& y, const SharpeLossOptions& options, at::Tensor& grad_w) {
  using Row = Eigen::Array<T, 1, Eigen::Dynamic>;
  using Rows = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Index days = w.size(0);
  const Eigen::Index n = days - 1;
  const Eigen::Map<const Rows> weights(w.data_ptr<T>(), days, w.size(1));
  const Eigen::Map<const Rows> relatives(y.data_ptr<T>(), n, w.size(1));
  Eigen::Map<Rows> grad(grad_w.data_ptr<T>(), days, w.size(1));
  const T half_cost = static_cast<T>(options.cost / 2);
  const T delta = static_cast<T>(options.huber);
  const bool costly = options.cost != 0;

  Eigen::ArrayXd returns(n);
  Rows pull(costly ? n : 0, w.size(1));  // q
  Row drift(w.size(1)), x(w.size(1)), root(w.size(1));
  for (Eigen::Index t = 0; t < n; ++t) {
    drift = weights.row(t) * relatives.row(t);
    const T gross = drift.sum();
    // sum(w (y - 1)) + (sum(w) - 1): g - 1 without its cancellation.
    returns(t) = static_cast<double>((weights.row(t) * (relatives.row(t) - T{1})).sum()) +
                 (static_cast<double>(weights.row(t).sum()) - 1);
    if (!costly) {
      grad.row(t) = relatives.row(t);
      continue;
    }
    drift /= gross;
    x = weights.row(t + 1) - drift;
    auto q = pull.row(t);
    if (delta > 0) {
      root = (delta * delta + x.square()).sqrt();
      // sqrt(delta^2 + x^2) - delta = x^2 / (sqrt(delta^2 + x^2) + delta), without its cancellation.
      returns(t) -= static_cast<double>(half_cost * (x.square() / (root + delta)).sum());
      q = x / root;
    } else {
      returns(t) -= static_cast<double>(half_cost * x.abs().sum());
      q = x.sign();
    }
    const T along = (q * drift).sum();
    grad.row(t) = relatives.row(t) * (T{1} + half_cost / gross * (q - along));
  }

  const double mean = returns.mean();
  const double deviation = std::sqrt((returns - mean).square().sum() / static_cast<double>(n - 1));
  const double scale = 1 / (deviation + options.deviation_floor);
  // dloss/dR_t = -scale/n + mean scale^2 (R_t - mean) / ((n - 1) std); the second term is 0 at std = 0.
  const double bend = deviation > 0 ? mean * scale * scale / (static_cast<double>(n - 1) * deviation) : 0;
  const auto slope = [&](Eigen::Index t) {
    return static_cast<T>(-scale / static_cast<double>(n) + bend * (returns(t) - mean));
  };
  grad.row(n).setZero();
  for (Eigen::Index t = n; t-- > 0;) {
    grad.row(t) *= slope(t);
    if (costly) grad.row(t + 1) -= half_cost * slope(t) * pull.row(t);
  }
  return -mean * scale;
}

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

double sharpe_loss(const at::Tensor& w, const at::Tensor& y, const SharpeLossOptions& options, at::Tensor& grad_w) {
  if (w.dim() != 2 || w.size(0) < 3 || y.dim() != 2 || y.size(0) != w.size(0) - 1 || y.size(1) != w.size(1)) {
    throw std::invalid_argument(
        "sharpe loss: weights (days, N) with at least 3 days and relatives (days - 1, N), given " +
        std::to_string(w.dim()) + "-d weights of " + std::to_string(w.numel()) + " numbers and relatives of " +
        std::to_string(y.numel()));
  }
  const at::Tensor dense_w = w.detach().contiguous();
  const at::Tensor dense_y = y.contiguous();
  return w.scalar_type() == at::kFloat ? evaluate<float>(dense_w, dense_y, options, grad_w)
                                       : evaluate<double>(dense_w, dense_y, options, grad_w);
}

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
