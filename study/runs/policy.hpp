#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/price_table.hpp"
#include "runs/run_config.hpp"
#include "tasks/portfolio_task.hpp"

namespace softradial::study {

// Decisions of a saved portfolio policy on prices that it may never have seen: its own statistics, its own layer.
struct PolicyPeriod {
  PortfolioConfig config;
  std::vector<std::chrono::sys_days> days;  // on which a decision is made
  PortfolioEvaluation evaluation;           // over these days
  double violation = 0;
  double least_slack = 0;  // of any inequality on any day
};

// FILE: a checkpoint, or the folder of a run (its first seed). The prices must have the tickers that the policy was trained on, in any
// order. Days before the first whole window are left out; throws DataError where none is left.
[[nodiscard]] PolicyPeriod apply_policy(const std::filesystem::path& file, const PriceTable& prices,
                                        std::optional<std::chrono::sys_days> from,
                                        std::optional<std::chrono::sys_days> to);

// The weights of the last day, by ticker.
struct Prediction {
  std::chrono::sys_days day;
  std::vector<std::string> tickers;
  std::vector<double> weights;
};
[[nodiscard]] Prediction predict(const std::filesystem::path& file, const PriceTable& prices);

}  // namespace softradial::study
