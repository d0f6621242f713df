#pragma once

#include <cstddef>

namespace softradial::program {

// The longest output of write_number: "-1.2345678901234567e-308".
inline constexpr std::size_t kMaxNumberLength = 24;

// Writes a number as printf's %.17g (double) or %.9g (float) does, digit for digit, so that it reads back exactly; a
// NaN is "nan" whatever its sign. Returns the end of the text.
char* write_number(char* out, double value) noexcept;
char* write_number(char* out, float value) noexcept;

}  // namespace softradial::program
