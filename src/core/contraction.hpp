#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "numbers.hpp"
#include "softradial/method.hpp"

// The three contractions, each with its formulas in the form that stays finite and loses no digits. They serve two maps:
//   soft radial   r = epsilon + (1 - epsilon) c(z),   z = rho / lambda
//   gauge map     s = c(z),                           z = gamma / lambda
// N is float, double or Tensor, L the type of lambda: a number as rho is, or a constant. (Tensors measure lambda in units of
// a row's own scale.) Scalars take rho and z = infinity as ordinary arguments; tensors keep their rho and z finite.
// kDecays: 1 - c falls as an exponential of z, so that z must not overflow where z exp(-z) is formed.
namespace softradial {

// Type of a formula's constants. Scalars round them as the rows; tensors round them themselves.
template <class N>
using Constant = std::conditional_t<std::is_floating_point_v<N>, N, double>;
// Type of a comparison's result.
template <class N>
using Truth = std::conditional_t<std::is_floating_point_v<N>, bool, Tensor>;

// r, 1 - r evaluated directly, and 2 rho r' / r. (Paper, eqs. rational, exponential, hyperbolic.)
template <class N>
struct ContractionAt {
  N r;
  N one_minus_r;
  N elasticity;
};

// The arguments of log(2 rho r' / r), for where the elasticity itself underflows:
//   log(2 rho r' / r) = factor + log(z c'(z)),   factor = log(2 (1 - epsilon)) - log(r)
template <class N>
struct LogArguments {
  N rho;
  N log_rho;  // finite where rho overflows
  N lambda;
  N log_lambda;
};

// c = z / (1 + z)
struct Rational {
  static constexpr bool kDecays = false;

  // (rho + epsilon lambda) / (rho + lambda), at most 1 after rounding: both sums round alike.
  template <class L, class N>
  [[nodiscard]] static N r(const L& lambda, Constant<N> epsilon, const N& rho) noexcept(Scalar<N>) {
    return (rho + epsilon * lambda) / (rho + lambda);
  }

  template <class L, class N>
  [[nodiscard]] static ContractionAt<N> at(const L& lambda, Constant<N> epsilon, const N& rho) noexcept(Scalar<N>) {
    if constexpr (Scalar<N>) {
      if (!(rho < std::numeric_limits<N>::max() - lambda)) return {1, 0, 0};
    }
    const N low = rho + epsilon * lambda;
    const N high = rho + lambda;
    const N one_minus_r = (1 - epsilon) * lambda / high;
    return {low / high, one_minus_r, 2 * (rho / low) * one_minus_r};
  }

  template <class N>
  [[nodiscard]] static N log_elasticity(const N& factor, const LogArguments<N>& a) noexcept(Scalar<N>) {
    using std::log;
    N log_sum = log(a.rho + a.lambda);
    if constexpr (Scalar<N>) {
      if (std::isinf(a.rho)) log_sum = a.log_rho;
    }
    return factor + a.log_lambda + a.log_rho - 2 * log_sum;
  }

  // rho / lambda with r(rho) = target, from odds = (target - epsilon) / (1 - target).
  template <class N>
  [[nodiscard]] static N inverse(const N& odds) noexcept(Scalar<N>) {
    return odds;
  }

  template <class N>
  [[nodiscard]] static N slack(const N& z) noexcept(Scalar<N>) {
    return 1 / (1 + z);
  }
  // z s' / s
  template <class N>
  [[nodiscard]] static N gauge_elasticity(const N& z) noexcept(Scalar<N>) {
    return slack(z);
  }
  template <class N>
  [[nodiscard]] static N log_gauge_elasticity(const N& z) noexcept(Scalar<N>) {
    using std::log;
    return log(slack(z));
  }
  // t with s(t eta) = eta; `inside` is eta kept below 1.
  template <class N>
  [[nodiscard]] static N gauge_inverse(Constant<N> lambda, const N&, const N& inside) noexcept(Scalar<N>) {
    return lambda / (1 - inside);
  }
};

// c = 1 - exp(-z)
struct Exponential {
  static constexpr bool kDecays = true;

  template <class L, class N>
  [[nodiscard]] static N r(const L& lambda, Constant<N> epsilon, const N& rho) noexcept(Scalar<N>) {
    return smaller(epsilon + (1 - epsilon) * one_minus_exp(rho / lambda), 1);
  }

  template <class L, class N>
  [[nodiscard]] static ContractionAt<N> at(const L& lambda, Constant<N> epsilon, const N& rho) noexcept(Scalar<N>) {
    using std::exp;
    const N z = rho / lambda;
    const N decay = exp(-z);
    const N r = smaller(epsilon + (1 - epsilon) * one_minus_exp(z), 1);
    return {r, (1 - epsilon) * decay, where_else(decay > 0, 2 * (1 - epsilon) * z * decay / r, 0)};
  }

  template <class N>
  [[nodiscard]] static N log_elasticity(const N& factor, const LogArguments<N>& a) noexcept(Scalar<N>) {
    return factor + a.log_rho - a.log_lambda - a.rho / a.lambda;
  }

  // exp(rho / lambda) = (1 - epsilon) / (1 - target) = 1 + odds
  template <class N>
  [[nodiscard]] static N inverse(const N& odds) noexcept(Scalar<N>) {
    using std::log1p;
    return log1p(odds);
  }

  template <class N>
  [[nodiscard]] static N share(const N& z) noexcept(Scalar<N>) {
    return one_minus_exp(z);
  }
  template <class N>
  [[nodiscard]] static N slack(const N& z) noexcept(Scalar<N>) {
    using std::exp;
    return exp(-z);
  }
  template <class N>
  [[nodiscard]] static N gauge_elasticity(const N& z) noexcept(Scalar<N>) {
    const N slack = Exponential::slack(z);
    return where_else(slack > 0, z * slack / share(z), 0);
  }
  template <class N>
  [[nodiscard]] static N log_gauge_elasticity(const N& z) noexcept(Scalar<N>) {
    using std::log;
    return log(z) - z - log(share(z));
  }
  template <class N>
  [[nodiscard]] static N gauge_inverse(Constant<N> lambda, const N& eta, const N& inside) noexcept(Scalar<N>) {
    using std::log1p;
    return -lambda * log1p(-inside) / eta;
  }
};

// c = tanh(z), from decay = exp(-2 z): 1 - c = 2 decay / (1 + decay), c' = 4 decay / (1 + decay)^2
struct Hyperbolic {
  static constexpr bool kDecays = true;

  template <class L, class N>
  [[nodiscard]] static N r(const L& lambda, Constant<N> epsilon, const N& rho) noexcept(Scalar<N>) {
    using std::tanh;
    return smaller(epsilon + (1 - epsilon) * tanh(rho / lambda), 1);
  }

  template <class L, class N>
  [[nodiscard]] static ContractionAt<N> at(const L& lambda, Constant<N> epsilon, const N& rho) noexcept(Scalar<N>) {
    using std::exp;
    using std::tanh;
    const N z = rho / lambda;
    const N decay = exp(-2 * z);
    const N r = smaller(epsilon + (1 - epsilon) * tanh(z), 1);
    const N slope = 4 * decay / ((1 + decay) * (1 + decay));
    return {r, (1 - epsilon) * 2 * decay / (1 + decay), where_else(decay > 0, 2 * (1 - epsilon) * z * slope / r, 0)};
  }

  template <class N>
  [[nodiscard]] static N log_elasticity(const N& factor, const LogArguments<N>& a) noexcept(Scalar<N>) {
    using std::exp;
    using std::log1p;
    const N twice = 2 * a.rho / a.lambda;
    return factor + a.log_rho - a.log_lambda + std::log(4.0) - twice - 2 * log1p(exp(-twice));
  }

  // exp(2 rho / lambda) = (1 + y) / (1 - y) = 1 + 2 odds,   y = (target - epsilon) / (1 - epsilon)
  template <class N>
  [[nodiscard]] static N inverse(const N& odds) noexcept(Scalar<N>) {
    using std::log1p;
    return log1p(2 * odds) / 2;
  }

  template <class N>
  [[nodiscard]] static N share(const N& z) noexcept(Scalar<N>) {
    using std::tanh;
    return tanh(z);
  }
  template <class N>
  [[nodiscard]] static N slack(const N& z) noexcept(Scalar<N>) {
    using std::exp;
    const N decay = exp(-2 * z);
    return 2 * decay / (1 + decay);
  }
  template <class N>
  [[nodiscard]] static N gauge_elasticity(const N& z) noexcept(Scalar<N>) {
    using std::exp;
    const N decay = exp(-2 * z);
    return where_else(decay > 0, 4 * z * decay / one_minus_exp(4 * z), 0);
  }
  template <class N>
  [[nodiscard]] static N log_gauge_elasticity(const N& z) noexcept(Scalar<N>) {
    using std::log;
    return log(4 * z) - 2 * z - log(one_minus_exp(4 * z));
  }
  template <class N>
  [[nodiscard]] static N gauge_inverse(Constant<N> lambda, const N& eta, const N& inside) noexcept(Scalar<N>) {
    using std::log1p;
    return lambda / 2 * (log1p(eta) - log1p(-inside)) / eta;
  }
};

// Calls body with the contraction's formulas.
template <class Body>
[[nodiscard]] inline auto with_contraction(Contraction kind, const Body& body) {
  switch (kind) {
    case Contraction::rational:
      break;
    case Contraction::exponential:
      return body(Exponential{});
    case Contraction::hyperbolic:
      return body(Hyperbolic{});
  }
  return body(Rational{});
}

}  // namespace softradial
