#pragma once

#include <cstdint>
#include <vector>

#include "data/trip_import.hpp"

namespace softradial::study {

// The number of trips that started in one zone within one hour.
struct TripCount {
  std::int64_t zone = 0;
  std::int64_t hour = 0;  // since 1970-01-01T00, local time
  std::int64_t trips = 0;
};

// Turns the counts into a table: finds the span, completes the grid of hours and zones, fills the hour that the clocks skip
// and chooses the zones, as trip_import.hpp describes. Throws DataError if no trips are left, if the span is longer than 20
// years, and if a week or more of it has no trips.
[[nodiscard]] TripImport grid_of_trips(const std::vector<TripCount>& counts, const TripImportOptions& options);

}  // namespace softradial::study
