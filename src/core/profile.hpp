#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "contraction.hpp"
#include "numbers.hpp"
#include "softradial/method.hpp"

// Radial profiles: phi(rho, gamma), its slopes, their logarithms and its inverse, each in the form that stays finite and
// loses no digits. One definition for rows in memory (N is float or double) and for batches with derivatives (N is Tensor).
//
// Autograd runs through both sides of a `choose`: a side that is not taken is given harmless arguments by `where_else`.
namespace softradial {

// yes() or no(): scalars evaluate the side that is taken, tensors both.
template <class Yes, class No>
[[nodiscard]] inline auto choose_between(bool condition, const Yes& yes, const No& no) {
  return condition ? yes() : no();
}
template <class Yes, class No>
[[nodiscard]] inline Tensor choose_between(const Tensor& condition, const Yes& yes, const No& no) {
  return choose(condition, yes(), no());
}

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

// The points with gamma <= 1 are inside: there phi does not depend on gamma.
template <Scalar T>
inline Scale<T> profile(const SoftRadial& m, T rho, T gamma) noexcept {
  const auto c = with_contraction(m.contraction, [&](auto contraction) {
    return contraction.at(static_cast<T>(m.lambda), static_cast<T>(m.epsilon), rho);
  });
  if (gamma <= 1) return {c.r, c.elasticity, 0, 1 + c.elasticity, (1 - gamma) + gamma * c.one_minus_r};
  const T reach = 1 / gamma;  // a product with r, so that the two divisions run side by side
  return {c.r * reach, c.elasticity, -1, c.elasticity, c.one_minus_r};
}

template <Scalar T>
inline Scale<T> profile(const HardRadial&, T, T gamma) noexcept {
  if (gamma <= 1) return {1, 0, 0, 1, 1 - gamma};
  return {1 / gamma, 0, -1, 0, 0};
}

// Below this a contraction's share of z is z to the last bit, and z^2 is a number of any precision.
inline constexpr double kSmallestQuotient = 0x1p-60;

// phi = s(z) / gamma, z = gamma / lambda; the limit at the anchor is 1 / lambda.
template <Scalar T>
inline Scale<T> profile(const GaugeMap& m, T, T gamma) noexcept {
  const T lambda = static_cast<T>(m.lambda);
  const T z = gamma / lambda;
  return with_contraction(m.contraction, [&]<class Kind>(Kind contraction) -> Scale<T> {
    const T slack = contraction.slack(z);
    if constexpr (std::is_same_v<Kind, Rational>) {
      return {slack / lambda, 0, z < 1 ? -z * slack : slack - 1, slack, slack};
    } else {
      if (!(z > static_cast<T>(kSmallestQuotient))) return {1 / lambda, 0, 0, 1, slack};
      const T e_radial = contraction.gauge_elasticity(z);
      return {contraction.share(z) / gamma, 0, e_radial - 1, e_radial, slack};
    }
  });
}

// A method's profile as a plain function. A kernel that is compiled for several processors can call it without being
// compiled for every method, too.
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

// log e_radial, where e_radial itself may underflow: log(1 + elasticity) inside, the logarithm of the elasticity outside.
template <class Kind, class N>
inline N log_soft_radial(Kind, double epsilon, const ContractionAt<N>& c, const LogArguments<N>& a,
                         const Truth<N>& outside) noexcept(Scalar<N>) {
  using std::log;
  using std::log1p;
  return choose_between(
      outside, [&] { return Kind::log_elasticity(std::log(2 * (1 - epsilon)) - log(c.r), a); },
      [&] { return log1p(c.elasticity); });
}
inline double log_radial(const SoftRadial& m, double rho, double log_rho, double gamma) noexcept {
  return with_contraction(m.contraction, [&](auto contraction) {
    const auto c = contraction.at(m.lambda, m.epsilon, rho);
    const LogArguments<double> arguments{rho, log_rho, m.lambda, std::log(m.lambda)};
    return log_soft_radial(contraction, m.epsilon, c, arguments, gamma > 1);
  });
}

inline double log_radial(const HardRadial&, double, double, double gamma) noexcept {
  return gamma <= 1 ? 0 : -std::numeric_limits<double>::infinity();
}

// log e_radial of the gauge map. Beyond z = 1 it is formed by logarithms, one of which is -z or -2z.
template <class N>
inline N log_gauge_radial(Contraction kind, const N& z) noexcept(Scalar<N>) {
  using std::log;
  return with_contraction(kind, [&]<class Kind>(Kind contraction) {
    if constexpr (std::is_same_v<Kind, Rational>) {
      return contraction.log_gauge_elasticity(z);
    } else {
      const auto far = z > 1;
      const auto away = z > kSmallestQuotient;
      return choose_between(
          far, [&] { return contraction.log_gauge_elasticity(where_else(far, z, 2)); },
          [&] { return where_else(away, log(contraction.gauge_elasticity(where_else(away && !far, z, 1))), 0); });
    }
  });
}
inline double log_radial(const GaugeMap& m, double, double, double gamma) noexcept {
  return log_gauge_radial(m.contraction, gamma / m.lambda);
}

// A direction divided by `scale` >= 1, so that no square overflows: u = u0 + scale d. Tensors (..., 1); scale is frozen.
template <class N>
struct ScaledRay {
  N rho;    // |d|^2
  N gamma;  // guarded gamma(d)
  N scale;
};

// log phi, and log e_radial.
template <class N>
struct LogScale {
  N log_phi;
  N log_radial;
};

// Quotients stay below this: the square of a row's scale may overflow, and rho / lambda with it. Beyond, r and s are 1 to the
// last bit; logarithms add those of scale and lambda instead.
template <class N>
[[nodiscard]] inline double largest_quotient(const N& like) noexcept(Scalar<N>) {
  return 0x1p-27 * largest_number(like);
}

// rho and lambda in units of scale^2.
template <class Kind, class N>
[[nodiscard]] inline std::pair<N, N> in_units(Kind, double lambda, const ScaledRay<N>& ray) noexcept(Scalar<N>) {
  const double most = largest_quotient(ray.scale);
  const N unit = larger(lambda / ray.scale / ray.scale, 1 / most);
  return {Kind::kDecays ? smaller(ray.rho, unit * most) : ray.rho, unit};
}

// scale min(1, 1 / (scale gamma)) and log max(1, scale gamma)
template <class N>
[[nodiscard]] inline N reach(const ScaledRay<N>& ray) noexcept(Scalar<N>) {
  const auto outside = ray.gamma * ray.scale > 1;
  return choose(outside, 1 / where_else(outside, ray.gamma, 1), ray.scale);
}
template <class N>
[[nodiscard]] inline N log_outer_gauge(const ScaledRay<N>& ray) noexcept(Scalar<N>) {
  using std::log;
  const auto outside = ray.gamma * ray.scale > 1;
  return where_else(outside, log(where_else(outside, ray.gamma, 1)) + log(ray.scale), 0);
}

// x = u0 + step d: step = scale phi(scale^2 rho, scale gamma).
template <class N>
[[nodiscard]] inline N step(const SoftRadial& m, const ScaledRay<N>& ray) noexcept(Scalar<N>) {
  return with_contraction(m.contraction, [&](auto contraction) {
    const auto [rho, lambda] = in_units(contraction, m.lambda, ray);
    return contraction.r(lambda, Constant<N>(m.epsilon), rho) * reach(ray);
  });
}
template <class N>
[[nodiscard]] inline N step(const HardRadial&, const ScaledRay<N>& ray) noexcept(Scalar<N>) {
  return reach(ray);
}
template <class N>
[[nodiscard]] inline N gauge_quotient(double lambda, const ScaledRay<N>& ray) noexcept(Scalar<N>) {
  return smaller(ray.gamma * ray.scale / lambda, largest_quotient(ray.scale));
}
template <class N>
[[nodiscard]] inline N step(const GaugeMap& m, const ScaledRay<N>& ray) noexcept(Scalar<N>) {
  return with_contraction(m.contraction, [&]<class Kind>(Kind contraction) -> N {
    if constexpr (std::is_same_v<Kind, Rational>) {
      return 1 / (m.lambda / ray.scale + ray.gamma);
    } else {
      // Near the anchor by the quotient share(z) / z, whose derivatives stay finite; it is 1 where z^2 would vanish.
      const N z = gauge_quotient(m.lambda, ray);
      const auto far = z > 1;
      const auto away = z > kSmallestQuotient;
      const N near_z = where_else(away && !far, z, 1);
      const N ratio = where_else(away, contraction.share(near_z) / near_z, 1);
      // Beyond this the share is 1, and the derivative of z may not be a number.
      constexpr double kSaturated = 64;
      const N share = contraction.share(where_else(!(z > kSaturated), z, kSaturated));
      return choose(far, share / where_else(far, ray.gamma, 1), ray.scale / m.lambda * ratio);
    }
  });
}

template <class N>
[[nodiscard]] inline LogScale<N> log_scale(const SoftRadial& m, const ScaledRay<N>& ray) noexcept(Scalar<N>) {
  using std::log;
  return with_contraction(m.contraction, [&](auto contraction) -> LogScale<N> {
    const auto [rho, lambda] = in_units(contraction, m.lambda, ray);
    const ContractionAt<N> c = contraction.at(lambda, Constant<N>(m.epsilon), rho);
    const LogArguments<N> arguments{rho, log(where_else(ray.rho > 0, ray.rho, 1)), lambda,
                                    std::log(m.lambda) - 2 * log(ray.scale)};
    return {log(c.r) - log_outer_gauge(ray),
            log_soft_radial(contraction, m.epsilon, c, arguments, ray.gamma * ray.scale > 1)};
  });
}
// Outside, the map forgets how far out u was: e_radial = 0.
template <class N>
[[nodiscard]] inline LogScale<N> log_scale(const HardRadial&, const ScaledRay<N>& ray) noexcept(Scalar<N>) {
  const auto outside = ray.gamma * ray.scale > 1;
  return {-log_outer_gauge(ray), where_else(!outside, 0 * ray.gamma, -std::numeric_limits<double>::infinity())};
}
// phi = s(z) / z / lambda; s(z) = z slack(z) for the rational contraction.
template <class N>
[[nodiscard]] inline LogScale<N> log_scale(const GaugeMap& m, const ScaledRay<N>& ray) noexcept(Scalar<N>) {
  using std::log;
  const N z = gauge_quotient(m.lambda, ray);
  const N log_ratio = with_contraction(m.contraction, [&]<class Kind>(Kind contraction) -> N {
    if constexpr (std::is_same_v<Kind, Rational>) {
      return log(contraction.slack(z));
    } else {
      const auto away = z > kSmallestQuotient;
      const N positive = where_else(away, z, 1);
      return where_else(away, log(contraction.share(positive)) - log(positive), 0);
    }
  });
  return {log_ratio - std::log(m.lambda), log_gauge_radial(m.contraction, z)};
}

// The t >= 0 with psi(t e) = e for a point e = x - u0 of the hull, gamma(e) = eta < 1, |e|^2 = s: phi(t^2 s, t eta) t = 1.
// In double.

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
// steps were needed for any epsilon from 1e-300 to 0.99 and any s / lambda. Tensors, whose rows walk together, take 6.
//
// t itself is iterated, not log t, which would cost |log t| ulp at the end.
template <class N>
[[nodiscard]] inline N inside_scale(const SoftRadial& m, const N& s) noexcept(Scalar<N>) {
  using std::abs;
  using std::exp;
  using std::log;
  using std::log1p;
  constexpr int kMostSteps = Scalar<N> ? 64 : 6;
  constexpr double kNear = 0x1p-28;
  // 1/epsilon is not finite for the smallest numbers of all.
  const double longest = 1 / std::max(m.epsilon, std::numeric_limits<double>::min());
  [[maybe_unused]] const double farthest = largest_quotient(s) * std::min(1.0, m.lambda);
  N t = smaller(larger(exp((std::log(m.lambda) - log(s)) / 3), 1), longest);
  N low = t / 2;
  N high = 2 * t;
  for (int step = 0; step < kMostSteps; ++step) {
    N rho = t * s * t;
    if constexpr (!Scalar<N>) rho = smaller(rho, farthest);  // scalars work with infinity
    const auto c =
        with_contraction(m.contraction, [&](auto contraction) { return contraction.at(m.lambda, m.epsilon, rho); });
    const N f = log1p(t * c.r - 1);
    const N newton = t * exp(-f / (1 + c.elasticity));
    const auto near = !(abs(f) > kNear);
    if constexpr (Scalar<N>) {
      if (near) return newton;
    }
    const N before = high / low;
    const N whole = t * exp(-f);
    const N third = t * exp(-f / 3);
    low = smaller(larger(smaller(whole, third), low), high);
    high = smaller(larger(larger(whole, third), low), high);
    const N ratio = high / low;
    const auto halved = before >= ratio * ratio;
    t = choose(near || (halved && newton > low && newton < high), newton, root(low) * root(high));
  }
  return t;
}

// Outside, r(t^2 s) = eta is solved in closed form; where its t is not outside, the root is inside.
template <class N>
[[nodiscard]] inline N inverse_scale(const SoftRadial& m, const N& s, const N& eta) noexcept(Scalar<N>) {
  const N target = larger(eta, m.epsilon);
  const N odds = (target - m.epsilon) / larger(1 - target, std::numeric_limits<double>::epsilon() / 4);
  const N rho =
      with_contraction(m.contraction, [&](auto contraction) -> N { return m.lambda * contraction.inverse(odds); });
  const auto moves = s > 0;
  N t = root(rho / where_else(moves, s, 1));
  const auto outside = eta > m.epsilon && moves && t * eta >= 1;
  return choose_between(
      outside, [&] { return t; }, [&] { return inside_scale(m, s); });
}

template <class N>
[[nodiscard]] inline N inverse_scale(const HardRadial&, const N&, const N& eta) noexcept(Scalar<N>) {
  return 1 + 0 * eta;
}

// s(t eta) = eta.
template <class N>
[[nodiscard]] inline N inverse_scale(const GaugeMap& m, const N&, const N& eta) noexcept(Scalar<N>) {
  const N inside = smaller(eta, 1 - std::numeric_limits<double>::epsilon() / 2);
  const auto away = eta > 0;
  const N t = with_contraction(m.contraction, [&](auto contraction) {
    return contraction.gauge_inverse(m.lambda, where_else(away, eta, 1), inside);
  });
  return where_else(away, t, m.lambda);
}

}  // namespace softradial
