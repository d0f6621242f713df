#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace softradial::study {

// The lines of a CSV text, one by one, as fields: commas between them, blanks around them and one pair of double quotes
// taken off, LF or CR LF, empty lines skipped, a byte order mark skipped. A comma inside quotes belongs to the field; a
// quote inside quotes is not understood. Fields point into the text.
class CsvText {
 public:
  explicit CsvText(std::string_view text) noexcept;

  // Moves to the next line that is not empty; false at the end.
  [[nodiscard]] bool next();

  [[nodiscard]] const std::vector<std::string_view>& fields() const noexcept { return fields_; }
  // Counted from 1, as editors do.
  [[nodiscard]] std::size_t line() const noexcept { return line_; }

 private:
  std::string_view rest_;
  std::vector<std::string_view> fields_;
  std::size_t line_ = 0;
};

// "prices.csv: line 3: what"
[[nodiscard]] std::string at_line(const std::string& file, std::size_t line, std::string_view what);

// A field as a message shows it: in quotes, printable ASCII, cut where it is long.
[[nodiscard]] std::string quoted_field(std::string_view field);

}  // namespace softradial::study
