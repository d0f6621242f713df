#include "tasks/dispatch_task.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randperm.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "metrics/losses.hpp"
#include "tasks/decision_layer.hpp"
#include "tasks/task_data.hpp"

namespace softradial::study {
namespace {

// The number of hours that are evaluated together: their inputs take a few megabytes.
constexpr int64_t kHoursTogether = 512;

// A row of z: the normalised demand of the hours [t - history, t), which is contiguous in memory, and the calendar of t.
template <class T>
void gather_rows(const int64_t* hours, int64_t count, int64_t history, const at::Tensor& normalised,
                 const at::Tensor& calendar, const at::Tensor& z) {
  const int64_t zones = normalised.size(1);
  const int64_t marks = calendar.size(1);
  T* out = z.data_ptr<T>();
  for (int64_t b = 0; b < count; ++b) {
    out = std::copy_n(normalised.data_ptr<T>() + (hours[b] - history) * zones, history * zones, out);
    out = std::copy_n(calendar.data_ptr<T>() + hours[b] * marks, marks, out);
  }
}

template <class T>
void gather_targets(const int64_t* hours, int64_t count, const at::Tensor& demand, const at::Tensor& supply,
                    const at::Tensor& demand_out, const at::Tensor& supply_out) {
  const int64_t zones = demand.size(1);
  for (int64_t b = 0; b < count; ++b) {
    std::copy_n(demand.data_ptr<T>() + hours[b] * zones, zones, demand_out.data_ptr<T>() + b * zones);
    supply_out.data_ptr<T>()[b] = supply.data_ptr<T>()[hours[b]];
  }
}

}  // namespace

DispatchTask::DispatchTask(const DispatchData& data, const DispatchOptions& options, DecisionLayer layer)
    : options_(options),
      layer_(std::move(layer)),
      history_(data.history),
      splits_(data.splits),
      standardisation_(data.standardisation),
      normalised_(to_tensor(data.normalised, options.dtype)),
      calendar_(to_tensor(data.calendar, options.dtype)),
      supply_(to_tensor(data.supply, options.dtype).view({-1})),
      demand_(to_tensor(data.demand, options.dtype)),
      model_({.inputs = data.history * data.demand.cols() + data.calendar.cols(),
              .hidden = options.hidden,
              .outputs = layer_.input_dim,
              .dropout = options.dropout,
              .dtype = options.dtype}),
      share_(data.share) {
  check_layer(layer_, data.demand.cols());
  if (options.batch < 1) {
    throw std::invalid_argument("a batch needs at least one hour, not " + std::to_string(options.batch));
  }
}

void DispatchTask::gather(const int64_t* hours, int64_t count, Batch& out) const {
  if (!out.z.defined() || out.z.size(0) != count) {
    out.z = at::empty({count, model_.options().inputs}, normalised_.options());
    out.supply = at::empty({count}, normalised_.options());
    out.demand = at::empty({count, demand_.size(1)}, normalised_.options());
  }
  if (options_.dtype == at::kFloat) {
    gather_rows<float>(hours, count, history_, normalised_, calendar_, out.z);
    gather_targets<float>(hours, count, demand_, supply_, out.demand, out.supply);
  } else {
    gather_rows<double>(hours, count, history_, normalised_, calendar_, out.z);
    gather_targets<double>(hours, count, demand_, supply_, out.demand, out.supply);
  }
}

int64_t DispatchTask::begin_epoch(at::Generator& generator) {
  const RowRange train = share_ ? share_->train : splits_.train;
  order_ = at::randperm(train.size(), generator, at::kLong).add_(train.begin);
  return (train.size() + options_.batch - 1) / options_.batch;
}

double DispatchTask::loss_and_gradient(int64_t batch, at::Generator& generator) {
  const int64_t from = batch * options_.batch;
  const int64_t together = std::min(options_.batch, order_.numel() - from);
  const int64_t* hours = order_.data_ptr<int64_t>() + from;
  int64_t count = together;
  if (share_) {
    hours_.clear();
    places_.clear();
    for (int64_t i = 0; i < together; ++i) {
      if (!share_->own.contains(hours[i])) continue;
      hours_.push_back(hours[i] - share_->own.begin + splits_.train.begin);
      places_.push_back(i);
    }
    hours = hours_.data();
    count = std::ssize(hours_);
  }
  gather(hours, count, batch_);
  const at::Tensor u = model_.forward_training(batch_.z, generator, places_);
  if (count == 0) {
    model_.backward(u);  // no rows: the gradient is zero
    return 0;
  }
  const double part = static_cast<double>(count) / static_cast<double>(together);
  const LayerPass pass(layer_, u, {}, LayerPass::Penalised{count, part});
  if (!grad_shares_.defined() || grad_shares_.size(0) != count) {
    grad_shares_ = at::empty(batch_.demand.sizes(), batch_.demand.options());
  }
  const double loss = served_loss(pass.x(), batch_.supply, batch_.demand, options_.temperature, grad_shares_);
  if (share_) grad_shares_.mul_(part);
  model_.backward(pass.backward(grad_shares_));
  return loss * part + pass.penalty();
}

double DispatchTask::validation_metric() {
  if (!share_) return selection(evaluate(splits_.validation).metrics);
  const auto hours = static_cast<double>(share_->validation.size());
  std::array<double, 2> sums = {hours > 0 ? hours * evaluate(share_->validation).metrics.served_rate : 0, hours};
  share_->team->sum(sums);
  return selection({.served_rate = sums[0] / sums[1]});
}

at::Tensor DispatchTask::shares(RowRange range) {
  if (range.begin < history_ || range.end > demand_.size(0) || range.size() <= 0) {
    throw std::invalid_argument("hours " + std::to_string(range.begin) + " to " + std::to_string(range.end) +
                                " cannot be decided: the history takes " + std::to_string(history_) + " of " +
                                std::to_string(demand_.size(0)));
  }
  std::vector<int64_t> hours(static_cast<size_t>(range.size()));
  std::iota(hours.begin(), hours.end(), range.begin);
  std::vector<at::Tensor> parts;
  Batch batch;
  for (int64_t from = 0; from < range.size(); from += kHoursTogether) {
    gather(hours.data() + from, std::min(kHoursTogether, range.size() - from), batch);
    parts.push_back(apply_in_evaluation(layer_, model_.forward(batch.z)));
  }
  return at::cat(parts);
}

DispatchEvaluation DispatchTask::evaluate(RowRange range) {
  DispatchEvaluation out;
  out.hours = range;
  out.shares = shares(range);
  out.supply = supply_.narrow(0, range.begin, range.size());
  out.demand = demand_.narrow(0, range.begin, range.size());
  out.metrics.served_rate = served_rate(out.shares, out.supply, out.demand);
  return out;
}

}  // namespace softradial::study
