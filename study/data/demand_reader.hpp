#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/tables.hpp"

namespace softradial::study {

struct DemandData {
  DemandTable table;
  // Repairs and suspicious values, one line each.
  std::vector<std::string> warnings;
};

// Drops the zones 264 (unknown) and 265 (outside the city) and keeps the `max_zones` others with the largest total demand
// (the first ones in a tie); 0 keeps all. Zones stay in the order of the source, to which a set without names refers.
// Warns about dropped zones and about too few zones. Totals are over all hours: the zones are chosen once, for all
// splits.
void select_zones(DemandData& data, std::size_t max_zones);
// The positions of the zones to keep, in increasing order, given the total of each zone.
[[nodiscard]] std::vector<Eigen::Index> kept_zones(const std::vector<std::string>& zones,
                                                   const Eigen::RowVectorXd& totals, std::size_t max_zones,
                                                   std::vector<std::string>& warnings);

// The demand in the hour that the clocks skip in spring: the rounded mean of the hours around it. Shapes: (zones).
[[nodiscard]] Eigen::RowVectorXd skipped_hour_demand(const Eigen::RowVectorXd& before, const Eigen::RowVectorXd& after);

// Hourly demand from a wide CSV file (first column the hour in local time, one column per zone), gzip-compressed or not.
// Rows may come in any order. The hour that the clocks skip in spring is filled with the rounded mean of its neighbours
// and reported; any other gap, an empty cell, a negative or non-numeric count is refused. The hour that happens twice in
// autumn may stand on two rows, which are added. Keeps the `max_zones` zones with the largest totals; 0 keeps all.
// Throws DataError.
[[nodiscard]] DemandData read_demand(const std::string& path, std::size_t max_zones);

}  // namespace softradial::study
