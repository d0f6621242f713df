#include "sets/lp_ball_barrier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sets/log_barrier.hpp"

namespace softradial {
namespace {

// p = infinity: the 2n halfspaces, -sum_j log(T - d_j) + log(T + d_j).
std::optional<BarrierTerms> max_norm_barrier(const Eigen::VectorXd& d, double T) {
  if (!(d.cwiseAbs().maxCoeff() < T)) return std::nullopt;
  const Eigen::Index last = d.size();
  const Eigen::ArrayXd above = (T - d.array()).inverse();
  const Eigen::ArrayXd below = (T + d.array()).inverse();
  BarrierTerms terms(static_cast<std::size_t>(last));
  terms.value = above.log().sum() + below.log().sum();
  terms.gradient << above - below, -(above + below).sum();
  terms.hessian.diagonal() << above.square() + below.square(), (above.square() + below.square()).sum();
  terms.hessian.col(last).head(last) = below.square() - above.square();
  terms.hessian.row(last).head(last) = terms.hessian.col(last).head(last).transpose();
  return if_finite(std::move(terms));
}

// The root lambda of  F(lambda) = sum_j (1 + q_j) + 1 - lambda T,  q_j = sqrt(1 + lambda^2 d_j^2).
// F is convex and, where |d|_1 < T, decreasing with F(0) > 0: Newton's method from the left rises monotonically.
double sum_norm_multiplier(const Eigen::VectorXd& d, double T) {
  constexpr int kMaxIterations = 100;
  constexpr double kRelativeStep = 4 * std::numeric_limits<double>::epsilon();
  double lambda = static_cast<double>(2 * d.size() + 1) / T;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Eigen::ArrayXd q = (1 + (lambda * d.array()).square()).sqrt();
    const double value = (1 + q).sum() + 1 - lambda * T;
    const double slope = (lambda * d.array().square() / q).sum() - T;
    const double step = -value / slope;
    lambda += step;
    if (!(step > kRelativeStep * lambda)) break;
  }
  return lambda;
}

// p = 1: the barrier of {|d_j| < v_j, sum(v) < T}, minimised over v; partial minimisation keeps it self-concordant.
//   B = min_v -sum_j log(v_j^2 - d_j^2) - log(T - sum(v))
// Stationary in v: v_j = (1 + q_j) / lambda with 1 / lambda = T - sum(v), which is F(lambda) = 0 above. Then
//   B = (2n + 1) log lambda - sum_j log(2 (1 + q_j))
//   B_j = lambda^2 d_j / (1 + q_j),   B_T = -lambda
//   B_jk = delta_jk lambda^2 / (q_j (1 + q_j)) + lambda^3 w_j w_k / m,   w_j = d_j / q_j,   m = -F'(lambda) > 0
//   B_jT = -lambda^2 w_j / m,   B_TT = lambda / m
std::optional<BarrierTerms> sum_norm_barrier(const Eigen::VectorXd& d, double T) {
  if (!(d.lpNorm<1>() < T)) return std::nullopt;
  const Eigen::Index last = d.size();
  const double lambda = sum_norm_multiplier(d, T);
  const Eigen::ArrayXd q = (1 + (lambda * d.array()).square()).sqrt();
  const Eigen::VectorXd w = (d.array() / q).matrix();
  const double m = T - lambda * d.dot(w);
  if (!(m > 0)) return std::nullopt;

  BarrierTerms terms(static_cast<std::size_t>(last));
  terms.value = static_cast<double>(2 * last + 1) * std::log(lambda) - (2 * (1 + q)).log().sum();
  terms.gradient << lambda * lambda * d.array() / (1 + q), -lambda;
  terms.hessian.topLeftCorner(last, last) = lambda * lambda * lambda / m * w * w.transpose();
  terms.hessian.diagonal().head(last).array() += lambda * lambda / (q * (1 + q));
  terms.hessian.col(last).head(last) = -lambda * lambda / m * w;
  terms.hessian.row(last).head(last) = terms.hessian.col(last).head(last).transpose();
  terms.hessian(last, last) = lambda / m;
  return if_finite(std::move(terms));
}

// 1 < p < infinity: -log(w) for the perspective  w = T - T^(1-p) sum_j |d_j|^p,  concave in (d, T). With y = d / T,
// S = sum_j |y_j|^p:
//   w = T (1 - S),   w_j = -p |y_j|^(p-1) sign(y_j),   w_T = 1 + (p - 1) S
//   w_jj = -p (p-1) |y_j|^(p-2) / T,   w_jT = p (p-1) |y_j|^(p-1) sign(y_j) / T,   w_TT = -p (p-1) S / T
// For p < 2 the curvature w_jj is infinite at d_j = 0; there |y_j| counts as kSmallest, which keeps Newton's steps
// finite and changes nothing elsewhere.
std::optional<BarrierTerms> power_norm_barrier(const Eigen::VectorXd& d, double T, double p) {
  constexpr double kSmallest = 1e-8;
  const Eigen::ArrayXd y = d.array() / T;
  const Eigen::ArrayXd size = y.abs();
  if (!(T > 0) || !(size.maxCoeff() < 1)) return std::nullopt;
  const double S = size.pow(p).sum();
  const Eigen::ArrayXd slope = p * size.pow(p - 1) * y.sign();

  const Eigen::Index last = d.size();
  Eigen::VectorXd gradient(last + 1);
  gradient << -slope, 1 + (p - 1) * S;
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(last + 1, last + 1);
  const Eigen::ArrayXd curved = p < 2 ? size.max(kSmallest).eval() : size;
  hessian.diagonal() << -p * (p - 1) * curved.pow(p - 2), -p * (p - 1) * S;
  hessian.col(last).head(last) = (p - 1) * slope;
  hessian.row(last).head(last) = hessian.col(last).head(last).transpose();
  return log_barrier(T * (1 - S), gradient, hessian / T);
}

}  // namespace

std::optional<BarrierTerms> lp_cone_barrier(const Eigen::VectorXd& d, double T, double p) {
  if (p == 1) return sum_norm_barrier(d, T);
  if (std::isinf(p)) return max_norm_barrier(d, T);
  return power_norm_barrier(d, T, p);
}

}  // namespace softradial
