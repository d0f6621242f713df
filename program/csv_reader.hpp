#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "input_file.hpp"
#include "softradial/rows.hpp"

namespace softradial::program {

enum class NonFinite { accept, reject };

// Reads rows of `dim` plain comma-separated numbers, block by block, in constant memory: a number, not a line, has to
// fit into the buffer.
//
// Grammar: numbers as in C, with blanks around them; "nan", "inf" and "-inf" are numbers unless rejected; lines end in
// LF or CR LF, the last one may lack it; no header, no quotes, no empty lines; a byte order mark is skipped.
// Each number is rounded once, to T. Beyond the range of T is an error; below its smallest number is 0.
//
// Throws BadInput: `stdin: line 3, column 2: "abc" is not a number`.
template <class T>
class CsvReader {
 public:
  CsvReader(InputFile file, std::size_t dim, NonFinite non_finite = NonFinite::accept);

  // Fills rows from the front; the number of rows read: less than asked for only at the end of the input.
  [[nodiscard]] std::size_t read(Rows<T> rows);

  // Rows read so far, which is also the number of the last line.
  [[nodiscard]] std::size_t rows_read() const noexcept { return rows_read_; }
  [[nodiscard]] const std::string& name() const noexcept { return file_.name(); }

  // Throws BadInput("stdin: line 3: what").
  [[noreturn]] void fail(std::size_t line, std::string_view what) const;

 private:
  void read_row(T* out);
  // Both leave the next character in view: `next_` is at the end only where the input is.
  [[nodiscard]] T read_number(std::size_t column);
  void skip_blanks();

  [[nodiscard]] bool at_line_end() const noexcept;
  void look_ahead();
  void refill();

  [[noreturn]] void fail_at(std::size_t column, std::string_view what) const;
  [[noreturn]] void fail_count(std::size_t columns) const;
  [[noreturn]] void fail_extra_columns() const;

  InputFile file_;
  std::size_t dim_;
  NonFinite non_finite_;
  std::vector<char> buffer_;
  const char* next_;
  const char* end_;
  bool input_ended_ = false;
  std::size_t rows_read_ = 0;
};

extern template class CsvReader<float>;
extern template class CsvReader<double>;

// One row of numbers and nothing else: an anchor.
[[nodiscard]] std::vector<double> read_single_row(const std::string& path, std::size_t dim);

}  // namespace softradial::program
