#include "tasks/portfolio_task.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randperm.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "models/shared_model.hpp"
#include "models/window_model.hpp"
#include "tasks/decision_layer.hpp"
#include "tasks/smoothing.hpp"
#include "tasks/task_data.hpp"

namespace softradial::study {
namespace {

std::unique_ptr<DayModel> make_model(const PortfolioData& data, const PortfolioOptions& options, int64_t outputs) {
  const int64_t assets = data.relatives.cols();
  if (options.kind == PortfolioModelKind::lstm) {
    return std::make_unique<WindowModel>(WindowModelOptions{.features = data.features.cols(),
                                                            .lookback = data.lookback,
                                                            .hidden = options.hidden,
                                                            .outputs = outputs,
                                                            .dropout = options.dropout,
                                                            .dtype = options.dtype});
  }
  if (outputs != assets) {
    throw DataError("--model shared gives one number for each of " + std::to_string(assets) +
                    " assets, the layer takes " + std::to_string(outputs));
  }
  return std::make_unique<SharedModel>(SharedModelOptions{.assets = assets,
                                                          .features = data.features.cols() / assets,
                                                          .lookback = data.lookback,
                                                          .hidden = options.hidden,
                                                          .dropout = options.dropout,
                                                          .dtype = options.dtype});
}

}  // namespace

PortfolioTask::PortfolioTask(const PortfolioData& data, const PortfolioOptions& options, DecisionLayer layer)
    : options_(options),
      layer_(std::move(layer)),
      lookback_(data.lookback),
      splits_(data.splits),
      standardisation_(data.standardisation),
      relatives_(data.relatives),
      features_(to_tensor(data.features, options.dtype)),
      relative_tensor_(to_tensor(data.relatives, options.dtype)),
      model_(make_model(data, options, layer_.input_dim)),
      share_(data.share),
      grad_weights_(at::empty(
          {share_ ? share_->rows.size() : std::max<int64_t>(options.batch, 0), data.relatives.cols()}, options.dtype)) {
  if (share_) {
    places_.resize(static_cast<size_t>(share_->rows.size()));
    std::iota(places_.begin(), places_.end(), share_->rows.begin);
  }
  check_layer(layer_, data.relatives.cols());
  if (options.batch < 3) {
    throw DataError("a batch needs at least 3 days, not " + std::to_string(options.batch));
  }
  if (!(options.smoothing >= 0 && options.smoothing < 1)) {
    throw DataError("smoothing must be in [0, 1), not " + std::to_string(options.smoothing));
  }
  if (share_ && (options.smoothing > 0 || options.anchor == PortfolioAnchor::drifted)) {
    throw DataError(std::string(options.smoothing > 0 ? "--smoothing" : "--anchor drifted") +
                    ": each decision waits for the one before it, which processes that train together cannot share");
  }
  if (options.anchor == PortfolioAnchor::drifted && !layer_.moving_anchor) {
    throw DataError("--anchor drifted: the method has no anchor that could follow the weights");
  }
}

int64_t PortfolioTask::begin_epoch(at::Generator& generator) {
  const std::vector<int64_t> first_days = share_ ? share_->starts : batch_starts(splits_, lookback_, options_.batch);
  const at::Tensor order = at::randperm(std::ssize(first_days), generator, at::kLong);
  starts_.clear();
  for (int64_t i = 0; i < order.numel(); ++i) {
    starts_.push_back(first_days[static_cast<size_t>(order.data_ptr<int64_t>()[i])]);
  }
  return std::ssize(starts_);
}

PortfolioTask::Path PortfolioTask::follow(const at::Tensor& u, int64_t day) const {
  if (options_.anchor == PortfolioAnchor::fixed) {
    Path path{apply_in_evaluation(layer_, u).contiguous(), {}};
    if (options_.smoothing > 0) smooth_rows(path.weights, options_.smoothing);
    return path;
  }
  // Day by day: an anchor needs the decision before it; on the first day, a decision from the layer's own anchor stands in.
  std::vector<at::Tensor> weights;
  std::vector<at::Tensor> anchors;
  for (int64_t t = 0; t < u.size(0); ++t) {
    const at::Tensor row = u.narrow(0, t, 1);
    const at::Tensor before = t == 0 ? apply_in_evaluation(layer_, row) : weights.back();
    const at::Tensor drift = t == 0 ? before : before.mul(relative_tensor_.narrow(0, day + t, 1));
    anchors.push_back(layer_.moving_anchor->inside(drift.mul(before.sum().div(drift.sum()))));
    weights.push_back(apply_in_evaluation(layer_, row, anchors.back()));
    if (options_.smoothing > 0 && t > 0) weights.back().lerp_(before, options_.smoothing);
  }
  return {at::cat(weights), at::cat(anchors)};
}

double PortfolioTask::loss_and_gradient(int64_t batch, at::Generator& generator) {
  const int64_t start = starts_.at(static_cast<size_t>(batch));
  const int64_t count = grad_weights_.size(0);
  const at::Tensor days = features_.narrow(0, start - lookback_ + 1, count + lookback_ - 1);
  const at::Tensor u = model_->forward_training(days, generator, places_);
  // Anchors count as data of the day: no derivative passes through them to earlier days.
  const at::Tensor anchors = options_.anchor == PortfolioAnchor::drifted ? follow(u, start).anchors : at::Tensor();
  std::optional<LayerPass::Penalised> penalised;
  GatherReturns gather;
  if (share_) {
    penalised = {share_->own, static_cast<double>(share_->own) / static_cast<double>(options_.batch)};
    gather = [this](const Eigen::ArrayXd& own) { return gathered(own); };
  }
  const LayerPass pass(layer_, u, anchors, penalised);
  at::Tensor weights = pass.x().detach();
  if (options_.smoothing > 0) {
    weights = weights.clone();
    smooth_rows(weights, options_.smoothing);
  }
  const PortfolioLossOptions costs{.cost = options_.objective == PortfolioObjective::gross ? 0 : options_.cost,
                                   .huber = options_.huber};
  const at::Tensor relatives = relative_tensor_.narrow(0, start + 1, count - 1);
  const double loss = options_.objective == PortfolioObjective::variance
                          ? variance_loss(weights, relatives, costs, grad_weights_, gather)
                          : sharpe_loss(weights, relatives, costs, grad_weights_, gather);
  if (options_.smoothing > 0) smooth_rows_backward(grad_weights_, options_.smoothing);
  model_->backward(pass.backward(grad_weights_));
  // Every process of a team knows the loss of the batch; it counts once.
  return (share_ && share_->team->rank() > 0 ? 0 : loss) + pass.penalty();
}

GatheredReturns PortfolioTask::gathered(const Eigen::ArrayXd& own) const {
  const std::vector<double> all = share_->team->gathered({own.data(), static_cast<size_t>(own.size())});
  return {Eigen::Map<const Eigen::ArrayXd>(all.data(), std::ssize(all)), share_->rows.begin};
}

double PortfolioTask::selection(const PortfolioMetrics& metrics) const {
  return options_.objective == PortfolioObjective::variance ? -metrics.annual_volatility : metrics.sharpe;
}

double PortfolioTask::validation_metric() {
  if (!share_) return selection(evaluate(splits_.validation).metrics);
  PortfolioReturns returns;
  if (share_->validation.size() > 1) returns = decided(share_->validation).returns;
  for (Eigen::VectorXd* series : {&returns.net, &returns.turnover, &returns.cost}) *series = gathered(*series).all;
  return selection(portfolio_metrics(returns));
}

at::Tensor PortfolioTask::weights(RowRange days) {
  const int64_t first = std::max(days.begin, lookback_);
  if (first < days.begin || days.end > features_.size(0) || days.end <= first) {
    throw std::invalid_argument("no whole window in the days " + std::to_string(days.begin) + " to " +
                                std::to_string(days.end) + " of " + std::to_string(features_.size(0)));
  }
  const int64_t memory = std::max(smoothing_memory(options_.smoothing),
                                  options_.anchor == PortfolioAnchor::drifted ? kAnchorMemory : int64_t{0});
  const int64_t begin = std::max(first - memory, lookback_);
  const int64_t count = days.end - begin;
  const at::Tensor u = model_->forward(features_.narrow(0, begin - lookback_ + 1, count + lookback_ - 1));
  return follow(u, begin).weights.slice(0, first - begin);
}

PortfolioEvaluation PortfolioTask::decided(RowRange days) {
  PortfolioEvaluation out;
  out.weights = weights(days);
  out.days = {days.end - out.weights.size(0), days.end};
  out.returns = portfolio_returns(to_table(out.weights), relatives_.middleRows(out.days.begin + 1, out.days.size() - 1),
                                  options_.cost);
  return out;
}

PortfolioEvaluation PortfolioTask::evaluate(RowRange days) {
  PortfolioEvaluation out = decided(days);
  out.metrics = portfolio_metrics(out.returns);
  return out;
}

}  // namespace softradial::study
