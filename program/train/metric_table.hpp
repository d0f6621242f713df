#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "output_file.hpp"

namespace softradial::program {

// A row of a table of metrics: what it is about, {"sharpe": ..., ...}, and the worst violation where one was judged.
struct MetricRow {
  std::string name;
  nlohmann::json metrics;
  std::optional<double> violation;
};

// Columns that fit 80 characters, the metric that counts first, units in the head. `first` is the head of the names.
[[nodiscard]] TextTable metric_table(const std::string& first, const std::vector<MetricRow>& rows);

// "Sharpe ratio -0.15 [-0.48, +0.17]", "volatility x 0.798 [0.781, 0.822]": what a report says "against_equal_weight".
[[nodiscard]] std::vector<std::string> comparison_texts(const nlohmann::json& against_equal_weight);

}  // namespace softradial::program
