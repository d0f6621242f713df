#pragma once

#include <cstddef>
#include <string>

#include "data/demand_zones.hpp"

namespace softradial::study {

// Hourly demand from a wide CSV file (first column the hour in local time, one column per zone), gzip-compressed or not.
// Rows may come in any order. The hour that the clocks skip in spring is filled with the rounded mean of its neighbours
// and reported; any other gap, an empty cell, a negative or non-numeric count is refused. The hour that happens twice in
// autumn may stand on two rows, which are added. Keeps the `max_zones` zones with the largest totals; 0 keeps all.
// Throws DataError.
[[nodiscard]] DemandData read_demand(const std::string& path, std::size_t max_zones);

}  // namespace softradial::study
