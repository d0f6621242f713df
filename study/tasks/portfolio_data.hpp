#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "data/price_table.hpp"
#include "data/splits.hpp"
#include "features/standardisation.hpp"
#include "tasks/row_range.hpp"

namespace softradial::study {

// Day t is the (t + 1)-th date of the prices: the first one has no return.
struct PortfolioData {
  std::vector<std::chrono::sys_days> days;
  std::vector<std::string> tickers;
  int64_t lookback = 0;
  Table relatives;  // (days, N): what one unit of an asset became on day t
  Table features;   // (days, 3N), standardised
  Standardisation standardisation;
  Splits splits;
};

// `given` are the statistics of a saved model, for new data; without them those of the training split are taken.
PortfolioData make_portfolio_data(const PriceTable& prices, const SplitDates& split, int64_t lookback,
                                  const Standardisation* given = nullptr);

}  // namespace softradial::study
