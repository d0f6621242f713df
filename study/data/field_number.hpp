#pragma once

#include <optional>
#include <string_view>

namespace softradial::study {

// The whole field as a finite number; nothing where it is anything else.
[[nodiscard]] std::optional<double> parse_number(std::string_view field) noexcept;

// Empty, "null", "NaN", "N/A" and the like: whoever wrote the file had no value.
[[nodiscard]] bool is_missing(std::string_view field) noexcept;

}  // namespace softradial::study
