#include "row_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <type_traits>

#include "outcome.hpp"

namespace softradial::program {

namespace {

constexpr std::size_t kBufferSize = 1 << 20;
// The longest number: 17 digits suffice for a double, 767 for the exact decimals of any double.
constexpr std::ptrdiff_t kMaxNumber = 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool ends_number(char c) { return c == ',' || c == '\n' || c == '\r' || is_blank(c); }

template <class T>
constexpr std::string_view kTypeName = std::is_same_v<T, float> ? "f32" : "f64";

// Reads a number that from_chars calls out of range (too large or too small) as C does: infinite, 0 or denormal.
template <class T>
T read_extreme(const char* first, const char* last) {
  const std::string token(first, last);
  if constexpr (std::is_same_v<T, float>) {
    return std::strtof(token.c_str(), nullptr);
  } else {
    return std::strtod(token.c_str(), nullptr);
  }
}

}  // namespace

template <class T>
RowReader<T>::RowReader(InputFile file, std::size_t dim, NonFinite non_finite)
    : file_(std::move(file)),
      dim_(dim),
      non_finite_(non_finite),
      buffer_(kBufferSize),
      next_(buffer_.data()),
      end_(buffer_.data()) {
  look_ahead();
  if (std::string_view(next_, end_).starts_with(kByteOrderMark)) next_ += kByteOrderMark.size();
}

template <class T>
std::size_t RowReader<T>::read(Rows<T> rows) {
  for (std::size_t i = 0; i < rows.count(); ++i) {
    look_ahead();
    if (next_ == end_) return i;
    read_row(rows.row(i));
    ++rows_read_;
  }
  return rows.count();
}

template <class T>
void RowReader<T>::read_row(T* out) {
  skip_blanks();
  if (at_line_end()) fail(rows_read_ + 1, "is empty");
  for (std::size_t j = 0; j < dim_; ++j) {
    if (j > 0) {
      if (at_line_end()) fail_count(j);
      ++next_;  // the comma
      skip_blanks();
    }
    out[j] = read_number(j);
    skip_blanks();
    if (!at_line_end() && *next_ != ',') {
      fail_at(j, fmt::format("expected a comma, got {}", quoted({next_, 1})));
    }
  }
  if (!at_line_end()) fail_extra_columns();
  if (next_ != end_ && *next_ == '\r') ++next_;
  if (next_ != end_) ++next_;
}

template <class T>
T RowReader<T>::read_number(std::size_t column) {
  const char* const start = next_;
  // from_chars accepts no plus sign, so it is skipped here; but not in "+-1", which is not a number.
  const bool has_plus = end_ - start > 1 && start[0] == '+' && start[1] != '-';
  const char* const first = start + (has_plus ? 1 : 0);
  T value = 0;
  const auto [last, error] = std::from_chars(first, end_, value);

  const auto fail_number = [&](std::string_view what) {
    const char* const token_end = std::find_if(start, end_, [](char c) { return c == ',' || c == '\n' || c == '\r'; });
    fail_at(column, fmt::format("{} {}", quoted({start, token_end}), what));
  };
  if (start == end_ || ends_number(*start)) fail_at(column, "a number is missing");
  if (error == std::errc::invalid_argument || (last != end_ && !ends_number(*last))) fail_number("is not a number");
  if (last == end_ && !input_ended_) fail_number("is too long for a number");
  if (error == std::errc::result_out_of_range) {
    value = read_extreme<T>(first, last);
    if (std::isinf(value)) fail_number(fmt::format("is beyond the range of {}", kTypeName<T>));
  }
  if (non_finite_ == NonFinite::reject && !std::isfinite(value)) fail_number("is not finite");
  next_ = last;
  return value;
}

template <class T>
void RowReader<T>::skip_blanks() {
  look_ahead();
  while (next_ != end_ && is_blank(*next_)) {
    ++next_;
    look_ahead();
  }
}

template <class T>
bool RowReader<T>::at_line_end() const noexcept {
  if (next_ == end_ || *next_ == '\n') return true;
  return *next_ == '\r' && (next_ + 1 == end_ || next_[1] == '\n');
}

// Refills the buffer: afterwards it holds the next kMaxNumber characters, or all that are left.
template <class T>
void RowReader<T>::look_ahead() {
  if (end_ - next_ < kMaxNumber && !input_ended_) refill();
}

template <class T>
void RowReader<T>::refill() {
  const auto kept = static_cast<std::size_t>(end_ - next_);
  std::memmove(buffer_.data(), next_, kept);
  char* const buffer_end = buffer_.data() + buffer_.size();
  char* free = buffer_.data() + kept;
  next_ = buffer_.data();
  while (free - next_ < kMaxNumber && !input_ended_) {
    const std::size_t count = file_.read({free, buffer_end});
    input_ended_ = count == 0;
    free += count;
  }
  end_ = free;
}

template <class T>
void RowReader<T>::fail(std::size_t line, std::string_view what) const {
  throw BadInput(fmt::format("{}: line {}: {}", name(), line, what));
}

template <class T>
void RowReader<T>::fail_at(std::size_t column, std::string_view what) const {
  throw BadInput(fmt::format("{}: line {}, column {}: {}", name(), rows_read_ + 1, column + 1, what));
}

template <class T>
void RowReader<T>::fail_count(std::size_t columns) const {
  fail(rows_read_ + 1, fmt::format("expected {} numbers, got {}", dim_, columns));
}

// Counts only the columns in the buffer: the rest of a long line is not read for the sake of a message.
template <class T>
void RowReader<T>::fail_extra_columns() const {
  const char* const line_end = std::find(next_, end_, '\n');
  const std::size_t columns = dim_ + static_cast<std::size_t>(std::count(next_, line_end, ','));
  if (line_end != end_ || input_ended_) fail_count(columns);
  fail(rows_read_ + 1, fmt::format("expected {} numbers, got more than {}", dim_, columns));
}

template class RowReader<float>;
template class RowReader<double>;

std::vector<double> read_single_row(const std::string& path, std::size_t dim) {
  RowReader<double> reader(InputFile::open(path), dim);
  // Has room for the row and for a second one, to see whether there is one.
  std::vector<double> values(2 * dim);
  const std::size_t count = reader.read({values.data(), 2, dim});
  if (count == 0) throw BadInput(fmt::format("{}: expected one row of {} numbers, got none", path, dim));
  if (count == 2) reader.fail(2, "expected a single row");
  values.resize(dim);
  return values;
}

}  // namespace softradial::program
