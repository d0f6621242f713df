#pragma once

#include <limits>
#include <string_view>

namespace softradial::study {

// The range of numbers that a field or an option accepts.
struct FieldRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above = false;              // `least` itself is excluded; `most` is always included
  std::string_view expected = "";  // text for "expected ..." in messages, instead of the range
  bool operator==(const FieldRange&) const = default;

  [[nodiscard]] constexpr bool contains(double value) const {
    return (above ? value > least : value >= least) && value <= most;
  }
};

inline constexpr FieldRange kAnyNumber = {};
inline constexpr FieldRange kPositive = {.least = 0, .above = true};
inline constexpr FieldRange kNotNegative = {.least = 0};
inline constexpr FieldRange kShare = {
    .least = 0, .most = 1, .above = true, .expected = "a share between 0 and 1; 5 % is 0.05"};
// Seeds up to here are exact in every reader of JSON.
inline constexpr FieldRange kSeed = {.least = 0, .most = 9007199254740992.0};

// The range of a count. Counts that no machine can hold, or no user can wait for, are mistakes.
constexpr FieldRange at_least_1_up_to(double most) { return {.least = 1, .most = most}; }

}  // namespace softradial::study
