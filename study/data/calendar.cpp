#include "data/calendar.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "data/csv_file.hpp"
#include "data/tables.hpp"

namespace softradial::study {

namespace {

using namespace std::chrono;

// Reads `count` digits from `begin` on as a number; nothing if one of the characters is not a digit.
std::optional<int> digits(std::string_view text, std::size_t begin, std::size_t count) noexcept {
  if (text.size() < begin + count) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(begin, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return value;
}

std::optional<sys_days> valid_day(std::optional<int> y, std::optional<int> m, std::optional<int> d) noexcept {
  if (!y || !m || !d) return std::nullopt;
  const year_month_day date(year(*y), month(static_cast<unsigned>(*m)), day(static_cast<unsigned>(*d)));
  if (!date.ok()) return std::nullopt;
  return sys_days(date);
}

std::optional<sys_days> iso_day(std::string_view text) noexcept {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  return valid_day(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2));
}

bool is_hour_of(local_seconds hour, weekday_indexed sunday, month of, hours at) noexcept {
  const local_days day = floor<days>(hour);
  const year_month_day date(day);
  return date.month() == of && local_days(date.year() / of / sunday) == day && hour - day == at;
}

}  // namespace

std::optional<sys_days> parse_date(std::string_view text) noexcept {
  if (text.size() == 8) return valid_day(digits(text, 0, 4), digits(text, 4, 2), digits(text, 6, 2));
  if (text.size() > 10 && text[10] != ' ' && text[10] != 'T') return std::nullopt;
  return iso_day(text);
}

std::optional<local_seconds> parse_hour(std::string_view text) noexcept {
  const std::optional<sys_days> day = iso_day(text);
  if (!day || text.size() < 13 || (text[10] != 'T' && text[10] != ' ')) return std::nullopt;
  const std::optional<int> hour = digits(text, 11, 2);
  if (!hour || *hour > 23) return std::nullopt;
  if (const std::string_view rest = text.substr(13); !rest.empty() && rest != ":00" && rest != ":00:00") {
    return std::nullopt;
  }
  return local_days(day->time_since_epoch()) + hours(*hour);
}

std::string format_date(sys_days day) {
  const year_month_day date(day);
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()));
  return text;
}

std::string format_hour(local_seconds hour) {
  const local_days day = floor<days>(hour);
  char text[32];
  std::snprintf(text, sizeof text, "T%02d", static_cast<int>(floor<hours>(hour - day).count()));
  return format_date(sys_days(day.time_since_epoch())) + text;
}

bool is_skipped_hour(local_seconds hour) noexcept { return is_hour_of(hour, Sunday[2], March, hours(2)); }

bool is_repeated_hour(local_seconds hour) noexcept { return is_hour_of(hour, Sunday[1], November, hours(1)); }

using namespace std::chrono;

SplitDates text_splits() noexcept { return {sys_days(2018y / December / 31), sys_days(2020y / December / 31)}; }

SplitDates table_splits() noexcept { return {sys_days(2017y / December / 31), sys_days(2019y / December / 31)}; }

SplitDates parse_splits(std::string_view text) {
  if (text == "text") return text_splits();
  if (text == "table") return table_splits();
  const std::size_t comma = text.find(',');
  const std::optional<sys_days> first = parse_date(text.substr(0, comma));
  const std::optional<sys_days> second =
      comma == std::string_view::npos ? std::nullopt : parse_date(text.substr(comma + 1));
  if (!first || !second) {
    throw DataError("the split " + quoted_field(text) +
                    " is neither text nor table nor two dates (expected 2018-12-31,2020-12-31)");
  }
  if (!(*first < *second)) throw DataError("the split " + quoted_field(text) + " has its dates in the wrong order");
  return {*first, *second};
}

}  // namespace softradial::study
