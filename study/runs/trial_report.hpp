#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "metrics/mean_and_std.hpp"
#include "runs/run_config.hpp"
#include "tasks/trial.hpp"

// One trial of a configuration: how it is trained and how it is told.
namespace softradial::study {

// The seeds that a configuration is trained with: equal weight has nothing to learn, so one.
[[nodiscard]] std::vector<std::uint64_t> seeds_of(const RunConfig& config);
// How one of them is trained.
[[nodiscard]] TrainingOptions training_of(const RunConfig& config, std::uint64_t seed);

// {"seed", "validation": {...}, "test": {...}, "selection", "seconds", "epochs", "best_epoch", "end", "violation"}
[[nodiscard]] nlohmann::json to_json(const PortfolioTrial& trial);
[[nodiscard]] nlohmann::json to_json(const DispatchTrial& trial);
// The trial that was saved so. Throws DataError.
template <class Metrics>
[[nodiscard]] Trial<Metrics> trial_of(const nlohmann::json& saved);
template <>
PortfolioTrial trial_of(const nlohmann::json& saved);
template <>
DispatchTrial trial_of(const nlohmann::json& saved);

// {"sharpe": ..., ...} from what named_values gives.
[[nodiscard]] nlohmann::json values_of(const std::vector<std::pair<std::string, double>>& named);

}  // namespace softradial::study
