#include "files/utf8.hpp"

#include <cstddef>

namespace softradial::study {

bool is_utf8(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned head = byte(i);
    const std::size_t length = head < 0x80 ? 1 : head < 0xE0 ? 2 : head < 0xF0 ? 3 : 4;
    if (head >= 0x80 && (head < 0xC2 || head > 0xF4)) return false;
    if (length > text.size() - i) return false;
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xC0) != 0x80) return false;
    }
    if (head == 0xE0 && byte(i + 1) < 0xA0) return false;  // overlong: two bytes are enough
    if (head == 0xED && byte(i + 1) > 0x9F) return false;  // surrogates
    if (head == 0xF0 && byte(i + 1) < 0x90) return false;  // overlong: three bytes are enough
    if (head == 0xF4 && byte(i + 1) > 0x8F) return false;  // above U+10FFFF
    i += length;
  }
  return true;
}

}  // namespace softradial::study
