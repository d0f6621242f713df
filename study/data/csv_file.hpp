#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softradial::study {

// Reads the whole file as text. Decompresses gzip, whatever the name of the file. Throws DataError, also if
// a compressed file expands beyond all measure.
[[nodiscard]] std::string read_text_file(const std::string& path);

// Writes the text by write_file (files/durable_file.hpp), compressed if the name of the file ends in .gz.
void write_text_file(const std::string& path, std::string_view text);

// Splits a CSV text into lines and fields. Fields are separated by commas; blanks around a field and one pair of double
// quotes are removed. A comma inside quotes belongs to the field; a quote inside quotes is not supported. Lines end in LF
// or CR LF; empty lines and a byte order mark are skipped. Fields point into the text.
// (Streams of plain numbers are read by the program's RowReader.)
class CsvText {
 public:
  explicit CsvText(std::string_view text) noexcept;

  // Moves to the next line that is not empty. Returns false at the end.
  [[nodiscard]] bool next();

  [[nodiscard]] const std::vector<std::string_view>& fields() const noexcept { return fields_; }
  // The number of the line, counted from 1.
  [[nodiscard]] std::size_t line() const noexcept { return line_; }

 private:
  std::string_view rest_;
  std::vector<std::string_view> fields_;
  std::size_t line_ = 0;
};

// "prices.csv: line 3: what"
[[nodiscard]] std::string at_line(const std::string& file, std::size_t line, std::string_view what);

// A field as a message shows it: in quotes, in printable ASCII, cut if it is long.
[[nodiscard]] std::string quoted_field(std::string_view field);

// The field as a finite number; nothing if it is not one.
[[nodiscard]] std::optional<double> parse_number(std::string_view field) noexcept;

// Whether the field says that there is no value: empty, "null", "NaN", "N/A" and the like.
[[nodiscard]] bool is_missing(std::string_view field) noexcept;

}  // namespace softradial::study
