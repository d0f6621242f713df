#include "tasks/task_data.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <stdexcept>

#include "features/features.hpp"

namespace softradial::study {
namespace {

// Added to the scale of each column: a constant column becomes zero instead of NaN.
constexpr double kFeatureScaleFloor = 1e-8;
constexpr double kDemandScaleFloor = 1e-6;

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

PortfolioData make_portfolio_data(const PriceTable& prices, const SplitDates& split, int64_t lookback,
                                  const Standardisation* given) {
  if (split.validation_end < split.train_end) throw std::invalid_argument("the validation ends before the training");
  PortfolioData data;
  data.relatives = price_relatives(prices);
  data.days.assign(prices.dates.begin() + 1, prices.dates.end());
  data.tickers = prices.tickers;
  data.lookback = lookback;
  data.features = portfolio_features(data.relatives.array() - 1, lookback);
  const auto days_until = [&](std::chrono::sys_days last) {
    return static_cast<int64_t>(std::ranges::upper_bound(data.days, last) - data.days.begin());
  };
  const int64_t train = days_until(split.train_end);
  const int64_t validation = days_until(split.validation_end);
  data.splits = {{0, train}, {train, validation}, {validation, std::ssize(data.days)}};
  data.standardisation =
      given != nullptr ? *given : Standardisation::fit(data.features.topRows(train), kFeatureScaleFloor);
  data.standardisation.apply(data.features);
  return data;
}

DispatchData make_dispatch_data(const DemandTable& table, const FractionSplit& split, int64_t history,
                                const Standardisation* given) {
  if (!(split.train > 0 && split.validation >= 0 && split.train + split.validation <= 1)) {
    throw std::invalid_argument("the splits must be shares of 1, not " + std::to_string(split.train) + " and " +
                                std::to_string(split.validation));
  }
  check_demand(table);
  const auto hours = static_cast<int64_t>(table.hours.size());
  const auto train = static_cast<int64_t>(split.train * static_cast<double>(hours));
  const auto validation = static_cast<int64_t>((split.train + split.validation) * static_cast<double>(hours));
  if (history < 1 || train <= history) {
    throw std::invalid_argument("a history of " + std::to_string(history) + " hours with " + std::to_string(train) +
                                " hours of training");
  }
  DispatchData data;
  data.hours = table.hours;
  data.zones = table.zones;
  data.history = history;
  data.demand = table.demand;
  data.calendar = calendar_features(table.hours);
  data.supply = supply(table.demand);
  data.standardisation =
      given != nullptr ? *given : Standardisation::fit(table.demand.topRows(train), kDemandScaleFloor);
  data.normalised = table.demand;
  data.standardisation.apply(data.normalised);
  data.splits = {{history, train}, {train, validation}, {validation, hours}};
  return data;
}

}  // namespace softradial::study
