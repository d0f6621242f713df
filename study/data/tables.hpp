#pragma once

#include <Eigen/Core>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "files/errors.hpp"

namespace softradial::study {

// Rows are days or hours, columns assets or zones.
using Table = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Rows [begin, end) of a table.
struct RowRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool operator==(const RowRange&) const = default;
  [[nodiscard]] std::int64_t size() const { return end - begin; }
  [[nodiscard]] bool contains(std::int64_t row) const { return begin <= row && row < end; }
};

// Adjusted closing prices: positive, dates strictly increasing. Shape of prices: (dates, tickers).
struct PriceTable {
  std::vector<std::chrono::sys_days> dates;
  std::vector<std::string> tickers;
  Table prices;
};

// Requests per zone and hour: not negative, one row for every hour of local wall-clock time without gaps.
// Shape of demand: (hours, zones).
struct DemandTable {
  std::vector<std::chrono::local_seconds> hours;
  std::vector<std::string> zones;
  Table demand;
  std::size_t zones_left_out = 0;  // number of zones of the source that the table leaves out
};

// The columns with these names, in this order. Throws DataError for a name that the table does not have.
[[nodiscard]] PriceTable with_columns(const PriceTable& table, const std::vector<std::string>& tickers);
[[nodiscard]] DemandTable with_columns(const DemandTable& table, const std::vector<std::string>& zones);

}  // namespace softradial::study
