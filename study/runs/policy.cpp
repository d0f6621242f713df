#include "runs/policy.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "data/calendar.hpp"
#include "data/tables.hpp"
#include "runs/run.hpp"
#include "tasks/task_data.hpp"
#include "training/checkpoint.hpp"

namespace softradial::study {
namespace {

using std::chrono::sys_days;

struct Policy {
  PortfolioConfig config;
  std::vector<std::string> tickers;
  Checkpoint checkpoint;
};

Policy load_policy(const std::filesystem::path& file) {
  std::filesystem::path chosen = file;
  if (std::filesystem::is_directory(file)) {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(file)) {
      if (entry.path().extension() == ".pt") found.push_back(entry.path());
    }
    if (found.empty()) throw DataError(file.string() + ": no checkpoint (seed-*.pt) in this folder");
    chosen = *std::ranges::min_element(found);
  }
  if (!std::filesystem::exists(chosen)) throw DataError(chosen.string() + ": no such file");
  Policy policy;
  policy.checkpoint = load_checkpoint(chosen);
  const auto json = nlohmann::json::parse(policy.checkpoint.config, nullptr, false);
  if (json.is_discarded()) throw DataError(chosen.string() + ": holds no configuration of a run");
  policy.config = portfolio_config(json);
  policy.tickers = json.at("tickers").get<std::vector<std::string>>();
  return policy;
}

// The columns that the policy was trained on, in its order.
PriceTable select(const PriceTable& prices, const std::vector<std::string>& tickers) {
  PriceTable out{prices.dates, tickers, Table(prices.prices.rows(), static_cast<Eigen::Index>(tickers.size()))};
  for (std::size_t k = 0; k < tickers.size(); ++k) {
    const auto place = std::ranges::find(prices.tickers, tickers[k]);
    if (place == prices.tickers.end())
      throw DataError("the prices have no column " + tickers[k] + ", on which the policy was trained");
    out.prices.col(static_cast<Eigen::Index>(k)) = prices.prices.col(place - prices.tickers.begin());
  }
  return out;
}

struct Applied {
  PortfolioData data;
  PortfolioTask task;
};

// New data need no splits: any that are not empty will do.
Applied prepare(const Policy& policy, const PriceTable& given) {
  const PriceTable prices = select(given, policy.tickers);
  const std::size_t days = prices.dates.size();
  const auto least = static_cast<std::size_t>(policy.config.lookback) + 6;
  if (days < least) {
    throw DataError("the prices have " + std::to_string(days) + " days; a decision over " +
                    std::to_string(policy.config.lookback) + " needs at least " + std::to_string(least));
  }
  const SplitDates split{prices.dates[days - 4], prices.dates[days - 2]};
  PortfolioData data = make_portfolio_data(prices, split, policy.config.lookback, &policy.checkpoint.standardisation);
  PortfolioTask task(data, policy.config.model,
                     decision_layer(policy.config.layer, decision_set(policy.config, policy.tickers.size())));
  task.parameters().assign(policy.checkpoint.model());
  return {std::move(data), std::move(task)};
}

}  // namespace

PolicyPeriod apply_policy(const std::filesystem::path& file, const PriceTable& prices, std::optional<sys_days> from,
                          std::optional<sys_days> to) {
  const Policy policy = load_policy(file);
  Applied applied = prepare(policy, prices);
  const auto& days = applied.data.days;
  const auto first = from ? std::ranges::lower_bound(days, *from) : days.begin();
  const auto last = to ? std::ranges::upper_bound(days, *to) : days.end();
  if (last - first < 3) throw DataError("fewer than three days of prices lie in the period asked for");
  PolicyPeriod out;
  out.config = policy.config;
  out.evaluation = applied.task.evaluate({first - days.begin(), last - days.begin()});
  out.days.assign(days.begin() + out.evaluation.days.begin, days.begin() + out.evaluation.days.end);
  const Set set = decision_set(policy.config, policy.tickers.size());
  out.violation = violation_of(set)(out.evaluation.weights);
  const at::Tensor weights = out.evaluation.weights.to(at::kDouble).contiguous();
  std::vector<double> slacks(set->num_inequalities());
  out.least_slack = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < weights.size(0); ++i) {
    set->slacks({weights.data_ptr<double>() + i * weights.size(1), set.dim()}, slacks);
    for (const double slack : slacks) out.least_slack = std::min(out.least_slack, slack);
  }
  return out;
}

Prediction predict(const std::filesystem::path& file, const PriceTable& prices) {
  const Policy policy = load_policy(file);
  Applied applied = prepare(policy, prices);
  const auto days = static_cast<int64_t>(applied.data.days.size());
  const at::Tensor weights = applied.task.weights({days - 1, days}).to(at::kDouble).contiguous();
  const double* row = weights.data_ptr<double>();
  return {applied.data.days.back(), policy.tickers, {row, row + weights.size(1)}};
}

}  // namespace softradial::study
