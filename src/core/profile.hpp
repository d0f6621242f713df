#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <variant>

#include "softradial/method.hpp"

// Radial profiles: phi(rho, gamma) and its slopes, each in the form that stays finite and loses no digits.
namespace softradial {

// A profile at one point. Slopes are elasticities, d log phi / d log(argument), so that no power of |d| is ever formed:
//   J'g = P_hull( phi (g + (d.g) (e_rho / rho d + e_gamma / gamma n)) )
// psi(t) = phi t along a ray has d log psi / d log t = 1 + e_rho + e_gamma =: e_radial, positive where p is invertible.
template <class T>
struct Scale {
  T phi;
  T e_rho;     // 2 rho phi_rho / phi
  T e_gamma;   // gamma phi_gamma / phi
  T e_radial;  // 1 + e_rho + e_gamma, without the cancellation
  T slack;     // 1 - phi gamma, without the cancellation
};

// r(rho), 1 - r evaluated directly, and 2 rho r' / r. (Paper, eqs. rational, exponential, hyperbolic.)
template <class T>
struct ContractionAt {
  T r;
  T one_minus_r;
  T elasticity;
};

// rational:  r = (rho + epsilon lambda) / (rho + lambda), at most 1 after rounding: both sums round alike.
// rho = infinity is an ordinary argument: r = 1, elasticity 0.
template <std::floating_point T>
inline ContractionAt<T> contract(Contraction kind, T lambda, T epsilon, T rho) noexcept {
  switch (kind) {
    case Contraction::rational: {
      if (!(rho < std::numeric_limits<T>::max() - lambda)) return {1, 0, 0};
      const T low = rho + epsilon * lambda;
      const T high = rho + lambda;
      const T one_minus_r = (1 - epsilon) * lambda / high;
      return {low / high, one_minus_r, 2 * (rho / low) * one_minus_r};
    }
    case Contraction::exponential: {
      const T z = rho / lambda;
      const T decay = std::exp(-z);
      const T r = std::min(T{1}, epsilon - (1 - epsilon) * std::expm1(-z));
      return {r, (1 - epsilon) * decay, decay > 0 ? 2 * (1 - epsilon) * z * decay / r : T{0}};
    }
    case Contraction::hyperbolic: {
      const T z = rho / lambda;
      const T decay = std::exp(-2 * z);
      const T r = std::min(T{1}, epsilon + (1 - epsilon) * std::tanh(z));
      const T slope = 4 * decay / ((1 + decay) * (1 + decay));
      return {r, (1 - epsilon) * 2 * decay / (1 + decay), decay > 0 ? 2 * (1 - epsilon) * z * slope / r : T{0}};
    }
  }
  return {};
}

// rho with r(rho) = target, from 1 - target: epsilon <= target < 1. In terms of odds = (target - epsilon) / (1 - target),
// whose logarithms lose no digits near target = epsilon:
//   exponential   exp(rho / lambda)   = (1 - epsilon) / (1 - target) = 1 + odds
//   hyperbolic    exp(2 rho / lambda) = (1 + y) / (1 - y) = 1 + 2 odds,   y = (target - epsilon) / (1 - epsilon)
template <std::floating_point T>
inline T contract_inverse(Contraction kind, T lambda, T epsilon, T target, T one_minus_target) noexcept {
  const T odds = (target - epsilon) / one_minus_target;
  switch (kind) {
    case Contraction::rational:
      return lambda * odds;
    case Contraction::exponential:
      return lambda * std::log1p(odds);
    case Contraction::hyperbolic:
      return lambda / 2 * std::log1p(2 * odds);
  }
  return 0;
}

// log(2 rho r' / r) from rho and log(rho), where the elasticity itself may underflow.
inline double log_contraction_elasticity(const SoftRadial& m, double rho, double log_rho, double r) noexcept {
  const double scale = std::log(2 * (1 - m.epsilon)) - std::log(r);
  switch (m.contraction) {
    case Contraction::rational: {
      const double log_sum = std::isinf(rho) ? log_rho : std::log(rho + m.lambda);
      return scale + std::log(m.lambda) + log_rho - 2 * log_sum;
    }
    case Contraction::exponential:
      return scale + log_rho - std::log(m.lambda) - rho / m.lambda;
    case Contraction::hyperbolic:
      return scale + log_rho - std::log(m.lambda) + std::log(4.0) - 2 * rho / m.lambda -
             2 * std::log1p(std::exp(-2 * rho / m.lambda));
  }
  return 0;
}

// The points with gamma <= 1 are inside: there phi does not depend on gamma.
template <std::floating_point T>
inline Scale<T> profile(const SoftRadial& m, T rho, T gamma) noexcept {
  const auto c = contract(m.contraction, static_cast<T>(m.lambda), static_cast<T>(m.epsilon), rho);
  if (gamma <= 1) return {c.r, c.elasticity, 0, 1 + c.elasticity, (1 - gamma) + gamma * c.one_minus_r};
  const T reach = 1 / gamma;  // a product with r, so that the two divisions run side by side
  return {c.r * reach, c.elasticity, -1, c.elasticity, c.one_minus_r};
}

template <std::floating_point T>
inline Scale<T> profile(const HardRadial&, T, T gamma) noexcept {
  if (gamma <= 1) return {1, 0, 0, 1, 1 - gamma};
  return {1 / gamma, 0, -1, 0, 0};
}

template <std::floating_point T>
inline Scale<T> profile(const GaugeMap& m, T, T gamma) noexcept {
  const T lambda = static_cast<T>(m.lambda);
  const T z = gamma / lambda;
  switch (m.contraction) {
    case Contraction::rational: {
      const T slack = 1 / (1 + z);
      return {slack / lambda, 0, z < 1 ? -z * slack : slack - 1, slack, slack};
    }
    case Contraction::exponential: {
      const T s = -std::expm1(-z);
      const T slack = std::exp(-z);
      const T e_radial = z > 0 ? (slack > 0 ? z * slack / s : T{0}) : T{1};
      return {z > 0 ? s / gamma : 1 / lambda, 0, e_radial - 1, e_radial, slack};
    }
    case Contraction::hyperbolic: {
      const T decay = std::exp(-2 * z);
      const T s = std::tanh(z);
      const T e_radial = z > 0 ? (decay > 0 ? -4 * z * decay / std::expm1(-4 * z) : T{0}) : T{1};
      return {z > 0 ? s / gamma : 1 / lambda, 0, e_radial - 1, e_radial, 2 * decay / (1 + decay)};
    }
  }
  return {};
}

// A method's profile as a plain function: what a kernel that is compiled for several processors can call without being
// compiled for every method too.
template <class T>
using ProfileFunction = Scale<T> (*)(const Method&, T rho, T gamma) noexcept;

template <class T>
inline ProfileFunction<T> profile_function(const Method& method) noexcept {
  return std::visit(
      []<class M>(const M&) -> ProfileFunction<T> {
        return [](const Method& m, T rho, T gamma) noexcept { return profile(*std::get_if<M>(&m), rho, gamma); };
      },
      method);
}

// log e_radial, where e_radial itself may underflow.
inline double log_radial(const SoftRadial& m, double rho, double log_rho, double gamma) noexcept {
  const auto c = contract(m.contraction, m.lambda, m.epsilon, rho);
  if (gamma <= 1) return std::log1p(c.elasticity);
  return log_contraction_elasticity(m, rho, log_rho, c.r);
}

inline double log_radial(const HardRadial&, double, double, double gamma) noexcept {
  return gamma <= 1 ? 0 : -std::numeric_limits<double>::infinity();
}

inline double log_radial(const GaugeMap& m, double rho, double, double gamma) noexcept {
  const double z = gamma / m.lambda;
  if (m.contraction == Contraction::exponential && z > 1) return std::log(z) - z - std::log(-std::expm1(-z));
  if (m.contraction == Contraction::hyperbolic && z > 1) return std::log(4 * z) - 2 * z - std::log(-std::expm1(-4 * z));
  return std::log(profile(m, rho, gamma).e_radial);
}

// The t >= 0 with psi(t e) = e for a point e = x - u0 of the hull, gamma(e) = eta < 1, |e|^2 = s: phi(t^2 s, t eta) t = 1.

// Inside, f(log t) = log(t r(t^2 s)) = 0 has one root, t in [1, 1/epsilon].
//
// The law. f has the slope 1 + elasticity in log t. r is concave in rho and not negative, hence rho r' <= r and the slope
// is between 1 and 3. So the value at one t encloses the root:
//   log(root / t) is between -f and -f / 3,
// and Newton's point, log t - f / (1 + elasticity), is in there too.
//
// The start. With z = rho / lambda, r is within a factor of 2 of min(1, max(epsilon, z)), for which the equation has the
// root t = (lambda / s)^(1/3), clipped to [1, 1/epsilon]. There 1/2 <= t r <= 2, so that the root is in [t/2, 2t].
//
// Convergence. The bracket is the intersection of all enclosures. Newton's point is taken if it lies strictly inside and if
// the last step has at least halved the bracket on the log scale; otherwise the middle, whose value halves it for certain.
// Two steps thus halve it, and |f| <= 3 log(high / low): after at most 2 log2(2 log(2) 3 / kNear) < 64 steps |f| <= kNear.
// From there one more Newton step leaves |f''| / 2 f^2 <= 4 f^2, less than an ulp. (|f''| <= 8: with q = rho r' / r <= 1 it is
// 4 q |1 - q + rho r'' / r'|, and q rho |r''| / r' <= 2 for the three contractions.) No cycle is possible, and no more than 5
// steps were needed for any epsilon from 1e-300 to 0.99 and any s / lambda.
//
// t itself is iterated, not log t, which would cost |log t| ulp at the end.
inline double inside_scale(const SoftRadial& m, double s) noexcept {
  constexpr int kMostSteps = 64;
  constexpr double kNear = 0x1p-28;
  // 1/epsilon is not finite for the smallest numbers of all.
  const double longest = 1 / std::max(m.epsilon, std::numeric_limits<double>::min());
  double t = std::clamp(std::exp((std::log(m.lambda) - std::log(s)) / 3), 1.0, longest);
  double low = t / 2;
  double high = 2 * t;
  for (int step = 0; step < kMostSteps; ++step) {
    const auto c = contract(m.contraction, m.lambda, m.epsilon, t * s * t);
    const double f = std::log1p(t * c.r - 1);
    const double newton = t * std::exp(-f / (1 + c.elasticity));
    if (std::abs(f) <= kNear) return newton;
    const double before = high / low;
    low = std::clamp(t * std::exp(f > 0 ? -f : -f / 3), low, high);
    high = std::clamp(t * std::exp(f > 0 ? -f / 3 : -f), low, high);
    const double ratio = high / low;
    const bool halved = ratio * ratio <= before;
    t = halved && newton > low && newton < high ? newton : std::sqrt(low) * std::sqrt(high);
  }
  return t;
}

// Outside, r(t^2 s) = eta is solved in closed form; where its t is not outside, the root is inside.
inline double inverse_scale(const SoftRadial& m, double s, double eta) noexcept {
  const double one_minus_eta = std::max(1 - eta, std::numeric_limits<double>::epsilon() / 4);
  if (eta > m.epsilon && s > 0) {
    const double rho = contract_inverse(m.contraction, m.lambda, m.epsilon, eta, one_minus_eta);
    const double t = std::sqrt(rho / s);
    if (t * eta >= 1) return t;
  }
  return inside_scale(m, s);
}

inline double inverse_scale(const HardRadial&, double, double) noexcept { return 1; }

// s(t eta) = eta.
inline double inverse_scale(const GaugeMap& m, double, double eta) noexcept {
  if (eta <= 0) return m.lambda;
  const double inside = std::min(eta, 1 - std::numeric_limits<double>::epsilon() / 2);
  switch (m.contraction) {
    case Contraction::rational:
      return m.lambda / (1 - inside);
    case Contraction::exponential:
      return -m.lambda * std::log1p(-inside) / eta;
    case Contraction::hyperbolic:
      return m.lambda / 2 * (std::log1p(eta) - std::log1p(-inside)) / eta;
  }
  return 0;
}

}  // namespace softradial
