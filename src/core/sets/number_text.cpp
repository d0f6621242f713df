#include "sets/number_text.hpp"

#include <array>
#include <charconv>

namespace softradial {

std::string number_text(double value) {
  std::array<char, 32> buffer{};  // the longest shortest form of a double has 24 characters
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace softradial
