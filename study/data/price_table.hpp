#pragma once

#include <Eigen/Core>
#include <chrono>
#include <string>
#include <vector>

namespace softradial::study {

// Rows are days or hours, columns assets or zones.
using Table = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Adjusted closing prices: positive, dates strictly increasing. Shape of prices: (dates, tickers).
struct PriceTable {
  std::vector<std::chrono::sys_days> dates;
  std::vector<std::string> tickers;
  Table prices;
};

}  // namespace softradial::study
