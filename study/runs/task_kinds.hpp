#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "data/tables.hpp"
#include "runs/run_config.hpp"
#include "tasks/data_share.hpp"
#include "tasks/task_data.hpp"
#include "tasks/trial.hpp"

// The differences between the two tasks, so that runs, records and policies are written once. KindOf<Config> has the types
// that belong to a configuration; the functions below are overloaded for both tasks.
namespace softradial::study {

template <class Config>
struct KindOf;

template <>
struct KindOf<PortfolioConfig> {
  static constexpr const char* kName = "portfolio";
  using Data = PortfolioData;
  using Input = PriceTable;
  using TaskType = PortfolioTask;
  using Evaluation = PortfolioEvaluation;
  using Metrics = PortfolioMetrics;
};

template <>
struct KindOf<DispatchConfig> {
  static constexpr const char* kName = "dispatch";
  using Data = DispatchData;
  using Input = DemandTable;
  using TaskType = DispatchTask;
  using Evaluation = DispatchEvaluation;
  using Metrics = DispatchMetrics;
};

// A model that all assets share must see the features of all assets in the same units.
[[nodiscard]] inline FeaturePooling pooling_of(const PortfolioConfig& config) {
  return config.model.kind == PortfolioModelKind::shared ? FeaturePooling::assets : FeaturePooling::none;
}

[[nodiscard]] inline PortfolioData make_data(const PortfolioConfig& config, const PriceTable& prices) {
  PortfolioData data = make_portfolio_data(prices, config.split, config.lookback, pooling_of(config));
  check_splits(data, config.split, config.model.batch);
  return data;
}
[[nodiscard]] inline DispatchData make_data(const DispatchConfig& config, const DemandTable& demand) {
  DispatchData data = make_dispatch_data(demand, config.split, config.history);
  check_splits(data);
  return data;
}

// The rows of one process of a team. Every process of the team must call it.
[[nodiscard]] inline PortfolioData share_data(const PortfolioConfig& config, PriceParts& prices,
                                              const std::vector<std::string>& names, Team& team) {
  return share_portfolio_data(prices, names, config.split, config.lookback, config.model.batch, pooling_of(config),
                              team);
}
[[nodiscard]] inline DispatchData share_data(const DispatchConfig& config, DemandParts& demand,
                                             const std::vector<std::string>& names, Team& team) {
  return share_dispatch_data(demand, names, config.split, config.history, team);
}

// The set that decisions must obey, and the columns of the data in the order of its coordinates. Throws DataError.
[[nodiscard]] inline DecisionSet limits_of(const PortfolioConfig& config, const PriceTable& prices) {
  return decision_set(config, prices.tickers);
}
[[nodiscard]] inline DecisionSet limits_of(const DispatchConfig& config, const DemandTable& demand) {
  return decision_set(config, demand.zones, demand.zones_left_out);
}

// {"source", "sha256", "rows", "columns", "first", "last"}: the data that a run was trained on. The checksum covers the table
// (its names, its times and the bits of its numbers), whatever the format of the file.
[[nodiscard]] nlohmann::json describe_data(const PortfolioConfig& config, const PriceTable& prices);
[[nodiscard]] nlohmann::json describe_data(const DispatchConfig& config, const DemandTable& demand);
// Describes only the columns with these names; reads them once, a few rows at a time.
[[nodiscard]] nlohmann::json describe_data(const PortfolioConfig& config, PriceParts& prices,
                                           const std::vector<std::string>& names);
[[nodiscard]] nlohmann::json describe_data(const DispatchConfig& config, DemandParts& demand,
                                           const std::vector<std::string>& names);

// The last day or hour of training and validation, as records write it.
[[nodiscard]] std::string in_sample_until(const PortfolioData& data);
[[nodiscard]] std::string in_sample_until(const DispatchData& data);

}  // namespace softradial::study
