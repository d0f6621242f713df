#include "tasks/task_data.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "features/features.hpp"

namespace softradial::study {
namespace {

std::string days_text(int64_t count) { return std::to_string(count) + (count == 1 ? " day" : " days"); }

std::string span_text(const PortfolioData& data) {
  return "the returns run from " + format_date(data.days.front()) + " to " + format_date(data.days.back()) + ": ";
}

std::string train_days_text(const PortfolioData& data, const SplitDates& split) {
  return span_text(data) + days_text(data.splits.train.size()) + " up to " + format_date(split.train_end) +
         " (--train-end) for training";
}

}  // namespace

at::Tensor to_tensor(const Table& table, at::ScalarType dtype) {
  const at::Tensor out = at::empty({table.rows(), table.cols()}, at::kDouble);
  std::copy_n(table.data(), table.size(), out.data_ptr<double>());
  return out.to(dtype);
}

Table to_table(const at::Tensor& tensor) {
  const at::Tensor wide = tensor.detach().to(at::kDouble).contiguous();
  return Eigen::Map<const Table>(wide.data_ptr<double>(), wide.size(0), wide.size(1));
}

Splits splits_of(const std::vector<std::chrono::sys_days>& days, const SplitDates& split) {
  if (split.validation_end < split.train_end) {
    throw DataError("--validation-end " + format_date(split.validation_end) + " is before --train-end " +
                    format_date(split.train_end));
  }
  const auto days_until = [&](std::chrono::sys_days last) {
    return static_cast<int64_t>(std::ranges::upper_bound(days, last) - days.begin());
  };
  const int64_t train = days_until(split.train_end);
  const int64_t validation = days_until(split.validation_end);
  return {{0, train}, {train, validation}, {validation, std::ssize(days)}};
}

std::vector<int64_t> batch_starts(const Splits& splits, int64_t lookback, int64_t batch) {
  std::vector<int64_t> starts;
  for (int64_t s = splits.train.begin + lookback; s < splits.train.end - batch - 1; s += batch) starts.push_back(s);
  if (starts.empty()) {
    throw std::invalid_argument("the training split has " + std::to_string(splits.train.size()) +
                                " days: too few for a batch of " + std::to_string(batch) + " after a lookback of " +
                                std::to_string(lookback));
  }
  return starts;
}

namespace {

// The data without standardisation.
PortfolioData raw_portfolio_data(const PriceTable& prices, const SplitDates& split, int64_t lookback) {
  PortfolioData data;
  data.relatives = price_relatives(prices);
  data.days.assign(prices.dates.begin() + 1, prices.dates.end());
  data.tickers = prices.tickers;
  data.lookback = lookback;
  data.features = portfolio_features(data.relatives.array() - 1, lookback);
  data.splits = splits_of(data.days, split);
  return data;
}

}  // namespace

PortfolioData make_portfolio_data(const PriceTable& prices, const SplitDates& split, int64_t lookback,
                                  FeaturePooling pooling) {
  PortfolioData data = raw_portfolio_data(prices, split, lookback);
  const int64_t train = data.splits.train.size();
  if (train == 0) throw DataError(train_days_text(data, split));
  data.standardisation = Standardisation::fit(data.features.topRows(train), kFeatureScaleFloor);
  if (pooling == FeaturePooling::assets) data.standardisation = data.standardisation.pooled(data.relatives.cols());
  data.standardisation.apply(data.features);
  return data;
}

PortfolioData make_portfolio_data(const PriceTable& prices, const SplitDates& split, int64_t lookback,
                                  const Standardisation& given) {
  PortfolioData data = raw_portfolio_data(prices, split, lookback);
  data.standardisation = given;
  data.standardisation.apply(data.features);
  return data;
}

void check_splits(const PortfolioData& data, const SplitDates& split, int64_t batch) {
  // A batch needs a whole window before it and one day after it, for its last return.
  const int64_t least_train = data.lookback + batch + 2;
  // A standard deviation needs two returns, which follow from the decisions of three days.
  constexpr int64_t kLeastDecisions = 3;
  const auto fail = [&](const std::string& what) { throw DataError(span_text(data) + what); };
  if (data.splits.train.size() < least_train) {
    throw DataError(train_days_text(data, split) + ", where a lookback of " + std::to_string(data.lookback) +
                    " and a batch of " + std::to_string(batch) + " need " + std::to_string(least_train));
  }
  if (data.splits.validation.size() < kLeastDecisions) {
    fail(days_text(data.splits.validation.size()) + " after " + format_date(split.train_end) + " up to " +
         format_date(split.validation_end) + " (--validation-end) for validation, which needs " +
         std::to_string(kLeastDecisions));
  }
  if (data.splits.test.size() < kLeastDecisions) {
    fail(days_text(data.splits.test.size()) + " after " + format_date(split.validation_end) +
         " (--validation-end) for the test, which needs " + std::to_string(kLeastDecisions));
  }
}

void check_splits(const DispatchData& data) {
  const Splits& splits = data.splits;
  if (splits.validation.size() > 0 && splits.test.size() > 0) return;
  throw DataError(std::to_string(data.hours.size()) + " hours are too few: " + std::to_string(splits.train.end) +
                  " for training, " + std::to_string(splits.validation.size()) + " for validation, " +
                  std::to_string(splits.test.size()) + " for the test");
}

Splits splits_of(int64_t hours, const FractionSplit& split, int64_t history) {
  if (!(split.train > 0 && split.validation >= 0 && split.train + split.validation <= 1)) {
    throw DataError("the splits must be shares of 1, not " + std::to_string(split.train) + " and " +
                    std::to_string(split.validation));
  }
  const auto train = static_cast<int64_t>(split.train * static_cast<double>(hours));
  const auto validation = static_cast<int64_t>((split.train + split.validation) * static_cast<double>(hours));
  if (history < 1 || train <= history) {
    throw DataError("a history of " + std::to_string(history) + " hours (--history) with " + std::to_string(train) +
                    " hours of training, of " + std::to_string(hours) + " in all");
  }
  return {{history, train}, {train, validation}, {validation, hours}};
}

DispatchData make_dispatch_data(const DemandTable& table, const FractionSplit& split, int64_t history,
                                const Standardisation* given) {
  check_demand(table);
  DispatchData data;
  data.splits = splits_of(std::ssize(table.hours), split, history);
  data.hours = table.hours;
  data.zones = table.zones;
  data.history = history;
  data.demand = table.demand;
  data.calendar = calendar_features(table.hours);
  data.supply = supply(table.demand);
  data.standardisation =
      given != nullptr ? *given : Standardisation::fit(table.demand.topRows(data.splits.train.end), kDemandScaleFloor);
  data.normalised = table.demand;
  data.standardisation.apply(data.normalised);
  return data;
}

}  // namespace softradial::study
