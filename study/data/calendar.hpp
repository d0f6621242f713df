#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace softradial::study {

// "2010-01-04" or "20100104"; a time of day after a blank or a T ("2010-01-04 00:00:00-05:00") is ignored.
[[nodiscard]] std::optional<std::chrono::sys_days> parse_date(std::string_view text) noexcept;

// "2024-01-01T00", "2024-01-01T00:00", "2024-01-01 00:00:00": whole hours of local wall-clock time, no offset.
[[nodiscard]] std::optional<std::chrono::local_seconds> parse_hour(std::string_view text) noexcept;

// "2010-01-04"
[[nodiscard]] std::string format_date(std::chrono::sys_days day);

// "2024-01-01T00"
[[nodiscard]] std::string format_hour(std::chrono::local_seconds hour);

// New York's clock changes since 2007: the hour 02 of the second Sunday of March does not exist, the hour 01 of the first
// Sunday of November happens twice.
[[nodiscard]] bool is_skipped_hour(std::chrono::local_seconds hour) noexcept;
[[nodiscard]] bool is_repeated_hour(std::chrono::local_seconds hour) noexcept;

}  // namespace softradial::study
