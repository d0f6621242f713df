#include "runs/policy.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/calendar.hpp"
#include "runs/baselines.hpp"
#include "runs/run_config.hpp"
#include "runs/task_kinds.hpp"

namespace softradial::study {
namespace {

// A task with the parameters of a saved policy, on data that may be new.
template <class Config>
struct Applied {
  Config config;
  Set set;
  std::string in_sample_until;
  typename KindOf<Config>::Data data;
  typename KindOf<Config>::TaskType task;
};

PortfolioConfig config_of(const PolicyFile& policy, const PriceTable&) { return portfolio_config(policy.config); }
DispatchConfig config_of(const PolicyFile& policy, const DemandTable&) { return dispatch_config(policy.config); }

// New data need no splits: all rows form a single one.
PortfolioData data_of(const PortfolioConfig& config, const PriceTable& prices, const Standardisation& statistics) {
  return make_portfolio_data(prices, {prices.dates.back(), prices.dates.back()}, config.lookback, statistics);
}
DispatchData data_of(const DispatchConfig& config, const DemandTable& demand, const Standardisation& statistics) {
  return make_dispatch_data(demand, {.train = 1, .validation = 0}, config.history, &statistics);
}

// The first row whose decision does not depend on where the data begin. Row t of the features needs `lookback` returns up to
// t, and a decision needs `lookback` such rows; returns begin at row 0.
int64_t first_whole(const PortfolioConfig& config) { return std::max(2 * config.lookback - 2, config.lookback); }
int64_t first_whole(const DispatchConfig& config) { return config.history; }

// The number of table rows that a decision needs.
std::size_t rows_needed(const PortfolioConfig& config) { return static_cast<std::size_t>(first_whole(config)) + 2; }
std::size_t rows_needed(const DispatchConfig& config) { return static_cast<std::size_t>(config.history) + 1; }

void check_length(std::size_t have, std::size_t need, const char* what, int64_t window) {
  if (have >= need) return;
  throw DataError("the data have " + std::to_string(have) + " " + what + "; a decision over " + std::to_string(window) +
                  " of them needs at least " + std::to_string(need));
}
void check_length(const PortfolioConfig& config, const PriceTable& prices) {
  check_length(prices.dates.size(), rows_needed(config), "days", config.lookback);
}
void check_length(const DispatchConfig& config, const DemandTable& demand) {
  check_length(demand.hours.size(), rows_needed(config), "hours", config.history);
}

// The sizes in a configuration must match those of the arrays: a model is only built if it fits them.
void check_sizes(const PolicyFile& policy, const std::string& array, const std::vector<int64_t>& wanted) {
  const auto found = std::ranges::find(policy.shapes, array, &ParameterShape::name);
  if (found == policy.shapes.end() || found->shape != wanted) {
    throw DataError("the array '" + array + "' does not fit the configuration of the model");
  }
}
void check_sizes(const PortfolioConfig& config, const PolicyFile& policy, std::size_t assets) {
  const int64_t hidden = config.model.hidden;
  if (hidden < 1 || hidden > policy.parameters.numel() || config.lookback < 1) {
    throw DataError("the configuration of the model is impossible");
  }
  if (config.model.kind == PortfolioModelKind::shared) {
    check_sizes(policy, "linear0.weight", {hidden, 3 * config.lookback});
    return;
  }
  check_sizes(policy, "lstm.weight_ih", {4 * hidden, 3 * static_cast<int64_t>(assets)});
  check_sizes(policy, "lstm.weight_hh", {4 * hidden, hidden});
}
void check_sizes(const DispatchConfig& config, const PolicyFile& policy, std::size_t zones) {
  const int64_t hidden = config.model.hidden;
  if (hidden < 1 || hidden > policy.parameters.numel() || config.history < 1 ||
      config.history > policy.parameters.numel()) {
    throw DataError("the configuration of the model is impossible");
  }
  check_sizes(policy, "linear0.weight", {hidden, config.history * static_cast<int64_t>(zones) + 4});
}

template <class Config, class Input>
Applied<Config> apply(const PolicyFile& policy, const Input& given) {
  if (policy.task != KindOf<Config>::kName) {
    throw DataError("is a policy for " + policy.task + ", the data are for " + KindOf<Config>::kName);
  }
  Config config = config_of(policy, given);
  const std::vector<std::string> names = policy.names();
  const Input input = with_columns(given, names);
  check_length(config, input);
  check_sizes(config, policy, names.size());
  const Set set = policy.set();
  if (set.dim() != names.size()) throw DataError("its set has another dimension than its names");
  const auto columns = static_cast<Eigen::Index>(names.size()) * (std::same_as<Config, PortfolioConfig> ? 3 : 1);
  if (policy.standardisation.mean.size() != columns || policy.standardisation.scale.size() != columns ||
      !(policy.standardisation.scale.minCoeff() > 0)) {
    throw DataError("its statistics do not fit its names");
  }
  auto data = data_of(config, input, policy.standardisation);
  typename KindOf<Config>::TaskType task(data, config.model, decision_layer(config.layer, set));
  policy.give_to(task.parameters());
  return {std::move(config), set, policy.config.value("in_sample_until", ""), std::move(data), std::move(task)};
}

// Adds the name of the model's file to its errors.
template <class Config, class Input>
Applied<Config> load_and_apply(const std::filesystem::path& model, const Input& given) {
  const PolicyFile policy = load_policy(model);
  try {
    return apply<Config>(policy, given);
  } catch (const DataError& error) {
    throw DataError(model.string() + ": " + error.what());
  }
}

std::vector<std::string> times(const PortfolioData& data) {
  std::vector<std::string> out;
  for (const auto day : data.days) out.push_back(format_date(day));
  return out;
}
std::vector<std::string> times(const DispatchData& data) {
  std::vector<std::string> out;
  for (const auto hour : data.hours) out.push_back(format_hour(hour));
  return out;
}

RowRange rows_in(const std::vector<std::string>& times, const Period& period) {
  // The bounds are beginnings of times, and times can be compared as texts.
  const auto before = [&](const std::string& time) {
    return period.from && time.substr(0, period.from->size()) < *period.from;
  };
  const auto within = [&](const std::string& time) {
    return !period.to || time.substr(0, period.to->size()) <= *period.to;
  };
  const auto first = std::ranges::partition_point(times, before);
  const auto last = std::partition_point(first, times.end(), within);
  return {first - times.begin(), last - times.begin()};
}

template <class Config, class Input>
PolicyPeriod over(const std::filesystem::path& model, const Input& given, const Period& period) {
  constexpr int64_t kFewest = 3;  // a deviation of two returns
  auto applied = load_and_apply<Config>(model, given);
  const std::vector<std::string> all = times(applied.data);
  RowRange rows = rows_in(all, period);
  rows.begin = std::max(rows.begin, first_whole(applied.config));
  if (rows.size() < kFewest) {
    throw DataError("fewer than three decisions with a whole history lie in the period asked for; the data go from " +
                    all.front() + " to " + all.back());
  }
  const auto evaluation = applied.task.evaluate(rows);
  PolicyPeriod out;
  out.method = applied.config.layer.method;
  out.record = record_beside("period", evaluation, applied.config, applied.data, applied.set);
  out.metrics = named_values(evaluation.metrics);
  for (const auto& [name, other] : baselines_over(applied.config, applied.data, applied.set, rows)) {
    out.baselines.emplace_back(name, named_values(other.metrics));
  }
  out.violation = violation_of(applied.set)(to_tensor(out.record.decisions, applied.config.model.dtype));
  out.least_slack = std::ranges::min(least_slacks(applied.set, out.record.decisions));
  out.in_sample_until = applied.in_sample_until;
  out.in_sample = static_cast<std::size_t>(
      std::ranges::count_if(out.record.ended, [&](const std::string& time) { return time <= out.in_sample_until; }));
  return out;
}

std::vector<double> last_row(const at::Tensor& decisions) {
  const Table table = to_table(decisions);
  const auto row = table.row(table.rows() - 1);
  return {row.begin(), row.end()};
}

}  // namespace

PolicyPeriod apply_policy(const std::filesystem::path& model, const PriceTable& prices, const Period& period) {
  return over<PortfolioConfig>(model, prices, period);
}
PolicyPeriod apply_policy(const std::filesystem::path& model, const DemandTable& demand, const Period& period) {
  return over<DispatchConfig>(model, demand, period);
}

Prediction predict(const std::filesystem::path& model, const PriceTable& prices) {
  auto applied = load_and_apply<PortfolioConfig>(model, prices);
  const auto days = std::ssize(applied.data.days);
  return {format_date(applied.data.days.back()), applied.data.tickers,
          last_row(applied.task.weights({days - 1, days}))};
}

Prediction predict(const std::filesystem::path& model, const DemandTable& demand) {
  // The hour to decide for has no demand yet: a row of zeros takes its place, and no decision reads it.
  DemandTable longer = demand;
  longer.hours.push_back(demand.hours.back() + std::chrono::hours(1));
  longer.demand.conservativeResize(demand.demand.rows() + 1, Eigen::NoChange);
  longer.demand.row(demand.demand.rows()).setZero();
  auto applied = load_and_apply<DispatchConfig>(model, longer);
  const auto hours = std::ssize(applied.data.hours);
  return {format_hour(applied.data.hours.back()), applied.data.zones, last_row(applied.task.shares({hours - 1, hours})),
          applied.data.supply[hours - 1]};
}

}  // namespace softradial::study
