#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "metrics/block_bootstrap.hpp"
#include "tasks/dispatch_task.hpp"
#include "tasks/portfolio_task.hpp"

// Compares decisions with equal weight over the same rows. Each number has a 95 % interval of the block bootstrap
// (docs/metrics.md), which draws the rows of both together, so that good and bad times of the market favour neither.
namespace softradial::study {

using Comparison = std::vector<std::pair<std::string, Interval>>;

// sharpe_difference: the mean of the policies' net Sharpe ratios minus that of equal weight; volatility_ratio: the mean of
// their volatilities divided by its own. Blocks of 20 days.
[[nodiscard]] Comparison against_equal_weight(const std::vector<PortfolioEvaluation>& policies,
                                              const PortfolioEvaluation& equal_weight);
// served_rate_difference. Blocks of 24 hours.
[[nodiscard]] Comparison against_equal_weight(const std::vector<DispatchEvaluation>& policies,
                                              const DispatchEvaluation& equal_weight);

// {"sharpe_difference": {"value", "low", "high"}, ...}
[[nodiscard]] nlohmann::json to_json(const Comparison& comparison);

}  // namespace softradial::study
