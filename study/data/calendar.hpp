#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softradial::study {

// Trading days in a year, by which returns and volatilities are annualised.
inline constexpr double kTradingDaysPerYear = 252;

inline constexpr std::int64_t kHoursPerWeek = 168;

// "2010-01-04" or "20100104"; a time of day after a blank or a T ("2010-01-04 00:00:00-05:00") is ignored.
[[nodiscard]] std::optional<std::chrono::sys_days> parse_date(std::string_view text) noexcept;

// "2024-01-01T00", "2024-01-01T00:00", "2024-01-01 00:00:00": whole hours of local wall-clock time, no offset.
[[nodiscard]] std::optional<std::chrono::local_seconds> parse_hour(std::string_view text) noexcept;

// "2010-01-04"
[[nodiscard]] std::string format_date(std::chrono::sys_days day);

// "2024-01-01T00"
[[nodiscard]] std::string format_hour(std::chrono::local_seconds hour);

// Clock changes in New York since 2007: on the second Sunday of March the hour 02 does not exist, on the first Sunday of
// November the hour 01 happens twice.
[[nodiscard]] bool is_skipped_hour(std::chrono::local_seconds hour) noexcept;
[[nodiscard]] bool is_repeated_hour(std::chrono::local_seconds hour) noexcept;

// Training up to and including train_end, validation up to and including validation_end, test after it.
struct SplitDates {
  std::chrono::sys_days train_end = std::chrono::year(2018) / 12 / 31;
  std::chrono::sys_days validation_end = std::chrono::year(2020) / 12 / 31;

  friend bool operator==(const SplitDates&, const SplitDates&) = default;
};

// Fractions of the hours, in chronological order. The test split takes the rest.
struct FractionSplit {
  double train = 0.7;
  double validation = 0.15;
  bool operator==(const FractionSplit&) const = default;
};

inline constexpr std::array<std::string_view, 3> kSplitNames = {"train", "validation", "test"};

// The splits in the paper's text: 2018-12-31 and 2020-12-31, the default.
[[nodiscard]] SplitDates text_splits() noexcept;
// The splits that match the numbers of the paper's summary table: 2017-12-31 and 2019-12-31.
[[nodiscard]] SplitDates table_splits() noexcept;

// "text", "table" or "DATE,DATE". Throws DataError.
[[nodiscard]] SplitDates parse_splits(std::string_view text);

}  // namespace softradial::study
