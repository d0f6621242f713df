// The scheduler of a sweep: how long trials take, which begin first, and the messages to workers elsewhere.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "files/errors.hpp"
#include "program/temp_dir.hpp"
#include "study/made_up_trials.hpp"
#include "sweep/configuration.hpp"
#include "sweep/results_store.hpp"
#include "sweep/scheduler.hpp"
#include "sweep/simulation.hpp"
#include "sweep/sqlite.hpp"
#include "sweep/trial_plan.hpp"
#include "sweep/trial_times.hpp"
#include "sweep/worker_messages.hpp"
#include "sweep/workers.hpp"

namespace softradial::study {
namespace {

using test::TempDir;
using Access = SqliteFile::Access;

// ---- how long trials take, and who begins

TEST(SweepTimes, ARecordedShapeIsKnownAndOthersAreScaled) {
  TrialTimes times;
  const double first = times.seconds_per_epoch(shape_of(candidate(8)));
  EXPECT_GT(first, 0);
  EXPECT_GT(times.seconds_per_epoch(shape_of(candidate(80))), first);
  times.record(shape_of(candidate(8)), 10, 5);
  EXPECT_TRUE(times.knows(shape_of(candidate(8))));
  EXPECT_FALSE(times.knows(shape_of(candidate(80))));
  EXPECT_DOUBLE_EQ(times.seconds_per_epoch(shape_of(candidate(8))), 0.5);
  EXPECT_GT(times.seconds_per_epoch(shape_of(candidate(80))), 0.5);
  times.record(shape_of(candidate(8)), 10, 15);
  EXPECT_DOUBLE_EQ(times.seconds_per_epoch(shape_of(candidate(8))), 1);
  times.record(shape_of(candidate(9)), 0, 3);  // says nothing
  EXPECT_FALSE(times.knows(shape_of(candidate(9))));
}

RecordedTrials recorded_in(const TempDir& dir, const std::vector<std::pair<Configuration, double>>& seconds) {
  ResultsStore store(dir.path("recorded"), Access::write);
  begin(store);
  std::vector<FinishedTrial> trials;
  for (const auto& [configuration, took] : seconds) {
    trials.push_back(finished(configuration, 7, 0.5));
    trials.back().outcome.epochs = configuration.epochs();
    trials.back().outcome.seconds = took;
  }
  store.save(trials);
  return recorded_trials(store);
}

// Two workers share 3 + 3 + 2 + 2 + 2 seconds: begun in the order of the grid, from 2 to 3, they would take 7.
TEST(SweepSimulation, TheLongestTrialsBeginFirst) {
  const TempDir dir;
  SweepPlan plan{.name = "small", .search = {}, .groups = {group_of(5, 1)}};
  std::vector<std::pair<Configuration, double>> seconds;
  for (const Configuration& each : plan.groups[0].candidates) seconds.emplace_back(each, seconds.size() < 3 ? 2 : 3);
  const RecordedTrials recorded = recorded_in(dir, seconds);
  ResultsStore store(dir.path("s"), Access::write);
  begin(store);
  // What the scheduler knows of times is in its store: that of an earlier sweep with another seed.
  for (const auto& [configuration, took] : seconds) {
    FinishedTrial trial = finished(configuration, 1, 0.5);
    trial.outcome.epochs = configuration.epochs();
    trial.outcome.seconds = took;
    store.save({&trial, 1});
  }
  SimulatedWorkers workers(
      2,
      [&](const TrialOrder& order) {
        const Configuration each = configuration_of(small_problem(), order.config, {}, {});
        return SimulatedWorkers::Trial{.seconds = recorded.seconds(each), .outcome = finished(each, 7, 0.5).outcome};
      },
      no_time);
  const SweepEnd end = run_sweep(plan, store, workers, false);
  EXPECT_EQ(end.trained, 5U);
  EXPECT_EQ(workers.begun(), (std::vector<double>{3, 3, 2, 2, 2}));
  EXPECT_DOUBLE_EQ(workers.seconds(), 7);
}

// Graham's bound for any list of trials, and every trial once, whatever the number of workers.
TEST(SweepSimulation, IsNeverShorterThanIdealNorMuchLonger) {
  const TempDir dir;
  SweepPlan plan{.name = "large", .search = {}, .groups = {}};
  std::vector<std::pair<Configuration, double>> seconds;
  std::mt19937 random(4);
  for (int g = 0; g < 6; ++g) {
    Group group = group_of(0, 1 + g % 5);
    group.setting = std::to_string(g);
    for (int k = 0; k < 8; ++k) {
      group.candidates.push_back(candidate(1 + g * 8 + k));
      seconds.emplace_back(group.candidates.back(), 10.0 + static_cast<double>(random() % 50) + g);
    }
    plan.groups.push_back(std::move(group));
  }
  const RecordedTrials recorded = recorded_in(dir, seconds);
  std::size_t all = 0;
  for (const Group& group : plan.groups) all += size_of(group, {}).trials;
  for (const int workers : {1, 2, 7, 100}) {
    const SimulationResult result = simulate(plan, recorded, workers, dir.path("s"), no_time);
    EXPECT_EQ(result.trials, all);
    EXPECT_LE(result.efficiency(), 1 + 1e-9) << workers;
    EXPECT_GE(result.efficiency(), workers == 1 ? 1 - 1e-9 : 0.5) << workers;
    EXPECT_FALSE(std::filesystem::exists(dir.path("s")));
  }
  const SweepPlan larger = copies_of(plan, 3);
  EXPECT_EQ(simulate(larger, recorded, 10, dir.path("s"), no_time).trials, 3 * all);
}

// Without the time of the scheduler itself.
TEST(SweepSimulation, TwentyTrialsForEachOfAHundredWorkersReach95PercentOfIdeal) {
  const TempDir dir;
  SweepPlan plan{.name = "large", .search = {}, .groups = {}};
  std::vector<std::pair<Configuration, double>> seconds;
  std::mt19937 random(4);
  for (int g = 0; g < 50; ++g) {
    Group group = group_of(0, 5);
    group.setting = std::to_string(g);
    for (int k = 0; k < 40; ++k) {
      group.candidates.push_back(candidate(1 + g * 40 + k));
      seconds.emplace_back(group.candidates.back(), 10.0 + static_cast<double>(random() % 50) + g);
    }
    plan.groups.push_back(std::move(group));
  }
  const RecordedTrials recorded = recorded_in(dir, seconds);
  EXPECT_GE(simulate(plan, recorded, 100, dir.path("s"), no_time).efficiency(), 0.95);
}

// ---- messages to workers elsewhere

TEST(SweepMessages, OrdersAndOutcomesComeBackToTheBit) {
  TrialOrder order{.config = candidate(3).config, .problem = "p", .checkpoint = "folder/x.safetensors"};
  EXPECT_FALSE(order_in(message_of(5, order)).order.record_from.has_value());
  order.record_from = -std::numeric_limits<double>::infinity();
  const AddressedOrder read = order_in(message_of(5, order));
  EXPECT_EQ(read.worker, 5);
  EXPECT_EQ(read.order.config, order.config);
  EXPECT_EQ(read.order.problem, order.problem);
  EXPECT_EQ(read.order.checkpoint, order.checkpoint);
  EXPECT_EQ(read.order.record_from, order.record_from);
  WorkerEvent event{.kind = WorkerEvent::Kind::finished, .worker = 2, .epoch = 9, .outcome = {}};
  event.outcome = finished(candidate(1), 7, 1.0 / 3).outcome;
  event.outcome->history.push_back({kNaN, std::numeric_limits<double>::infinity()});
  event.outcome->files = {file_of("decisions.csv", std::string("\0\xFF,", 3)), file_of("outcomes.csv", "")};
  const WorkerEvent back = event_in(message_of(event));
  EXPECT_EQ(back.kind, event.kind);
  EXPECT_EQ(back.worker, 2);
  EXPECT_EQ(back.epoch, 9);
  EXPECT_EQ(back.outcome->selection, 1.0 / 3);
  EXPECT_EQ(back.outcome->violation, event.outcome->violation);
  EXPECT_EQ(back.outcome->metrics, event.outcome->metrics);
  EXPECT_EQ(back.outcome->files, event.outcome->files);
  EXPECT_TRUE(std::isnan(back.outcome->history.back().loss));
  EXPECT_EQ(back.outcome->history.back().validation, std::numeric_limits<double>::infinity());
  event.outcome = {};
  event.kind = WorkerEvent::Kind::interrupted;
  EXPECT_FALSE(event_in(message_of(event)).outcome.has_value());
  const Message broken = {0xFF, 0x00};
  EXPECT_THROW(static_cast<void>(event_in(broken)), DataError);
  EXPECT_THROW(static_cast<void>(order_in(message_of(event))), DataError);
}

}  // namespace
}  // namespace softradial::study
