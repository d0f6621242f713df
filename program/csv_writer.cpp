#include "csv_writer.hpp"

#include "number_format.hpp"

namespace softradial::program {

template <class T>
void write_csv(OutputFile& out, Rows<const T> rows) {
  char* text = out.reserve(rows.count() * rows.dim() * (kMaxNumberLength + 1));
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const T* row = rows.row(i);
    for (std::size_t j = 0; j < rows.dim(); ++j) {
      text = write_number(text, row[j]);
      *text++ = j + 1 == rows.dim() ? '\n' : ',';
    }
  }
  out.commit(text);
}

template void write_csv<float>(OutputFile& out, Rows<const float> rows);
template void write_csv<double>(OutputFile& out, Rows<const double> rows);

}  // namespace softradial::program
