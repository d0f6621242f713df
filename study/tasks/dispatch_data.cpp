#include "tasks/dispatch_data.hpp"

#include <stdexcept>

#include "features/dispatch_features.hpp"

namespace softradial::study {
namespace {

constexpr double kScaleFloor = 1e-6;

}  // namespace

DispatchData make_dispatch_data(const DemandTable& table, const FractionSplit& split, int64_t history,
                                const Standardisation* given) {
  if (!(split.train > 0 && split.validation >= 0 && split.train + split.validation <= 1)) {
    throw std::invalid_argument("the splits must be shares of 1, not " + std::to_string(split.train) + " and " +
                                std::to_string(split.validation));
  }
  check_demand(table);
  const auto hours = static_cast<int64_t>(table.hours.size());
  const auto train = static_cast<int64_t>(split.train * static_cast<double>(hours));
  const auto validation = static_cast<int64_t>((split.train + split.validation) * static_cast<double>(hours));
  if (history < 1 || train <= history) {
    throw std::invalid_argument("a history of " + std::to_string(history) + " hours with " + std::to_string(train) +
                                " hours of training");
  }
  DispatchData data;
  data.zones = table.zones;
  data.history = history;
  data.demand = table.demand;
  data.calendar = calendar_features(table.hours);
  data.supply = supply(table.demand);
  data.standardisation = given != nullptr ? *given : Standardisation::fit(table.demand.topRows(train), kScaleFloor);
  data.normalised = table.demand;
  data.standardisation.apply(data.normalised);
  data.splits = {{history, train}, {train, validation}, {validation, hours}};
  return data;
}

}  // namespace softradial::study
