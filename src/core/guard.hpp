#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

// The guard: the constants and formulas that keep every result strictly inside its set, whatever rounding does. The
// derivation is docs/math/margin.md; its letters are used here.
//
//   sigma   relative shrink of a slack: resolution of the anchor, rounding of the gauge's data
//   kappa   per unit of |d|: rounding of x = u0 + phi d and of the gauge's sums over d
namespace softradial::guard {

// The spacing of the numbers at 1. One rounding errs by at most half of it.
template <class T>
inline constexpr T kUlp = std::numeric_limits<T>::epsilon();

// Roundings of a row that are relative to its slack, in ulps. A set's own gauge needs 4: phi errs by 3 ulp, the data by
// one. Guards that are formed row by row need 7.5: the slack, its product and its difference 1/2 each, a reciprocal by
// Newton's method 2, the products with d and the sum with kappa |d| 1/2 each, and phi.
inline constexpr int kRoundings = 8;

// Where the guard would take this share of a slack, the anchor is too close to the boundary for the precision: the numbers
// near u0 are too coarse to have an inside. Then there is no answer.
inline constexpr double kMostSigma = 0.25;

// Above this (|d| of 2^30 or 2^300) a row is scaled by a power of two first, so that neither |d|^2 nor the squares inside
// a gauge can overflow.
template <class T>
inline constexpr T kLargestRho = 0x1p60F;
template <>
inline constexpr double kLargestRho<double> = 0x1p600;

// From this slack on (2^30 or 2^300 times the smallest normal number) phi >= slack / |d| is a normal number for every d
// of ordinary size: below it, phi would lose the digits that the guard counts on.
template <class T>
inline constexpr T kSmallestSlack = 0x1p-96F;
template <>
inline constexpr double kSmallestSlack<double> = 0x1p-722;

// Norms of rows, and what they come to over their slacks, lie between kSmallestSlack and this: products with d of ordinary
// size neither overflow nor vanish.
template <class T>
inline constexpr T kLargestNorm = 1 / kSmallestSlack<T>;

// A slack that overflows counts as this much, whose reciprocal is still a normal number. The guarded set only becomes
// smaller.
template <class T>
inline constexpr T kLargestSlack = std::numeric_limits<T>::max() / 8;

// How often a.u0 of a linear row is rounded before it is subtracted from its bound, where the caller computes the slack, in
// ulps of |a| |u0|; one more for the rounding of x. A caller with float rows computes a.u0 in double and rounds it once; in
// double it is a sum of `dim` products.
template <class T>
[[nodiscard]] constexpr T slack_roundings(std::size_t dim) noexcept {
  return std::is_same_v<T, float> ? T{2} : static_cast<T>(dim) / 2 + 2;
}

// kappa / `steepest` of a gauge that is at most `steepest` over unit vectors and is evaluated by sums of `terms`
// products.
[[nodiscard]] constexpr double kappa_of_unit(double ulp, std::size_t terms) noexcept {
  return ulp * (static_cast<double>(terms) / 2 + 2);
}

// A kappa, rounded up to T.
template <class T>
[[nodiscard]] inline T rounded_up(double kappa) {
  return kappa > 0 ? std::nextafter(static_cast<T>(kappa), std::numeric_limits<T>::infinity()) : T{0};
}

// The arithmetic of plain numbers for the formulas below: those of T, or doubles that are computed once for a set in T.
template <class T, class Number = T>
struct Scalars {
  static constexpr Number ulp() noexcept { return kUlp<T>; }
  static constexpr Number coarse_ulp() noexcept { return 0; }
  static constexpr Number smallest_slack() noexcept { return kSmallestSlack<T>; }
  static constexpr Number largest_slack() noexcept { return kLargestSlack<T>; }
  static constexpr Number number(Number value) noexcept { return value; }
  static constexpr Number subtract(Number a, Number b) noexcept { return a - b; }
  static constexpr Number multiply(Number a, Number b) noexcept { return a * b; }
  static constexpr Number multiply_add(Number a, Number b, Number c) noexcept { return a * b + c; }
  static constexpr Number multiply_subtract(Number a, Number b, Number c) noexcept { return a * b - c; }
  static constexpr Number minimum(Number a, Number b) noexcept { return std::min(a, b); }
  static constexpr Number maximum(Number a, Number b) noexcept { return std::max(a, b); }
  static Number absolute(Number a) noexcept { return std::abs(a); }
  static constexpr Number reciprocal(Number a) noexcept { return 1 / a; }
  static constexpr bool at_least(Number a, Number b) noexcept { return a >= b; }
  static constexpr Number choose(bool condition, Number a, Number b) noexcept { return condition ? a : b; }
};

#include "guard_formulas.inc"

}  // namespace softradial::guard
