#include "data/field_number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace softradial::study {

std::optional<double> parse_number(std::string_view field) noexcept {
  double value = 0;
  const char* end = field.data() + field.size();
  if (field.starts_with('+')) field.remove_prefix(1);
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_missing(std::string_view field) noexcept {
  constexpr std::array<std::string_view, 7> kWords = {"", "null", "nan", "na", "n/a", "none", "-"};
  return std::ranges::any_of(kWords, [field](std::string_view word) {
    return std::ranges::equal(word, field, [](char a, char b) {
      const char lower = b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b;
      return a == lower;
    });
  });
}

}  // namespace softradial::study
