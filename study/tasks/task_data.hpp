#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/calendar.hpp"
#include "data/tables.hpp"
#include "features/features.hpp"
#include "training/team.hpp"

namespace softradial::study {

// The splits in chronological order: train, then validation, then test.
struct Splits {
  RowRange train;
  RowRange validation;
  RowRange test;
  bool operator==(const Splits&) const = default;
};

// Copies between tables and tensors of any floating type, (rows, columns).
at::Tensor to_tensor(const Table& table, at::ScalarType dtype);
Table to_table(const at::Tensor& tensor);

// The part of a portfolio's data that one process of a team has. Its table holds blocks of rows of the whole table, one after
// another. Each batch is shared out: a process decides on a run of its days and on the first day of the next run, which its
// last return needs.
struct PortfolioShare {
  Team* team = nullptr;
  RowRange rows;                // of each batch, plus the first day of the next run if there is one
  int64_t own = 0;              // how many of them are this process's own
  std::vector<int64_t> starts;  // for each batch, the row of this table where its run begins
  RowRange validation;          // rows of this table: the validation days that it decides on
};

// Day t is the (t + 1)-th date of the prices: the first date has no return.
struct PortfolioData {
  std::vector<std::chrono::sys_days> days;
  std::vector<std::string> tickers;
  int64_t lookback = 0;
  Table relatives;  // (days, N): price on day t / price on the day before
  Table features;   // (days, 3N), standardised
  Standardisation standardisation;
  Splits splits;
  std::optional<PortfolioShare> share = {};  // empty: all rows are here
};

// Whether a feature is standardised asset by asset, or with the statistics of all assets together.
enum class FeaturePooling { none, assets };

// Splits the days of returns. Throws DataError if the dates contradict each other.
Splits splits_of(const std::vector<std::chrono::sys_days>& days, const SplitDates& split);
// The first days of the training batches.
std::vector<int64_t> batch_starts(const Splits& splits, int64_t lookback, int64_t batch);

// Added to the scale of each column: a constant column becomes zero instead of NaN.
inline constexpr double kFeatureScaleFloor = 1e-8;
inline constexpr double kDemandScaleFloor = 1e-6;

// Standardises with the statistics of the training split.
PortfolioData make_portfolio_data(const PriceTable& prices, const SplitDates& split, int64_t lookback,
                                  FeaturePooling pooling = FeaturePooling::none);
// Standardises with the statistics of a saved model. No split needs to have any days.
PortfolioData make_portfolio_data(const PriceTable& prices, const SplitDates& split, int64_t lookback,
                                  const Standardisation& given);

// Throws DataError unless each split has enough days for a training with this batch. The message names the dates of the data
// and of the splits.
void check_splits(const PortfolioData& data, const SplitDates& split, int64_t batch);

// The part of a dispatch's data that one process of a team has: a run of the training hours, and one of the validation hours.
struct DispatchShare {
  Team* team = nullptr;
  RowRange train;       // hours of training, rows of the whole table
  RowRange own;         // the part of them that is here
  RowRange validation;  // rows of this table: the validation hours that it decides on
};

// Rows are hours. A decision for hour t knows the hours t - history to t - 1 and the calendar of t.
struct DispatchData {
  std::vector<std::chrono::local_seconds> hours;
  std::vector<std::string> zones;
  int64_t history = 0;
  Table demand;            // (hours, zones)
  Table normalised;        // (hours, zones), standardised demand
  Table calendar;          // (hours, 4)
  Eigen::VectorXd supply;  // (hours): S_t, the total of the hour before, at least 1
  Standardisation standardisation;
  Splits splits;                            // the training begins at hour `history`
  std::optional<DispatchShare> share = {};  // empty: all rows are here
};

// Throws DataError if there are no hours to validate or to test with.
void check_splits(const DispatchData& data);

// Splits this many hours. Throws DataError.
Splits splits_of(int64_t hours, const FractionSplit& split, int64_t history);

DispatchData make_dispatch_data(const DemandTable& demand, const FractionSplit& split = {}, int64_t history = 24,
                                const Standardisation* given = nullptr);

}  // namespace softradial::study
