#include "data/demand_zones.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "data/data_error.hpp"

namespace softradial::study {

namespace {

bool is_nowhere(const std::string& zone) { return zone == "264" || zone == "265"; }

std::string count(double requests) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", requests);
  return text;
}

}  // namespace

void select_zones(DemandData& data, std::size_t max_zones) {
  DemandTable& table = data.table;
  const Eigen::RowVectorXd totals = table.demand.colwise().sum();
  std::vector<Eigen::Index> kept;
  for (std::size_t j = 0; j < table.zones.size(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    if (!is_nowhere(table.zones[j])) {
      kept.push_back(column);
      continue;
    }
    data.warnings.push_back("zone " + table.zones[j] + " (unknown or outside the city) dropped, with " +
                            count(totals(column)) + " requests");
  }
  if (kept.empty()) throw DataError("no zone is left: the data have the zones 264 and 265 only");
  std::ranges::stable_sort(kept, [&totals](Eigen::Index a, Eigen::Index b) { return totals(a) > totals(b); });
  if (max_zones > kept.size()) {
    data.warnings.push_back(std::to_string(max_zones) + " zones asked for, but the data have " +
                            std::to_string(kept.size()));
  }
  if (max_zones > 0 && max_zones < kept.size()) kept.resize(max_zones);

  std::vector<std::string> zones;
  zones.reserve(kept.size());
  for (const Eigen::Index j : kept) zones.push_back(table.zones[static_cast<std::size_t>(j)]);
  table.demand = Table(table.demand(Eigen::all, kept));
  table.zones = std::move(zones);
}

Eigen::RowVectorXd skipped_hour_demand(const Eigen::RowVectorXd& before, const Eigen::RowVectorXd& after) {
  return ((before + after) / 2).array().round();
}

}  // namespace softradial::study
