#pragma once

#include <string>
#include <vector>

#include "data/price_series.hpp"
#include "data/tables.hpp"

namespace softradial::study {

struct PriceData {
  PriceTable table;
  // Repairs and suspicious values, one line each.
  std::vector<std::string> warnings;
};

// Brings the series onto one calendar, the union of their days: sorts, merges repeated days that agree, fills missing prices
// with the last one before, and starts on the first day on which every ticker has a price. A row of the table depends only on
// its day and on earlier days. Throws DataError if repeated days contradict each other, if a ticker occurs twice or has no
// price, and if there is no series.
[[nodiscard]] PriceData align_prices(std::vector<PriceSeries> all);

// Reads the prices of a file, or of a folder of files (*.csv, *.csv.gz, *.txt, *.txt.gz, in the order of their names), and
// aligns them. price_series.hpp describes the formats. Throws DataError.
[[nodiscard]] PriceData read_prices(const std::string& path);

}  // namespace softradial::study
