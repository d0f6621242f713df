#pragma once

#include <string_view>

namespace softradial::study {

// Whether the bytes are UTF-8 as JSON accepts it: no overlong forms, no surrogates, nothing above U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace softradial::study
