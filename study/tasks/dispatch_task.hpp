#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <vector>

#include "metrics/portfolio_metrics.hpp"
#include "models/mlp.hpp"
#include "tasks/decision_layer.hpp"
#include "tasks/task_data.hpp"
#include "training/task.hpp"

namespace softradial::study {

struct DispatchOptions {
  int64_t hidden = 64;
  double dropout = 0.1;
  int64_t batch = 128;
  double temperature = 1;  // tau of SoftMin in training, see losses.hpp; 0: the hard minimum
  at::ScalarType dtype = at::kFloat;
  bool operator==(const DispatchOptions&) const = default;
};

struct DispatchMetrics {
  double served_rate = 0;  // with the hard minimum
  bool operator==(const DispatchMetrics&) const = default;
};

constexpr auto metric_fields(const DispatchMetrics&) {
  return std::to_array<MetricField<DispatchMetrics>>({{"served_rate", &DispatchMetrics::served_rate}});
}

struct DispatchEvaluation {
  DispatchMetrics metrics;
  RowRange hours;
  at::Tensor shares;  // (hours, zones), as the layer gave them
  at::Tensor supply;  // (hours): the allocation is supply * shares
  at::Tensor demand;  // (hours, zones)
};

// The last hours and the calendar -> Mlp -> u -> layer -> shares x; allocation a_t = S_t x_t for hour t.
class DispatchTask final : public Task {
 public:
  DispatchTask(const DispatchData& data, const DispatchOptions& options, DecisionLayer layer);

  const Parameters& parameters() const override { return model_.parameters(); }
  const Standardisation& standardisation() const override { return standardisation_; }
  void initialize(at::Generator& generator) override { model_.initialize(generator); }
  int64_t begin_epoch(at::Generator& generator) override;
  double loss_and_gradient(int64_t batch, at::Generator& generator) override;
  double validation_metric() override;
  double selection(const DispatchMetrics& metrics) const { return metrics.served_rate; }

  const Splits& splits() const { return splits_; }
  at::Tensor shares(RowRange hours);
  DispatchEvaluation evaluate(RowRange hours);

 private:
  struct Batch {
    at::Tensor z;       // (batch, history zones + 4)
    at::Tensor supply;  // (batch)
    at::Tensor demand;  // (batch, zones)
  };
  void gather(const int64_t* hours, int64_t count, Batch& out) const;

  DispatchOptions options_;
  DecisionLayer layer_;
  int64_t history_;
  Splits splits_;
  Standardisation standardisation_;
  at::Tensor normalised_, calendar_, supply_, demand_;
  Mlp model_;
  std::optional<DispatchShare> share_;
  at::Tensor order_;                     // hours of the training split, in this epoch's order
  std::vector<int64_t> hours_, places_;  // for a team's batch: its hours here, as rows, and their places in it
  Batch batch_;
  at::Tensor grad_shares_;
};

}  // namespace softradial::study
