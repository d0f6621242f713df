#pragma once

#include "output_file.hpp"
#include "softradial/rows.hpp"

namespace softradial::program {

// Appends each row as a line of comma-separated numbers, with 9 (float) or 17 (double) significant digits.
template <class T>
void write_csv(OutputFile& out, Rows<const T> rows);

extern template void write_csv<float>(OutputFile& out, Rows<const float> rows);
extern template void write_csv<double>(OutputFile& out, Rows<const double> rows);

}  // namespace softradial::program
