#pragma once

#include <cstddef>

#include "output_file.hpp"
#include "softradial/rows.hpp"

namespace softradial::program {

// The longest output of write_number: "-1.2345678901234567e-308".
inline constexpr std::size_t kMaxNumberLength = 24;

// Writes a number exactly as printf's %.17g (double) or %.9g (float) does, so that it reads back as the same number. A
// NaN is written as "nan", whatever its sign. Returns the end of the text.
char* write_number(char* out, double value) noexcept;
char* write_number(char* out, float value) noexcept;

// Appends each row as a line of comma-separated numbers.
template <class T>
void write_rows(OutputFile& out, Rows<const T> rows);

extern template void write_rows<float>(OutputFile& out, Rows<const float> rows);
extern template void write_rows<double>(OutputFile& out, Rows<const double> rows);

}  // namespace softradial::program
