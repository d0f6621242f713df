#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/table_parts.hpp"
#include "tasks/task_data.hpp"
#include "training/team.hpp"

// The data of a training that a team shares: each process reads only the rows that it needs.
namespace softradial::study {

// Cuts the rows into `size` nearly equal runs and returns run number `rank`.
[[nodiscard]] RowRange part_of(RowRange rows, int rank, int size);

// Rows of a table that lie in memory as one run after another.
class RowBlocks {
 public:
  // The ranges may come in any order and may overlap.
  explicit RowBlocks(std::vector<RowRange> ranges);

  [[nodiscard]] const std::vector<RowRange>& ranges() const { return ranges_; }  // increasing; no two touch
  [[nodiscard]] int64_t size() const { return size_; }
  // The place of these rows in memory. They must all lie in one run.
  [[nodiscard]] RowRange place_of(RowRange rows) const;

 private:
  std::vector<RowRange> ranges_;
  int64_t size_ = 0;
};

// The rows of one process, as make_portfolio_data and make_dispatch_data give them, for the columns with these names. Together
// the processes have all rows of training and validation. Rank 0 also has the whole of validation and test, in `splits`,
// because it judges the trained model. Throw DataError; every process of the team must call them.
[[nodiscard]] PortfolioData share_portfolio_data(PriceParts& prices, const std::vector<std::string>& tickers,
                                                 const SplitDates& split, int64_t lookback, int64_t batch,
                                                 FeaturePooling pooling, Team& team);
[[nodiscard]] DispatchData share_dispatch_data(DemandParts& demand, const std::vector<std::string>& zones,
                                               const FractionSplit& split, int64_t history, Team& team);

}  // namespace softradial::study
