#pragma once

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace softradial::study {

// Training up to and including train_end, validation up to and including validation_end, test after it.
struct SplitDates {
  std::chrono::sys_days train_end = std::chrono::year(2018) / 12 / 31;
  std::chrono::sys_days validation_end = std::chrono::year(2020) / 12 / 31;

  friend bool operator==(const SplitDates&, const SplitDates&) = default;
};

inline constexpr std::array<std::string_view, 3> kSplitNames = {"train", "validation", "test"};

// As the paper's text says: 2018-12-31 and 2020-12-31, the default.
[[nodiscard]] SplitDates text_splits() noexcept;
// As the numbers of its summary table show: 2017-12-31 and 2019-12-31.
[[nodiscard]] SplitDates table_splits() noexcept;

// "text", "table" or "DATE,DATE". Throws DataError.
[[nodiscard]] SplitDates parse_splits(std::string_view text);

}  // namespace softradial::study
