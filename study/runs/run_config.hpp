#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "data/calendar.hpp"
#include "limits/limits.hpp"
#include "softradial/layer.hpp"
#include "softradial/set.hpp"
#include "tasks/decision_layer.hpp"
#include "tasks/dispatch_task.hpp"
#include "tasks/portfolio_task.hpp"
#include "training/train.hpp"

// Everything that a training run depends on. config_fields.hpp lists the fields, with their names and meanings in JSON, TOML
// and on the command line.
namespace softradial::study {

// The decision layer: a method of the library, or equal weight, which needs no model.
struct LayerConfig {
  std::string method = "soft_radial";  // a method name, or equal_weight
  LayerMethod options = SoftRadial{};  // the numbers of that method; not used for equal_weight
  double penalty_weight = 10;          // weight of the penalty in the loss of soft_penalty
  bool operator==(const LayerConfig&) const = default;

  [[nodiscard]] bool equal_weight() const { return method == "equal_weight"; }
};

// The fields that both tasks share.
struct RunConfig {
  LayerConfig layer;
  double cap = 1;            // largest share of one asset or zone; 1: the simplex
  std::string set_json;      // further limits or a set, as load_limits returns them; empty: none
  std::string set_file;      // file of these limits, for messages; not saved
  TrainingOptions training;  // includes the first seed
  int seeds = 1;
  int threads = 1;
};

struct PortfolioConfig : RunConfig {
  std::string prices = "synthetic:liquid";
  std::uint64_t data_seed = 0;
  std::int64_t lookback = 10;
  PortfolioOptions model;
  SplitDates split;
};

struct DispatchConfig : RunConfig {
  std::string demand = "synthetic:taxi";
  std::uint64_t data_seed = 0;
  std::size_t zones = 150;
  std::int64_t history = 24;
  DispatchOptions model;
  FractionSplit split;

  DispatchConfig() {
    cap = 0.1;
    training.epochs = 100;
  }
};

[[nodiscard]] nlohmann::json to_json(const PortfolioConfig& config);
[[nodiscard]] nlohmann::json to_json(const DispatchConfig& config);
// Throw DataError if the JSON is not a configuration of this kind.
[[nodiscard]] PortfolioConfig portfolio_config(const nlohmann::json& json);
[[nodiscard]] DispatchConfig dispatch_config(const nlohmann::json& json);

// The set that decisions about these columns must obey. The source has `left_out` further columns.
[[nodiscard]] DecisionSet decision_set(const RunConfig& config, const std::vector<std::string>& columns,
                                       std::size_t left_out = 0);

// The sum of a decision: that of the simplex, 1 for other sets.
[[nodiscard]] double total_of(const Set& set);

// The layer for training: the fused ops of the radial maps, another layer of the library, or equal weight. Softmax only knows
// simplices. On a capped simplex it is trained on the simplex, and its violations are reported.
[[nodiscard]] DecisionLayer decision_layer(const LayerConfig& config, const Set& set);

// The largest violation in any row, measured in double precision on the returned numbers. For an equality, only the part of
// the residual that exceeds the rounding of its terms counts.
[[nodiscard]] ViolationFunction violation_of(const Set& set);

}  // namespace softradial::study
