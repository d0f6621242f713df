#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "input_file.hpp"
#include "softradial/rows.hpp"

namespace softradial::program {

// The number of numbers in a block of rows: large enough for the matrix product of a polyhedron, small enough for the cache.
inline constexpr std::size_t kBlockNumbers = std::size_t{1} << 16;

enum class NonFinite { accept, reject };

// Reads rows of `dim` numbers from a stream, block by block, in constant memory: a number has to fit into the buffer, a line
// need not. For CSV files with headers, dates and quotes, see the study's CsvText.
//
// Grammar: numbers as in C, separated by commas, with blanks around them. "nan", "inf" and "-inf" are numbers unless they
// are rejected. Lines end in LF or CR LF; the last line end may be missing. No header, no quotes, no empty lines. A byte
// order mark is skipped. Each number is rounded once, to T. A number beyond the range of T is an error; one below its
// smallest number becomes 0.
//
// Throws BadInput: `stdin: line 3, column 2: "abc" is not a number`.
template <class T>
class RowReader {
 public:
  RowReader(InputFile file, std::size_t dim, NonFinite non_finite = NonFinite::accept);

  // Fills rows from the front. Returns the number of rows read, which is smaller than asked for only at the end of the
  // input.
  [[nodiscard]] std::size_t read(Rows<T> rows);

  // The number of rows read so far. It is also the number of the last line.
  [[nodiscard]] std::size_t rows_read() const noexcept { return rows_read_; }
  [[nodiscard]] const std::string& name() const noexcept { return file_.name(); }

  // Throws BadInput("stdin: line 3: what").
  [[noreturn]] void fail(std::size_t line, std::string_view what) const;

 private:
  void read_row(T* out);
  // After both functions, the next character is in the buffer: `next_` is at its end only if the input has ended.
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

extern template class RowReader<float>;
extern template class RowReader<double>;

// Reads a file that has one row of numbers and nothing else: an anchor.
[[nodiscard]] std::vector<double> read_single_row(const std::string& path, std::size_t dim);

}  // namespace softradial::program
