#pragma once

#include "data/demand_table.hpp"

namespace softradial::study {

// Columns sin, cos of the hour of the day (period 24) and sin, cos of the weekday (period 7, Monday = 0). (hours, 4)
Table calendar_features(const std::vector<std::chrono::local_seconds>& hours);

// S_t: the total that was observed in the hour before, at least 1. (hours); the first hour has none before it and gets 1.
Eigen::VectorXd supply(const Table& demand);

// Throws unless the demand is finite, not negative and has a row for every hour.
void check_demand(const DemandTable& table);

}  // namespace softradial::study
