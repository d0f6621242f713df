// One model that several processes train, each with its share of the data. Here the processes are threads.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <mutex>
#include <set>

#include "study/synthetic_tables.hpp"
#include "study/thread_team.hpp"
#include "tasks/data_share.hpp"
#include "tasks/dispatch_task.hpp"
#include "tasks/portfolio_task.hpp"
#include "training/train.hpp"

namespace softradial::study {
namespace {

using torch::Tensor;

constexpr int64_t kLookback = 4;
constexpr int64_t kBatch = 16;
constexpr int64_t kHistory = 6;
constexpr int kColumns = 5;

// Losses and metrics: a few hundred sums in another order.
constexpr double kRounding = 1e-9;
// Parameters: the last bias of a shared model shifts all of u, which softmax ignores. Its gradient is rounding, 1e-15, which Adam
// divides by its epsilon, 1e-8; 48 steps of 0.01 make 1e-7 of it at most, and as much again for sums that are larger than 1.
constexpr double kParameterRounding = 1e-6;

DecisionLayer softmax_with_penalty() {
  return {.apply = [](const Tensor& u, bool) { return torch::softmax(u, -1); },
          .input_dim = kColumns,
          .output_dim = kColumns,
          .penalty = [](const Tensor& x) { return x.square().sum(-1).mean(); }};
}

// A table in memory that remembers which of its rows were read.
template <class TableType>
class WatchedParts final : public TableParts<TableType> {
 public:
  explicit WatchedParts(TableType table) : table_(std::move(table)) { this->outline_ = table_; }

  TableType read(RowRange rows, const std::vector<std::string>& columns) override {
    for (int64_t row = rows.begin; row < rows.end; ++row) read_.insert(row);
    return with_columns(part(table_, rows), columns);
  }
  [[nodiscard]] std::size_t rows_read() const { return read_.size(); }

 private:
  static PriceTable part(const PriceTable& t, RowRange rows) {
    return {{t.dates.begin() + rows.begin, t.dates.begin() + rows.end},
            t.tickers,
            t.prices.middleRows(rows.begin, rows.size())};
  }
  static DemandTable part(const DemandTable& t, RowRange rows) {
    return {{t.hours.begin() + rows.begin, t.hours.begin() + rows.end},
            t.zones,
            t.demand.middleRows(rows.begin, rows.size())};
  }

  TableType table_;
  std::set<int64_t> read_;
};

PriceTable prices() { return prices_with_signal(360, kColumns, 5, 1); }
SplitDates dates() { return {prices().dates[200], prices().dates[280]}; }
DemandTable demand() { return random_demand(400, kColumns, 2); }

struct Trained {
  Tensor parameters;
  std::vector<EpochRecord> history;
  Standardisation standardisation;
};

Trained trained(Task& task, Team* team) {
  const TrainingResult result = train(task, {.epochs = 4, .adam = {.learning_rate = 0.01}, .seed = 3}, {.team = team});
  return {result.checkpoint.parameters, result.checkpoint.history, task.standardisation()};
}

void expect_same(const Trained& team, const Trained& alone) {
  ASSERT_EQ(team.history.size(), alone.history.size());
  for (size_t k = 0; k < alone.history.size(); ++k) {
    EXPECT_NEAR(team.history[k].loss, alone.history[k].loss, kRounding) << "epoch " << k;
    EXPECT_NEAR(team.history[k].validation, alone.history[k].validation, kRounding) << "epoch " << k;
  }
  EXPECT_LT((team.parameters - alone.parameters).abs().max().item<double>(), kParameterRounding);
  EXPECT_TRUE(team.standardisation.mean.isApprox(alone.standardisation.mean, kRounding));
  EXPECT_TRUE(team.standardisation.scale.isApprox(alone.standardisation.scale, kRounding));
}

class TeamOf : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { at::set_num_threads(1); }

  // Trains in a team: `share(team)` gives the data of a process.
  template <class TaskType, class Options, class Share>
  std::vector<Trained> train_all(const Options& options, const Share& share) {
    std::vector<Trained> all(static_cast<size_t>(GetParam()));
    ThreadTeam(GetParam()).run([&](Team& team) {
      TaskType task(share(team), options, softmax_with_penalty());
      all[static_cast<size_t>(team.rank())] = trained(task, &team);
    });
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(Processes, TeamOf, ::testing::Values(1, 2, 3, 4),
                         [](const auto& each) { return std::to_string(each.param); });

TEST_P(TeamOf, TrainsAPortfolioAsOneProcess) {
  for (const auto kind : {PortfolioModelKind::lstm, PortfolioModelKind::shared}) {
    for (const auto objective : {PortfolioObjective::net, PortfolioObjective::variance}) {
      const auto pooling = kind == PortfolioModelKind::shared ? FeaturePooling::assets : FeaturePooling::none;
      const PortfolioOptions options{
          .kind = kind, .hidden = 7, .dropout = 0.3, .batch = kBatch, .objective = objective, .dtype = torch::kDouble};
      PortfolioTask task(make_portfolio_data(prices(), dates(), kLookback, pooling), options, softmax_with_penalty());
      const Trained alone = trained(task, nullptr);
      const auto share = [&](Team& team) {
        WatchedParts<PriceTable> parts(prices());
        return share_portfolio_data(parts, prices().tickers, dates(), kLookback, kBatch, pooling, team);
      };
      for (const Trained& each : train_all<PortfolioTask>(options, share)) expect_same(each, alone);
    }
  }
}

TEST_P(TeamOf, TrainsADispatchAsOneProcess) {
  const DispatchOptions options{.hidden = 7, .dropout = 0.3, .batch = 32, .dtype = torch::kDouble};
  DispatchTask task(make_dispatch_data(demand(), {}, kHistory), options, softmax_with_penalty());
  const Trained alone = trained(task, nullptr);
  const auto share = [](Team& team) {
    WatchedParts<DemandTable> parts(demand());
    return share_dispatch_data(parts, demand().zones, {}, kHistory, team);
  };
  for (const Trained& each : train_all<DispatchTask>(options, share)) expect_same(each, alone);
}

TEST_P(TeamOf, TheFirstJudgesTheWholeValidationAndTest) {
  const PortfolioOptions options{.hidden = 4, .dropout = 0, .batch = kBatch, .dtype = torch::kDouble};
  PortfolioTask alone(make_portfolio_data(prices(), dates(), kLookback), options, softmax_with_penalty());
  at::Generator generator = at::detail::createCPUGenerator(1);
  alone.initialize(generator);
  ThreadTeam(GetParam()).run([&](Team& team) {
    WatchedParts<PriceTable> parts(prices());
    PortfolioTask task(
        share_portfolio_data(parts, prices().tickers, dates(), kLookback, kBatch, FeaturePooling::none, team), options,
        softmax_with_penalty());
    if (team.rank() != 0) return;
    task.parameters().assign(alone.parameters().values());
    for (const RowRange Splits::*split : {&Splits::validation, &Splits::test}) {
      const PortfolioEvaluation here = task.evaluate(task.splits().*split);
      const PortfolioEvaluation there = alone.evaluate(alone.splits().*split);
      EXPECT_EQ(here.weights.sizes(), there.weights.sizes());
      EXPECT_NEAR(here.metrics.sharpe, there.metrics.sharpe, kRounding);
      EXPECT_NEAR(here.metrics.turnover, there.metrics.turnover, kRounding);
    }
  });
}

// Larger batches and longer data, as a team is for: what is read twice is a window at the beginning of each run.
TEST(Team, AProcessReadsItsShareOnly) {
  const PriceTable long_prices = random_prices(4000, 3, 5);
  const DemandTable long_demand = random_demand(4000, 3, 5);
  const SplitDates split{long_prices.dates[2800], long_prices.dates[3400]};
  constexpr int kSize = 4;
  ThreadTeam(kSize).run([&](Team& team) {
    WatchedParts<PriceTable> some_prices(long_prices);
    WatchedParts<DemandTable> some_demand(long_demand);
    static_cast<void>(
        share_portfolio_data(some_prices, long_prices.tickers, split, kLookback, 400, FeaturePooling::none, team));
    static_cast<void>(share_dispatch_data(some_demand, long_demand.zones, {}, kHistory, team));
    const std::size_t judged = team.rank() == 0 ? 1200 + static_cast<std::size_t>(kHoursPerWeek) : 150;
    const std::size_t runs = 8;  // 7 batches and the validation
    EXPECT_LE(some_prices.rows_read(), 2800 / kSize + judged + runs * 4 * kLookback + 400);
    EXPECT_LE(some_demand.rows_read(), 2800 / kSize + judged + 3 * kHistory);
  });
}

TEST(Team, RefusesWhatCannotBeShared) {
  ThreadTeam(4).run([](Team& team) {
    WatchedParts<PriceTable> parts(prices());
    const auto share = [&](int64_t batch) {
      return share_portfolio_data(parts, prices().tickers, dates(), kLookback, batch, FeaturePooling::none, team);
    };
    if (team.rank() == 0) {
      EXPECT_THROW(share(7), DataError);
    } else {
      EXPECT_THROW(share(7), EndedByAnother);
    }
    const PortfolioData data = share(kBatch);
    EXPECT_THROW(PortfolioTask(data, {.batch = kBatch, .smoothing = 0.5}, softmax_with_penalty()), DataError);
    EXPECT_THROW(PortfolioTask(data, {.batch = kBatch, .anchor = PortfolioAnchor::drifted}, softmax_with_penalty()),
                 DataError);
  });
}

TEST(Team, TheFailureOfOneEndsAll) {
  ThreadTeam(3).run([](Team& team) {
    const auto fail_from_the_second_on = [&] {
      if (team.rank() >= 1) throw DataError("rank " + std::to_string(team.rank()));
    };
    try {
      together(team, fail_from_the_second_on);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const DataError& error) {
      EXPECT_EQ(team.rank(), 1) << error.what();
    } catch (const EndedByAnother&) {
      EXPECT_NE(team.rank(), 1);
    }
  });
}

TEST(Team, AllStopWhenOneIsAskedTo) {
  std::vector<TrainingEnd> ends(3);
  std::vector<int64_t> epochs(3);
  ThreadTeam(3).run([&](Team& team) {
    WatchedParts<DemandTable> parts(demand());
    DispatchTask task(share_dispatch_data(parts, demand().zones, {}, kHistory, team), {.hidden = 4},
                      softmax_with_penalty());
    const std::atomic<bool> stop = team.rank() == 2;
    const TrainingResult result = train(task, {.epochs = 100}, {.stop = &stop, .team = &team});
    ends[static_cast<size_t>(team.rank())] = result.end;
    epochs[static_cast<size_t>(team.rank())] = result.epochs;
  });
  EXPECT_EQ(ends, std::vector<TrainingEnd>(3, TrainingEnd::interrupted));
  EXPECT_EQ(epochs, std::vector<int64_t>(3, 0));
}

TEST(RowBlocks, HoldTheUnionOfTheirRanges) {
  const RowBlocks blocks({{10, 14}, {2, 5}, {4, 6}, {6, 7}, {20, 20}});
  EXPECT_EQ(blocks.ranges(), (std::vector<RowRange>{{2, 7}, {10, 14}}));
  EXPECT_EQ(blocks.size(), 9);
  EXPECT_EQ(blocks.place_of({3, 7}), (RowRange{1, 5}));
  EXPECT_EQ(blocks.place_of({11, 13}), (RowRange{6, 8}));
  EXPECT_THROW(static_cast<void>(blocks.place_of({6, 11})), std::logic_error);
}

TEST(RowBlocks, PartsOfARangeFollowEachOther) {
  for (const int size : {1, 2, 3, 7}) {
    int64_t next = 5;
    for (int rank = 0; rank < size; ++rank) {
      const RowRange part = part_of({5, 25}, rank, size);
      EXPECT_EQ(part.begin, next);
      EXPECT_GE(part.size(), 20 / size);
      next = part.end;
    }
    EXPECT_EQ(next, 25);
  }
}

TEST(Dropout, ARowDependsOnItsPlaceAlone) {
  for (const auto dtype : {torch::kFloat, torch::kDouble}) {
    for (const int64_t width : {1, 6, 7}) {
      const Dropout dropout(0.4);
      Tensor whole = torch::empty({9, width}, dtype);
      at::Generator generator = at::detail::createCPUGenerator(5);
      dropout.draw(generator, whole);
      const std::vector<int64_t> places = {7, 0, 3, 8};
      Tensor some = torch::empty({4, width}, dtype);
      generator = at::detail::createCPUGenerator(5);
      dropout.draw(generator, some, places);
      for (size_t i = 0; i < places.size(); ++i) {
        EXPECT_TRUE(torch::equal(some[static_cast<int64_t>(i)], whole[places[i]])) << width << ", row " << places[i];
      }
    }
  }
}

}  // namespace
}  // namespace softradial::study
