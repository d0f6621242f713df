#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "output_file.hpp"

namespace softradial::program {

// A row of a table of metrics: its name, {"sharpe": ..., ...}, and the worst violation if one was judged.
struct MetricRow {
  std::string name;
  nlohmann::json metrics;
  std::optional<double> violation;
};

// A table that fits 80 characters, with the main metric first and units in the header. `first` is the header of the names.
[[nodiscard]] TextTable metric_table(const std::string& first, const std::vector<MetricRow>& rows);

// "Sharpe ratio -0.15 [-0.48, +0.17]", "volatility x 0.798 [0.781, 0.822]": a report's "against_equal_weight" as texts.
[[nodiscard]] std::vector<std::string> comparison_texts(const nlohmann::json& against_equal_weight);

}  // namespace softradial::program
