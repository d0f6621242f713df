#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "reference/precision.hpp"

namespace softradial::reference {

// A real number known to lie in [mid - rad, mid + rad]. `size` adds up the magnitudes of the terms it was computed from:
// the scale on which cancellation is measured, and in whose ulps a slack is reported.
//
// Every operation computes mid in the working precision R and adds its own rounding error to rad:
//   |fl(a op b) - (a op b)| <= (epsilon / 2) |fl(a op b)| + tiny;
// rad itself is a sum of a few non-negative terms, rounded, and so is blown up by `kGrow`.
template <class R>
struct Enclosure {
  R mid = 0;
  R rad = 0;
  R size = 0;

  Enclosure() = default;
  Enclosure(R value) : mid(value), size(value < 0 ? -value : value) {}
  Enclosure(R mid_, R rad_, R size_) : mid(mid_), rad(rad_), size(size_) {}
};

template <class R>
R magnitude(R x) noexcept {
  return x < 0 ? -x : x;
}

// Eight roundings in the computation of a radius, each at most epsilon / 2.
template <class R>
R grow(R radius) noexcept {
  return radius * (1 + 8 * Precision<R>::epsilon);
}

template <class R>
Enclosure<R> operator-(const Enclosure<R>& a) noexcept {
  return {-a.mid, a.rad, a.size};
}

template <class R>
Enclosure<R> operator+(const Enclosure<R>& a, const Enclosure<R>& b) noexcept {
  const R mid = a.mid + b.mid;
  return {mid, grow<R>(a.rad + b.rad + Precision<R>::epsilon * magnitude(mid)), a.size + b.size};
}

template <class R>
Enclosure<R> operator-(const Enclosure<R>& a, const Enclosure<R>& b) noexcept {
  return a + (-b);
}

template <class R>
Enclosure<R> operator*(const Enclosure<R>& a, const Enclosure<R>& b) noexcept {
  const R mid = a.mid * b.mid;
  const R rad = magnitude(a.mid) * b.rad + a.rad * magnitude(b.mid) + a.rad * b.rad +
                Precision<R>::epsilon * magnitude(mid) + Precision<R>::tiny;
  return {mid, grow<R>(rad), a.size * b.size};
}

// Division by a number that is known exactly.
template <class R>
Enclosure<R> divide(const Enclosure<R>& a, R divisor) noexcept {
  const R mid = a.mid / divisor;
  const R scale = magnitude(divisor);
  return {mid, grow<R>(a.rad / scale + Precision<R>::epsilon * magnitude(mid) + Precision<R>::tiny), a.size / scale};
}

template <class R>
Enclosure<R> absolute(const Enclosure<R>& a) noexcept {
  return {magnitude(a.mid), a.rad, a.size};
}

template <class R>
Enclosure<R> square(const Enclosure<R>& a) noexcept {
  return a * a;
}

// sum_j a_j x_j with the coefficients taken as they are: n products and n sums lose at most
// (n + 1) epsilon sum_j |a_j x_j| together, which is cheaper than an enclosure for every term.
template <class R>
class DotProduct {
 public:
  void add(double coefficient, const Enclosure<R>& x) noexcept {
    const R a = static_cast<R>(coefficient);
    const R term = a * x.mid;
    mid_ += term;
    magnitude_ += magnitude(term);
    rad_ += magnitude(a) * x.rad;
    size_ += magnitude(a) * x.size;
    ++terms_;
  }

  [[nodiscard]] Enclosure<R> value() const noexcept {
    const R n = static_cast<R>(terms_ + 1);
    const R rounding = n * Precision<R>::epsilon * (magnitude_ + rad_) + n * Precision<R>::tiny;
    return {mid_, grow<R>((rad_ + rounding) * (1 + n * Precision<R>::epsilon)), size_};
  }

 private:
  R mid_ = 0, rad_ = 0, size_ = 0, magnitude_ = 0;
  std::size_t terms_ = 0;
};

// exp is convex: on [mid - rad, mid + rad] it strays furthest from exp(mid) at the upper end.
template <class R>
Enclosure<R> exponential(const Enclosure<R>& a) noexcept {
  const R mid = Precision<R>::exp(a.mid);
  const R top = Precision<R>::exp(a.mid + grow<R>(a.rad + Precision<R>::epsilon * magnitude(a.mid)));
  return {mid, grow<R>((top - mid) + 4 * Precision<R>::function_error * top + Precision<R>::tiny), mid};
}

// Defined for a.mid > a.rad: |log x - log mid| <= rad / (mid - rad).
template <class R>
Enclosure<R> logarithm(const Enclosure<R>& a) noexcept {
  const R mid = Precision<R>::log(a.mid);
  const R rad = a.rad / (a.mid - a.rad) + Precision<R>::function_error * magnitude(mid) + Precision<R>::tiny;
  return {mid, grow<R>(rad), magnitude(mid)};
}

// x^p for an enclosure of x >= 0 and p >= 1: the slope p x^(p - 1) is largest at the upper end.
template <class R>
Enclosure<R> power(const Enclosure<R>& a, double exponent) noexcept {
  const R p = static_cast<R>(exponent);
  const R mid = Precision<R>::pow(a.mid, p);
  const R slope = p * Precision<R>::pow(a.mid + a.rad, p - 1);
  return {mid,
          grow<R>(slope * a.rad * (1 + 4 * Precision<R>::function_error) + Precision<R>::function_error * mid +
                  Precision<R>::tiny),
          mid};
}

template <class R>
using Point = std::span<const Enclosure<R>>;

}  // namespace softradial::reference
