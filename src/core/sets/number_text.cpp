#include "sets/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <version>

namespace softradial {
namespace by_printf {
namespace {

template <class... Arguments>
std::string printed(const char* format, Arguments... arguments) {
  std::array<char, 400> buffer{};  // the longest fixed form of a double has 310 characters before its point
  const int length = std::snprintf(buffer.data(), buffer.size(), format, arguments...);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

}  // namespace

// Forms the scientific and the fixed text with the fewest digits that read back as the number, and returns the shorter one; the
// fixed one if they are equally long.
std::string number_text(double value) {
  if (!std::isfinite(value)) return printed("%g", value);
  int precision = 0;
  std::string scientific = printed("%.*e", precision, value);
  while (std::strtod(scientific.c_str(), nullptr) != value) scientific = printed("%.*e", ++precision, value);
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  const std::string fixed = printed("%.*f", precision > exponent ? precision - exponent : 0, value);
  return fixed.size() <= scientific.size() ? fixed : scientific;
}

std::string number_text(double value, int digits) { return printed("%.*g", digits, value); }

}  // namespace by_printf

#ifdef __cpp_lib_to_chars
std::string number_text(double value) {
  std::array<char, 32> buffer{};  // the longest shortest form of a double has 24 characters
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string number_text(double value, int digits) {
  std::array<char, 32> buffer{};
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits);
  return {buffer.data(), result.ptr};
}
#else
std::string number_text(double value) { return by_printf::number_text(value); }
std::string number_text(double value, int digits) { return by_printf::number_text(value, digits); }
#endif

}  // namespace softradial
