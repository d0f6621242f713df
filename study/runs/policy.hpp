#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/tables.hpp"
#include "runs/run_config.hpp"
#include "tasks/portfolio_task.hpp"

namespace softradial::study {

// The decisions of a saved portfolio policy on any prices, with the statistics and the layer that it was trained with.
struct PolicyPeriod {
  PortfolioConfig config;
  std::vector<std::chrono::sys_days> days;  // on which a decision is made
  PortfolioEvaluation evaluation;           // over these days
  double violation = 0;
  double least_slack = 0;  // over all inequalities and days
};

// `file` is a checkpoint, or the folder of a run, whose first seed is taken. The prices must have the tickers that the
// policy was trained on, in any order. Days before the first whole window are left out. Throws DataError if no day is left.
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
