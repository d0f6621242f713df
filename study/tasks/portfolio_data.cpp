#include "tasks/portfolio_data.hpp"

#include <algorithm>
#include <stdexcept>

#include "features/portfolio_features.hpp"

namespace softradial::study {
namespace {

constexpr double kScaleFloor = 1e-8;

}  // namespace

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
  data.standardisation = given != nullptr ? *given : Standardisation::fit(data.features.topRows(train), kScaleFloor);
  data.standardisation.apply(data.features);
  return data;
}

}  // namespace softradial::study
