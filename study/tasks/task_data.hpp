#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "data/calendar.hpp"
#include "data/tables.hpp"
#include "features/features.hpp"

namespace softradial::study {

// Rows [begin, end) of a table.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
  bool operator==(const RowRange&) const = default;
  int64_t size() const { return end - begin; }
};

// Chronological: train, then validation, then test.
struct Splits {
  RowRange train;
  RowRange validation;
  RowRange test;
  bool operator==(const Splits&) const = default;
};

// Copies between tables and tensors of any floating type, (rows, columns).
at::Tensor to_tensor(const Table& table, at::ScalarType dtype);
Table to_table(const at::Tensor& tensor);

// Day t is the (t + 1)-th date of the prices: the first one has no return.
struct PortfolioData {
  std::vector<std::chrono::sys_days> days;
  std::vector<std::string> tickers;
  int64_t lookback = 0;
  Table relatives;  // (days, N): price on day t / price on the day before
  Table features;   // (days, 3N), standardised
  Standardisation standardisation;
  Splits splits;
};

// Whether a feature is standardised asset by asset, or with the statistics of all assets together.
enum class FeaturePooling { none, assets };

// Standardises with the statistics of the training split.
PortfolioData make_portfolio_data(const PriceTable& prices, const SplitDates& split, int64_t lookback,
                                  FeaturePooling pooling = FeaturePooling::none);
// Standardises with the statistics of a saved model. No split needs to have any days.
PortfolioData make_portfolio_data(const PriceTable& prices, const SplitDates& split, int64_t lookback,
                                  const Standardisation& given);

// Throws DataError unless each split has the days that a training with this batch needs. The message names the dates of the
// data and of the splits.
void check_splits(const PortfolioData& data, const SplitDates& split, int64_t batch);

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
  Splits splits;  // the training begins at hour `history`
};

// Throws DataError if there is nothing to validate or to test with.
void check_splits(const DispatchData& data);

DispatchData make_dispatch_data(const DemandTable& demand, const FractionSplit& split = {}, int64_t history = 24,
                                const Standardisation* given = nullptr);

}  // namespace softradial::study
