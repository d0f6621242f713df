#include "runs/baselines.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>

#include "data/calendar.hpp"
#include "metrics/losses.hpp"
#include "runs/task_kinds.hpp"
#include "softradial/errors.hpp"
#include "softradial/nn.hpp"
#include "softradial/sets.hpp"

namespace softradial::study {
namespace {

constexpr const char* kEqualWeight = "equal_weight";

// The shares of the demand `lag` hours before each hour of the range; equal shares if there was no demand.
Table shares_of_demand(const DispatchData& data, RowRange hours, int64_t lag) {
  const Eigen::Index zones = data.demand.cols();
  Table out(hours.size(), zones);
  for (int64_t t = hours.begin; t < hours.end; ++t) {
    const auto demand = data.demand.row(std::max<int64_t>(t >= lag ? t - lag : t - 1, 0));
    const double total = demand.sum();
    out.row(t - hours.begin) = total > 0 ? Eigen::RowVectorXd(demand / total)
                                         : Eigen::RowVectorXd::Constant(zones, 1.0 / static_cast<double>(zones));
  }
  return out;
}

// The nearest points of the set; nothing if the library has no projection onto it.
std::optional<at::Tensor> projected(const Set& set, const at::Tensor& shares) {
  try {
    nn::ConstraintLayer layer(set, Orthogonal{});
    layer->eval();
    const at::NoGradGuard no_grad;
    return layer(shares);
  } catch (const Error&) {
    return std::nullopt;
  }
}

PortfolioEvaluation judged(const PortfolioConfig& config, const PortfolioData& data, RowRange days,
                           const at::Tensor& weights) {
  PortfolioEvaluation out;
  out.days = days;
  out.weights = weights;
  out.returns = portfolio_returns(to_table(weights), data.relatives.middleRows(days.begin + 1, days.size() - 1),
                                  config.model.cost);
  out.metrics = portfolio_metrics(out.returns);
  return out;
}

DispatchEvaluation judged(const DispatchConfig&, const DispatchData& data, RowRange hours, const at::Tensor& shares) {
  DispatchEvaluation out;
  out.hours = hours;
  out.shares = shares;
  out.supply = to_tensor(data.supply, at::kDouble).view({-1}).narrow(0, hours.begin, hours.size());
  out.demand = to_tensor(data.demand.middleRows(hours.begin, hours.size()), at::kDouble);
  out.metrics.served_rate = served_rate(shares, out.supply, out.demand);
  return out;
}

// Rows that a policy can also decide: in a split, and after a whole window.
RowRange decidable(const PortfolioData& data, RowRange split) {
  return {std::max(split.begin, data.lookback), split.end};
}
RowRange decidable(const DispatchData& data, RowRange split) {
  return {std::max(split.begin, data.history), split.end};
}

template <class Config>
std::vector<Baseline<typename KindOf<Config>::Metrics>> on_splits(const Config& config,
                                                                  const typename KindOf<Config>::Data& data,
                                                                  const Set& set) {
  const auto validation = baselines_over(config, data, set, decidable(data, data.splits.validation));
  const auto test = baselines_over(config, data, set, decidable(data, data.splits.test));
  const ViolationFunction violation = violation_of(set);
  std::vector<Baseline<typename KindOf<Config>::Metrics>> out;
  for (std::size_t k = 0; k < test.size(); ++k) {
    const auto& [name, here] = test[k];
    const auto& before = validation[k].evaluation;
    out.push_back(
        {name, before.metrics, here.metrics, std::max(violation(decisions_of(before)), violation(decisions_of(here)))});
  }
  return out;
}

template <class Config>
std::vector<Baseline<typename KindOf<Config>::Metrics>> on_table(const Config& config,
                                                                 const typename KindOf<Config>::Input& given) {
  const DecisionSet decision = limits_of(config, given);
  return on_splits(config, make_data(config, with_columns(given, decision.names)), decision.set);
}

template <class Config, class Data, class Evaluation>
Evaluation mean_of(const Config& config, const Data& data, const std::vector<Evaluation>& members) {
  const at::Tensor& first = decisions_of(members.at(0));
  at::Tensor sum = first.to(at::kDouble);
  for (std::size_t k = 1; k < members.size(); ++k) sum = sum + decisions_of(members[k]);
  // Rounding a mean to the precision of its members cannot carry it beyond the largest of them: bounds stay strict.
  return judged(config, data, rows_of(members[0]), (sum / static_cast<double>(members.size())).to(first.scalar_type()));
}

template <class Config, class Data, class Evaluation>
Record beside(std::string split, const Evaluation& evaluation, const Config& config, const Data& data, const Set& set) {
  Record record = record_of(split, evaluation, data, set);
  for (const auto& [name, other] : baselines_over(config, data, set, rows_of(evaluation))) {
    put_beside(record, name, record_of(split, other, data, set));
  }
  return record;
}

}  // namespace

std::vector<NamedEvaluation<PortfolioEvaluation>> baselines_over(const PortfolioConfig& config,
                                                                 const PortfolioData& data, const Set& set,
                                                                 RowRange days) {
  const Eigen::Index assets = data.relatives.cols();
  const Table weights = Table::Constant(days.size(), assets, total_of(set) / static_cast<double>(assets));
  return {{kEqualWeight, judged(config, data, days, to_tensor(weights, at::kDouble))}};
}

std::vector<NamedEvaluation<DispatchEvaluation>> baselines_over(const DispatchConfig& config, const DispatchData& data,
                                                                const Set& set, RowRange hours) {
  const Eigen::Index zones = data.demand.cols();
  const double total = total_of(set);
  const Table equal = Table::Constant(hours.size(), zones, total / static_cast<double>(zones));
  std::vector<NamedEvaluation<DispatchEvaluation>> out = {
      {kEqualWeight, judged(config, data, hours, to_tensor(equal, at::kDouble))}};
  for (const auto& [name, lag] : {std::pair("last_hour", int64_t{1}), std::pair("last_week", kHoursPerWeek)}) {
    const at::Tensor shares = to_tensor(shares_of_demand(data, hours, lag) * total, at::kDouble);
    out.push_back({name, judged(config, data, hours, projected(set, shares).value_or(shares))});
  }
  return out;
}

PortfolioEvaluation ensemble_of(const PortfolioConfig& config, const PortfolioData& data,
                                const std::vector<PortfolioEvaluation>& members) {
  return mean_of(config, data, members);
}
DispatchEvaluation ensemble_of(const DispatchConfig& config, const DispatchData& data,
                               const std::vector<DispatchEvaluation>& members) {
  return mean_of(config, data, members);
}

std::vector<Baseline<PortfolioMetrics>> baselines(const PortfolioConfig& config, const PriceTable& prices) {
  return on_table(config, prices);
}
std::vector<Baseline<DispatchMetrics>> baselines(const DispatchConfig& config, const DemandTable& demand) {
  return on_table(config, demand);
}
std::vector<Baseline<PortfolioMetrics>> baselines(const PortfolioConfig& config, const PortfolioData& data,
                                                  const Set& set) {
  return on_splits(config, data, set);
}
std::vector<Baseline<DispatchMetrics>> baselines(const DispatchConfig& config, const DispatchData& data,
                                                 const Set& set) {
  return on_splits(config, data, set);
}

Record record_beside(std::string split, const PortfolioEvaluation& evaluation, const PortfolioConfig& config,
                     const PortfolioData& data, const Set& set) {
  return beside(std::move(split), evaluation, config, data, set);
}
Record record_beside(std::string split, const DispatchEvaluation& evaluation, const DispatchConfig& config,
                     const DispatchData& data, const Set& set) {
  return beside(std::move(split), evaluation, config, data, set);
}

}  // namespace softradial::study
