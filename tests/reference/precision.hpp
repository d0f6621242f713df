#pragma once

#include <cmath>
#include <limits>

namespace softradial::reference {

__extension__ typedef __float128 Float128;

// libquadmath's elementary functions; its header belongs to GCC alone, so that they are declared here.
extern "C" {
Float128 expq(Float128) noexcept;
Float128 logq(Float128) noexcept;
Float128 powq(Float128, Float128) noexcept;
Float128 sqrtq(Float128) noexcept;
}

// What the enclosures need to know of a floating-point type.
//   epsilon         twice the unit roundoff: bounds the relative error of one operation with a factor 2 to spare
//   tiny            the smallest normal number: bounds what one operation loses to underflow
//   function_error  relative error of exp, log and pow; glibc and libquadmath state at most 2 ulp, we allow 32
template <class R>
struct Precision;

template <>
struct Precision<long double> {
  static constexpr long double epsilon = std::numeric_limits<long double>::epsilon();
  static constexpr long double tiny = std::numeric_limits<long double>::min();
  static constexpr long double function_error = 32 * epsilon;
  static long double exp(long double x) noexcept { return std::exp(x); }
  static long double log(long double x) noexcept { return std::log(x); }
  static long double pow(long double x, long double p) noexcept { return std::pow(x, p); }
  static long double sqrt(long double x) noexcept { return std::sqrt(x); }
};

// 113 bits of significand, the exponents of the x87 long double.
template <>
struct Precision<Float128> {
  static constexpr Float128 epsilon = static_cast<Float128>(0x1p-112L);
  static constexpr Float128 tiny = static_cast<Float128>(std::numeric_limits<long double>::min());
  static constexpr Float128 function_error = 32 * epsilon;
  static Float128 exp(Float128 x) noexcept { return expq(x); }
  static Float128 log(Float128 x) noexcept { return logq(x); }
  static Float128 pow(Float128 x, Float128 p) noexcept { return powq(x, p); }
  static Float128 sqrt(Float128 x) noexcept { return sqrtq(x); }
};

}  // namespace softradial::reference
