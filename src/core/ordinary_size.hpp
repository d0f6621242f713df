#pragma once

namespace softradial {

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

}  // namespace softradial
