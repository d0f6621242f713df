#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "metrics/losses.hpp"
#include "metrics/portfolio_metrics.hpp"
#include "models/window_model.hpp"
#include "tasks/decision_layer.hpp"
#include "tasks/task_data.hpp"
#include "training/task.hpp"

namespace softradial::study {

enum class PortfolioObjective { net, gross };

struct PortfolioOptions {
  int64_t hidden = 32;
  double dropout = 0.1;
  int64_t batch = 64;   // consecutive days: turnover needs neighbours
  double cost = 0.001;  // gamma, see losses.hpp; the gross objective ignores it in training, never in evaluation
  double huber = 1e-4;
  PortfolioObjective objective = PortfolioObjective::net;
  at::ScalarType dtype = at::kFloat;
  bool operator==(const PortfolioOptions&) const = default;
};

struct PortfolioEvaluation {
  PortfolioMetrics metrics;
  PortfolioReturns returns;
  RowRange days;       // rows of the data; weights are decided on each of these days
  at::Tensor weights;  // (days, N), as the layer gave them
};

// Windows of features -> WindowModel -> u -> layer -> weights w_t. They are decided when day t is known and
// earn the return of day t + 1.
class PortfolioTask final : public Task {
 public:
  PortfolioTask(const PortfolioData& data, const PortfolioOptions& options, DecisionLayer layer);

  const Parameters& parameters() const override { return model_.parameters(); }
  const Standardisation& standardisation() const override { return standardisation_; }
  void initialize(at::Generator& generator) override { model_.initialize(generator); }
  int64_t begin_epoch(at::Generator& generator) override;
  double loss_and_gradient(int64_t batch, at::Generator& generator) override;
  double validation_metric() override;  // net Sharpe ratio

  const Splits& splits() const { return splits_; }
  // Days without a whole window before them are left out.
  at::Tensor weights(RowRange days);
  PortfolioEvaluation evaluate(RowRange days);

 private:
  PortfolioOptions options_;
  DecisionLayer layer_;
  int64_t lookback_;
  Splits splits_;
  Standardisation standardisation_;
  Table relatives_;
  at::Tensor features_;         // (days, 3N)
  at::Tensor relative_tensor_;  // (days, N)
  WindowModel model_;
  std::vector<int64_t> starts_;  // first days of the batches, in this epoch's order
  at::Tensor grad_weights_;
};

}  // namespace softradial::study
