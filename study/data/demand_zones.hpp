#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/demand_table.hpp"

namespace softradial::study {

struct DemandData {
  DemandTable table;
  // What was repaired or looks wrong; one line each.
  std::vector<std::string> warnings;
};

// Drops the zones 264 (unknown) and 265 (outside the city), orders the others by their total demand, largest first (ties:
// in the order they came), and keeps the first `max_zones`; 0 keeps all. Warns of what was dropped and of too few zones.
// The totals are those of all hours: which zones a table has is chosen once, for all of its splits.
void select_zones(DemandData& data, std::size_t max_zones);

// The hour that the clocks skip in spring: the rounded mean of the hours around it. Shapes: (zones).
[[nodiscard]] Eigen::RowVectorXd skipped_hour_demand(const Eigen::RowVectorXd& before, const Eigen::RowVectorXd& after);

}  // namespace softradial::study
