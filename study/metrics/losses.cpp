#include "metrics/losses.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "data/calendar.hpp"
#include "simd/training_kernels.hpp"

namespace softradial::study {

namespace {

// A loss of the returns of some days, and its gradient in each return: dloss/dR_t.
struct ReturnLoss {
  double value = 0;
  Eigen::ArrayXd slopes;
};

//   loss = - mean / (std + floor)     dloss/dR_t = -1/(n (std + floor)) + mean (R_t - mean) / ((std + floor)^2 (n - 1) std)
// The second term is 0 at std = 0.
ReturnLoss negative_sharpe(const Eigen::ArrayXd& returns, double floor) {
  const auto n = static_cast<double>(returns.size());
  const double mean = returns.mean();
  const double deviation = std::sqrt((returns - mean).square().sum() / (n - 1));
  const double scale = 1 / (deviation + floor);
  const double bend = deviation > 0 ? mean * scale * scale / ((n - 1) * deviation) : 0;
  return {-mean * scale, -scale / n + bend * (returns - mean)};
}

//   loss = 252 var     dloss/dR_t = 252 * 2 (R_t - mean) / (n - 1)
ReturnLoss yearly_variance(const Eigen::ArrayXd& returns) {
  const auto n = static_cast<double>(returns.size());
  const Eigen::ArrayXd deviations = returns - returns.mean();
  const double factor = kTradingDaysPerYear / (n - 1);
  return {factor * deviations.square().sum(), 2 * factor * deviations};
}

// Two passes: the first writes dR_t/dw_t and dR_t/dw_{t+1} for the return of each day, the second multiplies them by
// dloss/dR_t. With q = x / sqrt(delta^2 + x^2) (sign(x) for delta = 0):
//   dR_t/dw_{t+1} = -gamma/2 q        dR_t/dw_t = y (1 + gamma/2 (q - q . drift) / g)
template <class T, class Loss>
double evaluate(const at::Tensor& w, const at::Tensor& y, const PortfolioLossOptions& options, const Loss& loss_of,
                at::Tensor& grad_w) {
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
    // g - 1 = sum(w (y - 1)) + (sum(w) - 1), without cancellation.
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
      // sqrt(delta^2 + x^2) - delta = x^2 / (sqrt(delta^2 + x^2) + delta), without cancellation.
      returns(t) -= static_cast<double>(half_cost * (x.square() / (root + delta)).sum());
      q = x / root;
    } else {
      returns(t) -= static_cast<double>(half_cost * x.abs().sum());
      q = x.sign();
    }
    const T along = (q * drift).sum();
    grad.row(t) = relatives.row(t) * (T{1} + half_cost / gross * (q - along));
  }

  const ReturnLoss loss = loss_of(returns);
  const auto slope = [&](Eigen::Index t) { return static_cast<T>(loss.slopes(t)); };
  grad.row(n).setZero();
  for (Eigen::Index t = n; t-- > 0;) {
    grad.row(t) *= slope(t);
    if (costly) grad.row(t + 1) -= half_cost * slope(t) * pull.row(t);
  }
  return loss.value;
}

template <class Loss>
double portfolio_loss(const at::Tensor& w, const at::Tensor& y, const PortfolioLossOptions& options,
                      const Loss& loss_of_all, at::Tensor& grad_w, const GatherReturns& gather) {
  const auto loss_of = [&](const Eigen::ArrayXd& own) {
    if (!gather) return loss_of_all(own);
    const GatheredReturns returns = gather(own);
    ReturnLoss loss = loss_of_all(returns.all);
    loss.slopes = loss.slopes.segment(returns.first, own.size()).eval();
    return loss;
  };
  if (w.dim() != 2 || w.size(0) < (gather ? 2 : 3) || y.dim() != 2 || y.size(0) != w.size(0) - 1 ||
      y.size(1) != w.size(1)) {
    throw std::invalid_argument(
        "portfolio loss: weights (days, N) with at least 3 days and relatives (days - 1, N), given " +
        std::to_string(w.dim()) + "-d weights of " + std::to_string(w.numel()) + " numbers and relatives of " +
        std::to_string(y.numel()));
  }
  const at::Tensor dense_w = w.detach().contiguous();
  const at::Tensor dense_y = y.contiguous();
  return w.scalar_type() == at::kFloat ? evaluate<float>(dense_w, dense_y, options, loss_of, grad_w)
                                       : evaluate<double>(dense_w, dense_y, options, loss_of, grad_w);
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

double sharpe_loss(const at::Tensor& w, const at::Tensor& y, const PortfolioLossOptions& options, at::Tensor& grad_w,
                   const GatherReturns& gather) {
  const auto loss_of = [&](const Eigen::ArrayXd& returns) { return negative_sharpe(returns, options.deviation_floor); };
  return portfolio_loss(w, y, options, loss_of, grad_w, gather);
}

double variance_loss(const at::Tensor& w, const at::Tensor& y, const PortfolioLossOptions& options, at::Tensor& grad_w,
                     const GatherReturns& gather) {
  return portfolio_loss(w, y, options, yearly_variance, grad_w, gather);
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
  const auto wide = [](const at::Tensor& t) { return t.detach().to(at::kDouble).contiguous(); };
  const at::Tensor shares = wide(x), supplied = wide(supply), asked = wide(demand);
  check(shares, supplied, asked);
  return evaluate<double>(shares, supplied, asked, 0, nullptr);
}

Eigen::VectorXd served_rates(const at::Tensor& x, const at::Tensor& supply, const at::Tensor& demand) {
  Eigen::VectorXd rates(x.size(0));
  for (int64_t b = 0; b < x.size(0); ++b) {
    rates[b] = served_rate(x.narrow(0, b, 1), supply.narrow(0, b, 1), demand.narrow(0, b, 1));
  }
  return rates;
}

}  // namespace softradial::study
