#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/demand_reader.hpp"

namespace softradial::study {

struct TripImportOptions {
  // The first and the last day to keep. By default, the first and the last day that have at least 1 % of the trips of the
  // busiest day: trip records contain rows whose dates are years off.
  std::optional<std::chrono::sys_days> from = std::nullopt;
  std::optional<std::chrono::sys_days> to = std::nullopt;
  std::size_t max_zones = 0;  // keep this many of the largest zones; 0: all
  std::size_t threads = 0;    // 0: as many as there are cores
};

struct TripImport {
  DemandData data;
  std::int64_t trips = 0;         // trips that were kept, before zones were chosen
  std::int64_t outside_span = 0;  // dropped: picked up before `from` or after `to`
  std::int64_t unreadable = 0;    // dropped: without a time or a zone
};

// Counts requests per zone and hour from trip records as New York's Taxi and Limousine Commission publishes them: Parquet and
// CSV (also .csv.gz), yellow, green and high-volume for-hire, in any mixture. A path may be a pattern such as
// "yellow_tripdata_2024-*.parquet". DuckDB reads and counts, so files may be larger than memory. Hours without a trip are 0;
// the hour that the clocks skip in spring is filled as in demand_reader.hpp. Throws DataError, also if the program was built
// without DuckDB or its library is not found.
[[nodiscard]] TripImport import_trips(const std::vector<std::string>& paths, const TripImportOptions& options);

}  // namespace softradial::study
