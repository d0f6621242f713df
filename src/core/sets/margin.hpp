#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "guard.hpp"
#include "numbers.hpp"
#include "softradial/gauge.hpp"

// The guard's two constants sigma and kappa (guard.hpp, docs/math/margin.md) for gauges of every kind.
namespace softradial {

// An ulp of T as a double, for formulas in double.
template <class T>
inline constexpr double kUlp = static_cast<double>(guard::kUlp<T>);

// The guard's constants: numbers for a fixed anchor, tensors (..., 1) for an anchor of each sample.
template <class N>
struct MarginOf {
  N sigma{};
  N kappa{};
  N lipschitz{};
};
using Margin = MarginOf<double>;

// An ulp of the arithmetic, and an ulp of the type that x is rounded to at the end; 0 if that is the same type.
struct Ulps {
  double working;
  double coarse = 0;
};

// The margin for rounding x to the coarser type. It errs by at most ulp / 2 |x_j|, hence in the gauge by ulp / 2 lipschitz
// (|u0| + phi |d|), and so does rounding u0 itself.
template <class N>
[[nodiscard]] MarginOf<N> coarse_margin(double coarse_ulp, const N& lipschitz, const N& anchor_size) {
  return {coarse_ulp * (1 + lipschitz * anchor_size), coarse_ulp * lipschitz, lipschitz};
}

// The margin of a gauge with gamma(v) <= lipschitz |v| that is formed by sums of at most `terms` products, |u0| = anchor_size:
//   sigma = ulp (8 + terms / 2 + lipschitz |u0|) + setup_error,   kappa = ulp (terms / 2 + 2) lipschitz,
// plus the margin of a coarser type, if there is one.
template <class N>
[[nodiscard]] MarginOf<N> general_margin(Ulps ulp, const N& lipschitz, std::size_t terms, const N& anchor_size,
                                         const N& setup_error) {
  const double half_terms = static_cast<double>(terms) / 2;
  MarginOf<N> margin{ulp.working * ((guard::kRoundings + half_terms) + lipschitz * anchor_size) + setup_error,
                     guard::kappa_of_unit(ulp.working, terms) * lipschitz, lipschitz};
  if (ulp.coarse > 0) {
    const MarginOf<N> more = coarse_margin(ulp.coarse, lipschitz, anchor_size);
    margin.sigma = margin.sigma + more.sigma;
    margin.kappa = margin.kappa + more.kappa;
  }
  return margin;
}

template <class T>
[[nodiscard]] Margin general_margin(double lipschitz, std::size_t terms, const Eigen::VectorXd& u0,
                                    double setup_error) {
  return general_margin<double>({kUlp<T>}, lipschitz, terms, u0.stableNorm(), setup_error);
}

[[nodiscard]] MarginOf<Tensor> general_margin(const TensorSpace& space, const Tensor& lipschitz, std::size_t terms,
                                              const Tensor& u0, const Tensor& setup_error);

// The relative error of a slack that was computed in double as a difference of terms of these sizes.
[[nodiscard]] Tensor slack_error(const Tensor& sizes, const Tensor& slack, std::size_t terms);

// Name of the precision, for messages.
template <class T>
[[nodiscard]] constexpr const char* precision_name() noexcept {
  return sizeof(T) == 4 ? "single precision" : "double precision";
}

// Throws AnchorNotInterior where the margin would eat guard::kMostSigma of the way to the boundary.
template <class T>
void require_resolvable(double sigma, const std::string& constraint, double slack);

// The guarded slack of a bound or a linear row whose rounding loses `loss`, for a set that is compiled to T.
// Throws AnchorNotInterior where the slack is not positive, or not resolvable.
struct GuardedSlack {
  double sigma;       // the share that the guard takes
  double reciprocal;  // reciprocal of what is left
};
template <class T>
[[nodiscard]] GuardedSlack guard_slack(double slack, double loss, const std::string& constraint);

// Throws AnchorNotInterior where gamma(v) may exceed guard::kLargestNorm over unit vectors v: the set is so narrow around
// its anchor that products with d of ordinary size would overflow.
template <class T>
void require_reach(double lipschitz);

// 2^k with 2^k <= lipschitz < 2^(k + 1), within the range of T; 1 for 0.
template <class T>
[[nodiscard]] T power_of_two_near(double lipschitz) noexcept {
  if (!(lipschitz > 0)) return 1;
  return std::ldexp(T{1}, std::clamp(std::ilogb(lipschitz), std::numeric_limits<T>::min_exponent,
                                     std::ilogb(guard::kLargestNorm<T>)));
}

// Throws AnchorNotInterior where the slack is not positive.
void require_inside(double slack, const std::string& constraint);

// The gauge divided by 1 - sigma, in the working precision; switched off where the anchor is not inside by its margin.
[[nodiscard]] TensorGaugeAt guarded(TensorGauge gauge, const MarginOf<Tensor>& margin, const Tensor& inside,
                                    const TensorSpace& space);

// The arithmetic of tensors, for the formulas of the guard and of bounds (guard_formulas.inc).
struct TensorArithmetic {
  static double number(double value) noexcept { return value; }
  static Tensor subtract(const Tensor& a, const Tensor& b) { return a - b; }
  template <class A>
  static Tensor multiply(const A& a, const Tensor& b) {
    return a * b;
  }
  static Tensor multiply_add(const Tensor& a, const Tensor& b, const Tensor& c) { return a * b + c; }
  static Tensor multiply_subtract(double a, const Tensor& b, const Tensor& c) { return a * b - c; }
  template <class B>
  static Tensor minimum(const Tensor& a, const B& b) {
    return smaller(a, b);
  }
  template <class B>
  static Tensor maximum(const Tensor& a, const B& b) {
    return larger(a, b);
  }
  static Tensor absolute(const Tensor& a) { return abs(a); }
  static Tensor reciprocal(const Tensor& a) { return 1 / a; }
  static Tensor at_least(const Tensor& a, const Tensor& b) { return a >= b; }
  static Tensor choose(const Tensor& condition, double a, const Tensor& b) { return where_else(!condition, b, a); }
};

// The same arithmetic with the constants of a space's working precision. The range is that of the type of x: below it, x is
// rounded to multiples of the smallest number.
class TensorMath : public TensorArithmetic {
 public:
  explicit TensorMath(const TensorSpace& space)
      : ulp_(space.ulp()), coarse_ulp_(space.coarse_ulp()), is_double_(ulp_ == kUlp<double> && coarse_ulp_ == 0) {}

  [[nodiscard]] double ulp() const noexcept { return ulp_; }
  [[nodiscard]] double coarse_ulp() const noexcept { return coarse_ulp_; }
  [[nodiscard]] double smallest_slack() const noexcept {
    return is_double_ ? guard::kSmallestSlack<double> : double{guard::kSmallestSlack<float>};
  }
  [[nodiscard]] double largest_slack() const noexcept {
    return is_double_ ? guard::kLargestSlack<double> : double{guard::kLargestSlack<float>};
  }
  [[nodiscard]] double slack_roundings(std::size_t dim) const noexcept {
    return is_double_ ? guard::slack_roundings<double>(dim) : double{guard::slack_roundings<float>(dim)};
  }

 private:
  double ulp_;
  double coarse_ulp_;
  bool is_double_;
};

// Base class of gauges that only need a margin.
template <class T>
class GuardedGauge : public Gauge<T> {
 public:
  [[nodiscard]] double kappa() const noexcept final { return margin_.kappa; }
  [[nodiscard]] double lipschitz() const noexcept final { return margin_.lipschitz; }
  [[nodiscard]] double sigma() const noexcept final { return margin_.sigma; }

 protected:
  explicit GuardedGauge(Margin margin) : margin_(margin) {}

 private:
  Margin margin_;
};

}  // namespace softradial
