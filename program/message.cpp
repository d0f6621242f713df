#include "message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace softradial::program {

namespace {

constexpr std::size_t kMaxQuoted = 40;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

std::string quoted(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : bytes.substr(0, kMaxQuoted)) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_control(c) || byte >= 0x80) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += c;
    }
  }
  return text + (bytes.size() > kMaxQuoted ? "...\"" : "\"");
}

std::string one_line(std::string text) {
  std::ranges::replace_if(text, is_control, ' ');
  return text;
}

void tell(const std::string& message) noexcept {
  const std::string line = "softradial: " + one_line(message) + "\n";
  std::fputs(line.c_str(), stderr);
}

}  // namespace softradial::program
