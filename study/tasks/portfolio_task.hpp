#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <vector>

#include "metrics/losses.hpp"
#include "metrics/portfolio_metrics.hpp"
#include "models/day_model.hpp"
#include "tasks/decision_layer.hpp"
#include "tasks/task_data.hpp"
#include "training/task.hpp"

namespace softradial::study {

// The training objective: the Sharpe ratio after costs, before costs, or the smallest variance after costs.
enum class PortfolioObjective { net, gross, variance };

// lstm: one model of all assets together (window_model.hpp). shared: one small model for each asset (shared_model.hpp).
enum class PortfolioModelKind { lstm, shared };

// The anchor from which the layer sees the set. fixed: the set's own anchor. drifted: a point near yesterday's decision after
// the price moves; a model that says nothing new then leaves the portfolio as it is.
enum class PortfolioAnchor { fixed, drifted };

struct PortfolioOptions {
  PortfolioModelKind kind = PortfolioModelKind::lstm;
  int64_t hidden = 32;
  double dropout = 0.1;
  int64_t batch = 64;   // consecutive days: turnover needs neighbours
  double cost = 0.001;  // gamma, see losses.hpp; the gross objective ignores it in training, never in evaluation
  double huber = 1e-4;
  PortfolioObjective objective = PortfolioObjective::net;
  double smoothing = 0;  // s of smoothing.hpp, in training and evaluation
  PortfolioAnchor anchor = PortfolioAnchor::fixed;
  at::ScalarType dtype = at::kFloat;
  bool operator==(const PortfolioOptions&) const = default;
};

struct PortfolioEvaluation {
  PortfolioMetrics metrics;
  PortfolioReturns returns;
  RowRange days;       // rows of the data; weights are decided on each of these days
  at::Tensor weights;  // (days, N), as the layer gave them
};

// Windows of features -> DayModel -> u -> layer -> weights w_t, smoothed over time if asked. The weights are decided when day
// t is known and earn the return of day t + 1.
//
// Smoothed decisions, and those from drifted anchors, depend on earlier decisions. A batch of the training begins without any.
// `weights` begins as many days earlier as a decision is remembered; with drifted anchors, kAnchorMemory.
class PortfolioTask final : public Task {
 public:
  PortfolioTask(const PortfolioData& data, const PortfolioOptions& options, DecisionLayer layer);

  static constexpr int64_t kAnchorMemory = 250;

  const Parameters& parameters() const override { return model_->parameters(); }
  const Standardisation& standardisation() const override { return standardisation_; }
  void initialize(at::Generator& generator) override { model_->initialize(generator); }
  int64_t begin_epoch(at::Generator& generator) override;
  double loss_and_gradient(int64_t batch, at::Generator& generator) override;
  double validation_metric() override;
  // Chooses between epochs, seeds and parameters (larger is better): the net Sharpe ratio, or minus the volatility.
  double selection(const PortfolioMetrics& metrics) const;

  const Splits& splits() const { return splits_; }
  // Days without a whole window before them are left out.
  at::Tensor weights(RowRange days);
  PortfolioEvaluation evaluate(RowRange days);

 private:
  // Decisions of consecutive days from `day` on, computed from u (days, inputs), and their anchors (undefined: the layer's
  // own).
  struct Path {
    at::Tensor weights;
    at::Tensor anchors;
  };
  Path follow(const at::Tensor& u, int64_t day) const;
  // Like `evaluate`, without metrics.
  PortfolioEvaluation decided(RowRange days);
  // This process's returns among those of the team.
  GatheredReturns gathered(const Eigen::ArrayXd& own) const;

  PortfolioOptions options_;
  DecisionLayer layer_;
  int64_t lookback_;
  Splits splits_;
  Standardisation standardisation_;
  Table relatives_;
  at::Tensor features_;         // (days, 3N)
  at::Tensor relative_tensor_;  // (days, N)
  std::unique_ptr<DayModel> model_;
  std::optional<PortfolioShare> share_;
  std::vector<int64_t> places_;  // places of these rows in their batch; empty: the whole batch
  std::vector<int64_t> starts_;  // first days of the batches, in this epoch's order
  at::Tensor grad_weights_;
};

}  // namespace softradial::study
