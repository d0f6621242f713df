#pragma once

#include <Eigen/Core>

#include "data/tables.hpp"
#include "training/team.hpp"

namespace softradial::study {

// x -> (x - mean) / scale, column by column.
struct Standardisation {
  Eigen::VectorXd mean;
  Eigen::VectorXd scale;

  // scale = population standard deviation + floor. Fit it on the training split only, so that no statistic knows the future.
  // With a team, it is fitted on the rows of all processes together.
  static Standardisation fit(const Eigen::Ref<const Table>& rows, double floor, Team* team = nullptr);
  // Pools each block of `columns` columns: all of its columns get the statistics over all rows and columns of the block.
  [[nodiscard]] Standardisation pooled(Eigen::Index columns) const;
  void apply(Table& rows) const;  // throws if the number of columns differs
};

// y[t] = prices[t + 1] / prices[t], shape (dates - 1, tickers). Throws for a price that is not positive and finite,
// naming date and ticker.
Table price_relatives(const PriceTable& prices);

// Features of the returns r (days, N), with m_t their mean over assets. The window is the last `lookback` days up to t (fewer
// at the beginning):
//   [ r | vol | cor ]   (days, 3N),   vol = std of r_i,   cor = correlation of r_i with m      (population moments)
// A window of one day has vol = cor = 0; cor = 0 where std(r_i) std(m) <= 1e-12.
// Row t depends on days up to t only. Takes O(days N), whatever the lookback.
Table portfolio_features(const Table& returns, int64_t lookback);

// Columns sin, cos of the hour of the day (period 24) and sin, cos of the weekday (period 7, Monday = 0). (hours, 4)
Table calendar_features(const std::vector<std::chrono::local_seconds>& hours);

// S_t (hours): the total demand of the hour before, at least 1. The first hour gets 1.
Eigen::VectorXd supply(const Table& demand);

// Throws unless the demand is finite, not negative and has a row for every hour.
void check_demand(const DemandTable& table);

}  // namespace softradial::study
