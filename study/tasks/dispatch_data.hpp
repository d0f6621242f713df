#pragma once

#include <string>
#include <vector>

#include "data/demand_table.hpp"
#include "features/standardisation.hpp"
#include "tasks/row_range.hpp"

namespace softradial::study {

// Shares of the hours, in chronological order; the test has the rest.
struct FractionSplit {
  double train = 0.7;
  double validation = 0.15;
  bool operator==(const FractionSplit&) const = default;
};

// Rows are hours. A decision for hour t knows the hours t - history to t - 1 and the calendar of t.
struct DispatchData {
  std::vector<std::string> zones;
  int64_t history = 0;
  Table demand;            // (hours, zones)
  Table normalised;        // (hours, zones), standardised demand
  Table calendar;          // (hours, 4)
  Eigen::VectorXd supply;  // (hours): S_t, the total of the hour before, at least 1
  Standardisation standardisation;
  Splits splits;  // the training begins at hour `history`
};

DispatchData make_dispatch_data(const DemandTable& demand, const FractionSplit& split = {}, int64_t history = 24,
                                const Standardisation* given = nullptr);

}  // namespace softradial::study
