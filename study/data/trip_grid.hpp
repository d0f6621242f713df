#pragma once

#include <cstdint>
#include <vector>

#include "data/trip_import.hpp"

namespace softradial::study {

// Trips of one zone that were picked up within one hour.
struct TripCount {
  std::int64_t zone = 0;
  std::int64_t hour = 0;  // since 1970-01-01T00, local time
  std::int64_t trips = 0;
};

// Makes a table of the counts: finds the span, completes the grid of hours and zones, fills the hour that the clocks skip
// and chooses the zones, as trip_import.hpp says. Throws DataError where no trips are left, where the span is longer than
// 20 years, and where a week or more of it has no trips.
[[nodiscard]] TripImport grid_of_trips(const std::vector<TripCount>& counts, const TripImportOptions& options);

}  // namespace softradial::study
