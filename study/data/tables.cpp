#include "data/tables.hpp"

#include <algorithm>
#include <unordered_map>

namespace softradial::study {

namespace {

std::vector<Eigen::Index> places_of(const std::vector<std::string>& wanted, const std::vector<std::string>& columns,
                                    const char* table) {
  std::unordered_map<std::string, Eigen::Index> places;
  for (std::size_t k = 0; k < columns.size(); ++k) places.emplace(columns[k], static_cast<Eigen::Index>(k));
  std::vector<Eigen::Index> out;
  out.reserve(wanted.size());
  for (const std::string& name : wanted) {
    const auto found = places.find(name);
    if (found == places.end()) throw DataError(std::string("the ") + table + " have no column " + name);
    out.push_back(found->second);
  }
  return out;
}

}  // namespace

PriceTable with_columns(const PriceTable& table, const std::vector<std::string>& tickers) {
  return {table.dates, tickers, table.prices(Eigen::indexing::all, places_of(tickers, table.tickers, "prices"))};
}

DemandTable with_columns(const DemandTable& table, const std::vector<std::string>& zones) {
  return {table.hours, zones, table.demand(Eigen::indexing::all, places_of(zones, table.zones, "data")),
          table.zones_left_out};
}

}  // namespace softradial::study
