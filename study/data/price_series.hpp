#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace softradial::study {

inline constexpr double kMissingPrice = std::numeric_limits<double>::quiet_NaN();

// A price as it stands in a file: positive or missing.
struct Quote {
  std::chrono::sys_days day;
  double price = kMissingPrice;
  std::size_t line = 0;
};

// A ticker's prices as they stand in a file: in any order, with gaps and repetitions.
struct PriceSeries {
  std::string ticker;
  std::string file;
  std::vector<Quote> quotes;
};

// Reads all series of a price file: wide (date, one column per ticker), an export of one ticker (Date, Open, ..., Close, [Adj
// Close,] Volume; named after the file), or rows with a ticker each (<TICKER>, <PER>, <DATE>, ...). Throws DataError.
[[nodiscard]] std::vector<PriceSeries> read_price_series(const std::string& path);

}  // namespace softradial::study
