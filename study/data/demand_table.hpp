#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "data/price_table.hpp"

namespace softradial::study {

// Requests per zone and hour: not negative, one row for every hour of local wall-clock time without gaps.
// Shape of demand: (hours, zones).
struct DemandTable {
  std::vector<std::chrono::local_seconds> hours;
  std::vector<std::string> zones;
  Table demand;
};

}  // namespace softradial::study
