#include "tasks/data_share.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "data/calendar.hpp"
#include "features/features.hpp"

namespace softradial::study {
namespace {

// Takes the rows of these ranges of the whole table from a table that holds only the blocks.
Table rows_of(const Table& table, const RowBlocks& blocks, const std::vector<RowRange>& ranges) {
  int64_t count = 0;
  for (const RowRange& range : ranges) count += range.size();
  Table out(count, table.cols());
  int64_t row = 0;
  for (const RowRange& range : ranges) {
    if (range.size() == 0) continue;
    out.middleRows(row, range.size()) = table.middleRows(blocks.place_of(range).begin, range.size());
    row += range.size();
  }
  return out;
}

// The splits that rank 0 judges, as places in its blocks.
Splits judged(const Splits& splits, const RowBlocks& blocks) {
  return {{}, blocks.place_of(splits.validation), blocks.place_of(splits.test)};
}

// The days of a portfolio that a process needs.
struct PortfolioNeeds {
  std::vector<RowRange> windows;  // days whose features are needed
  std::vector<RowRange> counted;  // training days that it adds to the statistics; each day counts in one process
  RowRange validation;            // days of validation that it decides on
};

PortfolioNeeds needs_of(const PortfolioShare& share, const std::vector<int64_t>& batches, const Splits& splits,
                        int64_t lookback, int64_t batch) {
  const int rank = share.team->rank();
  const int size = share.team->size();
  PortfolioNeeds needs;
  const auto decide = [&](RowRange days) { needs.windows.push_back({days.begin - lookback + 1, days.end}); };
  if (rank == 0) needs.counted.push_back({0, batches.front()});
  for (const int64_t first : batches) {
    decide({first + share.rows.begin, first + share.rows.end});
    needs.counted.push_back({first + share.rows.begin, first + share.rows.begin + share.own});
  }
  if (rank == size - 1) needs.counted.push_back({batches.back() + batch, splits.train.end});
  needs.windows.insert(needs.windows.end(), needs.counted.begin(), needs.counted.end());
  // A return needs the decisions of its day and of the next one.
  const RowRange returns = part_of({splits.validation.begin, splits.validation.end - 1}, rank, size);
  if (returns.size() > 0) {
    needs.validation = {returns.begin, returns.end + 1};
    decide(needs.validation);
  }
  if (rank == 0) decide({splits.validation.begin, splits.test.end});
  return needs;
}

}  // namespace

RowRange part_of(RowRange rows, int rank, int size) {
  return {rows.begin + rows.size() * rank / size, rows.begin + rows.size() * (rank + 1) / size};
}

RowBlocks::RowBlocks(std::vector<RowRange> ranges) {
  std::ranges::sort(ranges, {}, &RowRange::begin);
  for (const RowRange& range : ranges) {
    if (range.size() <= 0) continue;
    if (!ranges_.empty() && range.begin <= ranges_.back().end) {
      ranges_.back().end = std::max(ranges_.back().end, range.end);
    } else {
      ranges_.push_back(range);
    }
  }
  for (const RowRange& range : ranges_) size_ += range.size();
}

RowRange RowBlocks::place_of(RowRange rows) const {
  int64_t before = 0;
  for (const RowRange& range : ranges_) {
    if (range.begin <= rows.begin && rows.end <= range.end) {
      return {before + rows.begin - range.begin, before + rows.end - range.begin};
    }
    before += range.size();
  }
  throw std::logic_error("rows " + std::to_string(rows.begin) + " to " + std::to_string(rows.end) + " are not here");
}

PortfolioData share_portfolio_data(PriceParts& prices, const std::vector<std::string>& tickers, const SplitDates& split,
                                   int64_t lookback, int64_t batch, FeaturePooling pooling, Team& team) {
  PortfolioData data;
  PortfolioShare share{
      .team = &team, .rows = part_of({0, batch}, team.rank(), team.size()), .own = 0, .starts = {}, .validation = {}};
  std::optional<RowBlocks> blocks;
  PortfolioNeeds needs;
  together(team, [&] {
    const std::vector<std::chrono::sys_days>& dates = prices.outline().dates;
    if (dates.size() < 2) throw DataError("prices: at least two dates are needed");
    PortfolioData whole;
    whole.days.assign(dates.begin() + 1, dates.end());
    whole.lookback = lookback;
    whole.splits = splits_of(whole.days, split);
    check_splits(whole, split, batch);
    if (batch < 2 * team.size()) {
      throw DataError("--batch " + std::to_string(batch) + ": " + std::to_string(team.size()) +
                      " processes need at least two days each of a batch");
    }
    share.own = share.rows.size();
    share.rows.end = std::min(share.rows.end + 1, batch);
    const std::vector<int64_t> batches = batch_starts(whole.splits, lookback, batch);
    needs = needs_of(share, batches, whole.splits, lookback, batch);
    // The features of a day need the returns of `lookback` days before it. They are computed in blocks of that length: a run
    // that begins with a block gives the same bits as the whole table.
    std::vector<RowRange> runs;
    for (const RowRange& days : needs.windows) {
      runs.push_back({std::max<int64_t>(0, (days.begin - lookback) / lookback * lookback), days.end});
    }
    blocks.emplace(std::move(runs));

    data.tickers = tickers;
    data.lookback = lookback;
    data.relatives.resize(blocks->size(), std::ssize(tickers));
    data.features.resize(blocks->size(), 3 * std::ssize(tickers));
    for (const RowRange& run : blocks->ranges()) {
      const Table relatives = price_relatives(prices.read({run.begin, run.end + 1}, tickers));
      const RowRange place = blocks->place_of(run);
      data.relatives.middleRows(place.begin, place.size()) = relatives;
      data.features.middleRows(place.begin, place.size()) = portfolio_features(relatives.array() - 1, lookback);
      data.days.insert(data.days.end(), whole.days.begin() + run.begin, whole.days.begin() + run.end);
    }
    for (const int64_t first : batches) {
      share.starts.push_back(blocks->place_of({first + share.rows.begin, first + share.rows.end}).begin);
    }
    if (needs.validation.size() > 0) share.validation = blocks->place_of(needs.validation);
    if (team.rank() == 0) data.splits = judged(whole.splits, *blocks);
  });
  data.standardisation =
      Standardisation::fit(rows_of(data.features, *blocks, needs.counted), kFeatureScaleFloor, &team);
  if (pooling == FeaturePooling::assets) data.standardisation = data.standardisation.pooled(data.relatives.cols());
  data.standardisation.apply(data.features);
  data.share = std::move(share);
  return data;
}

DispatchData share_dispatch_data(DemandParts& demand, const std::vector<std::string>& zones, const FractionSplit& split,
                                 int64_t history, Team& team) {
  DispatchData data;
  DispatchShare share{.team = &team, .train = {}, .own = {}, .validation = {}};
  std::optional<RowBlocks> blocks;
  std::vector<RowRange> counted;
  together(team, [&] {
    const std::vector<std::chrono::local_seconds>& hours = demand.outline().hours;
    DispatchData whole;
    whole.hours = hours;
    whole.splits = splits_of(std::ssize(hours), split, history);
    check_splits(whole);
    share.train = whole.splits.train;
    share.own = part_of(share.train, team.rank(), team.size());
    const RowRange judges = part_of(whole.splits.validation, team.rank(), team.size());
    if (share.own.size() == 0) {
      throw DataError(std::to_string(share.train.size()) + " hours of training are too few for " +
                      std::to_string(team.size()) + " processes");
    }
    const auto with_history = [&](RowRange decided) { return RowRange{decided.begin - history, decided.end}; };
    std::vector<RowRange> runs = {with_history(share.own)};
    if (judges.size() > 0) runs.push_back(with_history(judges));
    if (team.rank() == 0) {
      // The baselines with which the trained model is compared look back a week.
      const int64_t before = std::max(history, kHoursPerWeek);
      runs.push_back({std::max<int64_t>(0, whole.splits.validation.begin - before), std::ssize(hours)});
      counted.push_back({0, history});
    }
    counted.push_back(share.own);
    blocks.emplace(std::move(runs));

    data.zones = zones;
    data.history = history;
    data.demand.resize(blocks->size(), std::ssize(zones));
    data.calendar.resize(blocks->size(), 4);
    data.supply.resize(blocks->size());
    for (const RowRange& run : blocks->ranges()) {
      const DemandTable part = demand.read(run, zones);
      check_demand(part);
      const RowRange place = blocks->place_of(run);
      data.demand.middleRows(place.begin, place.size()) = part.demand;
      data.calendar.middleRows(place.begin, place.size()) = calendar_features(part.hours);
      // The supply of a run's first hour is unknown, and no decision needs it.
      data.supply.segment(place.begin, place.size()) = supply(part.demand);
      data.hours.insert(data.hours.end(), part.hours.begin(), part.hours.end());
    }
    if (team.rank() == 0) data.splits = judged(whole.splits, *blocks);
    data.splits.train = blocks->place_of(share.own);
    if (judges.size() > 0) share.validation = blocks->place_of(judges);
  });
  data.standardisation = Standardisation::fit(rows_of(data.demand, *blocks, counted), kDemandScaleFloor, &team);
  data.normalised = data.demand;
  data.standardisation.apply(data.normalised);
  data.share = share;
  return data;
}

}  // namespace softradial::study
