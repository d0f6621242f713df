#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "outcome.hpp"
#include "runs/field_range.hpp"

// Options that take numbers. CLI11's own conversions accept -1 for an unsigned number, and nan, and cut off digits.
namespace softradial::program {

using study::FieldRange;

// The numbers in a range as text: "a whole number of at least 1", "a number above 0 and at most 1".
[[nodiscard]] std::string expected_number(const FieldRange& range, bool whole);

// The number that the whole word states; not rounded if T is a whole number. Throws CLI::ValidationError with one line, "--cap
// 5: expected ...".
template <class T>
T parse_number(const std::string& flag, std::string_view word, const FieldRange& range) {
  const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
  const char* const end = digits.data() + digits.size();
  T value{};
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  const bool two_signs = word.starts_with('+') && (digits.starts_with('+') || digits.starts_with('-'));
  const bool whole_word = stop == end && !digits.empty() && !two_signs;
  const std::string shown = word.size() <= 40 ? std::string(word) : std::string(word.substr(0, 40)) + "...";
  if (whole_word && error == std::errc::result_out_of_range && std::floating_point<T>) {
    throw CLI::ValidationError(flag + " " + shown, "is beyond the range of a double");
  }
  bool good = error == std::errc() && whole_word;
  if constexpr (std::floating_point<T>) good = good && std::isfinite(value);
  if (!good || !range.contains(static_cast<double>(value))) {
    throw CLI::ValidationError(flag + " " + shown, "expected " + expected_number(range, std::integral<T>));
  }
  return value;
}

// The name of the type in the help, by which TOML values are checked too.
template <class T>
constexpr const char* number_type_name() {
  if constexpr (std::floating_point<T>) return "FLOAT";
  return std::signed_integral<T> ? "INT" : "UINT";
}

// The shortest text that reads back as the same number.
template <class T>
std::string number_text(T value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

// An option that takes one number. Its default, shown in the help, is the present value of `value`.
template <class T>
requires std::is_arithmetic_v<T> CLI::Option* add_number(CLI::App& command, const std::string& flag, T& value,
                                                         const FieldRange& range, const std::string& help) {
  const auto read = [&value, flag, range](const std::string& word) { value = parse_number<T>(flag, word, range); };
  return command.add_option_function<std::string>(flag, read, help)
      ->type_name(number_type_name<T>())
      ->default_str(number_text(value));
}

// An option for a number that may be left out.
template <class T>
CLI::Option* add_number(CLI::App& command, const std::string& flag, std::optional<T>& value, const FieldRange& range,
                        const std::string& help) {
  const auto read = [&value, flag, range](const std::string& word) { value = parse_number<T>(flag, word, range); };
  return command.add_option_function<std::string>(flag, read, help)->type_name(number_type_name<T>());
}

// An option for several numbers, separated by commas.
template <class T>
CLI::Option* add_numbers(CLI::App& command, const std::string& flag, std::vector<T>& values, const FieldRange& range,
                         const std::string& help) {
  const auto read = [&values, flag, range](const std::string& word) {
    values.clear();
    for (std::size_t begin = 0; begin <= word.size();) {
      const std::size_t comma = std::min(word.find(',', begin), word.size());
      values.push_back(parse_number<T>(flag, std::string_view(word).substr(begin, comma - begin), range));
      begin = comma + 1;
    }
  };
  return command.add_option_function<std::string>(flag, read, help)
      ->type_name(std::string(number_type_name<T>()) + ",...");
}

}  // namespace softradial::program
