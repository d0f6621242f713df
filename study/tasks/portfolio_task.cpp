#include "tasks/portfolio_task.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/randperm.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tasks/decision_layer.hpp"
#include "tasks/task_data.hpp"

namespace softradial::study {

PortfolioTask::PortfolioTask(const PortfolioData& data, const PortfolioOptions& options, DecisionLayer layer)
    : options_(options),
      layer_(std::move(layer)),
      lookback_(data.lookback),
      splits_(data.splits),
      standardisation_(data.standardisation),
      relatives_(data.relatives),
      features_(to_tensor(data.features, options.dtype)),
      relative_tensor_(to_tensor(data.relatives, options.dtype)),
      model_({.features = data.features.cols(),
              .lookback = data.lookback,
              .hidden = options.hidden,
              .outputs = layer_.input_dim,
              .dropout = options.dropout,
              .dtype = options.dtype}),
      grad_weights_(at::empty({std::max<int64_t>(options.batch, 0), data.relatives.cols()}, options.dtype)) {
  check_layer(layer_, data.relatives.cols());
  if (options.batch < 3) {
    throw DataError("a batch needs at least 3 days, not " + std::to_string(options.batch));
  }
}

int64_t PortfolioTask::begin_epoch(at::Generator& generator) {
  std::vector<int64_t> first_days;
  for (int64_t s = splits_.train.begin + lookback_; s < splits_.train.end - options_.batch - 1; s += options_.batch) {
    first_days.push_back(s);
  }
  if (first_days.empty()) {
    throw std::invalid_argument("the training split has " + std::to_string(splits_.train.size()) +
                                " days: too few for a batch of " + std::to_string(options_.batch) +
                                " after a lookback of " + std::to_string(lookback_));
  }
  const at::Tensor order = at::randperm(std::ssize(first_days), generator, at::kLong);
  starts_.clear();
  for (int64_t i = 0; i < order.numel(); ++i) {
    starts_.push_back(first_days[static_cast<size_t>(order.data_ptr<int64_t>()[i])]);
  }
  return std::ssize(starts_);
}

double PortfolioTask::loss_and_gradient(int64_t batch, at::Generator& generator) {
  const int64_t start = starts_.at(static_cast<size_t>(batch));
  const at::Tensor days = features_.narrow(0, start - lookback_ + 1, options_.batch + lookback_ - 1);
  const LayerPass pass(layer_, model_.forward_training(days, generator));
  const SharpeLossOptions objective{.cost = options_.objective == PortfolioObjective::net ? options_.cost : 0,
                                    .huber = options_.huber};
  const double loss =
      sharpe_loss(pass.x(), relative_tensor_.narrow(0, start + 1, options_.batch - 1), objective, grad_weights_);
  model_.backward(pass.backward(grad_weights_));
  return loss + pass.penalty();
}

double PortfolioTask::validation_metric() { return evaluate(splits_.validation).metrics.sharpe; }

at::Tensor PortfolioTask::weights(RowRange days) {
  const int64_t first = std::max(days.begin, lookback_);
  if (first < days.begin || days.end > features_.size(0) || days.end <= first) {
    throw std::invalid_argument("no whole window in the days " + std::to_string(days.begin) + " to " +
                                std::to_string(days.end) + " of " + std::to_string(features_.size(0)));
  }
  const int64_t count = days.end - first;
  return apply_in_evaluation(layer_, model_.forward(features_.narrow(0, first - lookback_ + 1, count + lookback_ - 1)));
}

PortfolioEvaluation PortfolioTask::evaluate(RowRange days) {
  PortfolioEvaluation out;
  out.weights = weights(days);
  out.days = {days.end - out.weights.size(0), days.end};
  out.returns = portfolio_returns(to_table(out.weights), relatives_.middleRows(out.days.begin + 1, out.days.size() - 1),
                                  options_.cost);
  out.metrics = portfolio_metrics(out.returns);
  return out;
}

}  // namespace softradial::study
