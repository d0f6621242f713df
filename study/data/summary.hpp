#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/calendar.hpp"
#include "data/tables.hpp"

namespace softradial::study {

// One row of the paper's table of summary statistics; r denotes the daily simple returns of the split's days, (days, assets).
struct SplitSummary {
  std::string split;
  std::chrono::sys_days first;  // days on which the first and the last return end
  std::chrono::sys_days last;
  std::size_t days = 0;
  double mean = 0;        // 252 mean(r)
  double median = 0;      // 252 median over all days and assets
  double volatility = 0;  // sqrt(252 mean over assets of the variance), divisor days - 1
  // min over t of W_t / max_{s <= t} W_s - 1, for the wealth W of equal weights, rebalanced daily, W_0 = 1.
  double max_drawdown = 0;
  double correlation = 0;      // mean over pairs of assets; 0 if there is one asset
  double autocorrelation = 0;  // mean over assets of corr(r_t, r_{t-1})
  // Two-sample Kolmogorov-Smirnov test of the equal-weight returns of this split against those of the training split,
  // asymptotic. Empty for the training split.
  std::optional<double> ks_p_value;
};

// (days - 1, assets): r_t = p_t / p_{t-1} - 1; row t belongs to the day t + 1.
[[nodiscard]] Table simple_returns(const PriceTable& table);

// Summaries of train, validation and test. A return belongs to the day on which it ends. Throws DataError if a split has fewer
// than 3 returns.
[[nodiscard]] std::vector<SplitSummary> summarize(const PriceTable& table, const SplitDates& splits);

// The hourly demand of a split. D_t denotes the total of hour t over all zones.
struct DemandSummary {
  std::string split;
  std::chrono::local_seconds first;
  std::chrono::local_seconds last;
  std::size_t hours = 0;
  double mean = 0;                // mean of D_t
  double peak = 0;                // max D_t
  double busiest = 0;             // largest share of one zone in the demand of the split
  double idle = 0;                // share of zones and hours without any demand
  double daily_correlation = 0;   // corr(D_t, D_{t-24}); 0 if the split is shorter
  double weekly_correlation = 0;  // corr(D_t, D_{t-168})
  // The served rate of shares in proportion to the demand of the hour before, without a cap: mean over the hours of sum_i
  // min(D_{t-1} s_i, d_ti) / max(D_t, 1), s_i = d_{t-1,i} / D_{t-1}. A policy without a cap has to beat it.
  double last_hour_served = 0;
};

// Summaries of train, validation and test. Throws DataError if a split has fewer than 3 hours.
[[nodiscard]] std::vector<DemandSummary> summarize(const DemandTable& table, const FractionSplit& split);

// p = 2 sum_{k >= 1} (-1)^(k-1) exp(-2 k^2 l^2), l = sqrt(n m / (n + m)) D, where D is the largest distance of the two
// empirical distribution functions.
[[nodiscard]] double kolmogorov_smirnov_p(std::vector<double> a, std::vector<double> b);

}  // namespace softradial::study
