#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "metrics/mean_and_std.hpp"
#include "runs/run_config.hpp"
#include "tasks/trial.hpp"

// One trial of a configuration: how it is trained and how it is reported.
namespace softradial::study {

// The seeds with which a configuration is trained; just one for equal weight, which has nothing to learn.
[[nodiscard]] std::vector<std::uint64_t> seeds_of(const RunConfig& config);
// The training options for one of the seeds.
[[nodiscard]] TrainingOptions training_of(const RunConfig& config, std::uint64_t seed);

// {"seed", "validation": {...}, "test": {...}, "selection", "seconds", "epochs", "best_epoch", "end", "violation"}
[[nodiscard]] nlohmann::json to_json(const PortfolioTrial& trial);
[[nodiscard]] nlohmann::json to_json(const DispatchTrial& trial);
// Reads a trial that was saved like this. Throws DataError.
template <class Metrics>
[[nodiscard]] Trial<Metrics> trial_of(const nlohmann::json& saved);
template <>
PortfolioTrial trial_of(const nlohmann::json& saved);
template <>
DispatchTrial trial_of(const nlohmann::json& saved);

// {"sharpe": ..., ...} from the result of named_values.
[[nodiscard]] nlohmann::json values_of(const std::vector<std::pair<std::string, double>>& named);

}  // namespace softradial::study
