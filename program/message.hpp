#pragma once

#include <string>
#include <string_view>

namespace softradial::program {

// Bytes of the input as an error message shows them: in quotes, printable ASCII, cut where they are long.
[[nodiscard]] std::string quoted(std::string_view bytes);

// The text with control characters replaced by blanks: whatever a file name or a message holds, it stays one line.
[[nodiscard]] std::string one_line(std::string text);

// "softradial: <message>" as one line on stderr. Where stderr is closed there is nobody to tell: no error of its own.
void tell(const std::string& message) noexcept;

}  // namespace softradial::program
