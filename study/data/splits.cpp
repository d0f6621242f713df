#include "data/splits.hpp"

#include <optional>

#include "data/calendar.hpp"
#include "data/csv_text.hpp"
#include "data/data_error.hpp"

namespace softradial::study {

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
