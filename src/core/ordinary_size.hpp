#pragma once

namespace softradial {

// Above this (|d| of 2^30 or 2^300) a row is scaled by a power of two first, so that neither |d|^2 nor the squares inside
// a gauge can overflow.
template <class T>
inline constexpr T kLargestRho = 0x1p60F;
template <>
inline constexpr double kLargestRho<double> = 0x1p600;

}  // namespace softradial
