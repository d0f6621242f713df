#pragma once

#include <string>
#include <vector>

#include "data/price_series.hpp"
#include "data/price_table.hpp"

namespace softradial::study {

struct PriceData {
  PriceTable table;
  // What was repaired or looks wrong; one line each.
  std::vector<std::string> warnings;
};

// Brings the series onto one calendar, the union of their days: sorts, merges repeated days that agree, fills missing
// prices with the last one before, and starts on the first day on which every ticker has a price. A row of the table
// depends on rows of the same day and earlier ones only. Throws DataError where repeated days contradict each other, where
// a ticker occurs twice or has no price, and where there is no series.
[[nodiscard]] PriceData align_prices(std::vector<PriceSeries> all);

}  // namespace softradial::study
