// Sweeps without training: which trials are wanted, and the store that keeps their results.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <random>
#include <set>
#include <thread>

#include "files/errors.hpp"
#include "files/gzip.hpp"
#include "files/sha256.hpp"
#include "program/temp_dir.hpp"
#include "sweep/results_store.hpp"
#include "sweep/scheduler.hpp"
#include "sweep/simulation.hpp"
#include "sweep/trial_plan.hpp"
#include "sweep/worker_messages.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;
using test::TempDir;
using Access = SqliteFile::Access;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::shared_ptr<const Problem> small_problem() {
  return problem_of({{"task", "portfolio"},
                     {"names", {"A", "B"}},
                     {"set", {{"type", "simplex"}, {"dim", 2}}},
                     {"data", {{"source", "prices.csv"}, {"sha256", "12"}}}});
}

Configuration candidate(int hidden, std::int64_t epochs = 45) {
  const json config = {{"method", "dc3"}, {"hidden", hidden}, {"epochs", epochs}, {"prices", "prices.csv"},
                       {"seed", 0},       {"seeds", 5},       {"threads", 1}};
  return configuration_of(small_problem(), config, "cap=0.1", "hidden=" + std::to_string(hidden));
}

Group group_of(int candidates, int seeds) {
  Group group{.setting = "cap=0.1", .method = "dc3", .first_seed = 7, .seeds = seeds, .candidates = {}};
  for (int k = 0; k < candidates; ++k) group.candidates.push_back(candidate(k + 1));
  return group;
}

FinishedTrial finished(const Configuration& configuration, std::uint64_t seed, double selection) {
  FinishedTrial trial{.configuration = configuration, .seed = seed, .outcome = {}};
  trial.outcome.end = "finished";
  trial.outcome.started = "2026-01-01T00:00:00Z";
  trial.outcome.epochs = 2;
  trial.outcome.selection = selection;
  trial.outcome.violation = 1e-17;
  trial.outcome.metrics = {{"validation", "sharpe", selection}, {"test", "sharpe", selection / 3}};
  trial.outcome.history = {{-0.1, selection / 7}, {-0.2, selection}};
  return trial;
}

TrialFile file_of(const std::string& name, const std::string& text) {
  return {.name = name,
          .size = static_cast<std::int64_t>(text.size()),
          .sha256 = sha256_of(text),
          .gzip = gzipped(text, 1)};
}

// The decisions of a trial: any text that belongs to it alone.
std::string decisions_of(const Configuration& configuration, std::uint64_t seed) {
  return configuration.parameters + " seed=" + std::to_string(seed) + std::string(5000, 'x');
}

FinishedTrial with_files(FinishedTrial trial) {
  trial.outcome.files = {file_of("decisions.csv", decisions_of(trial.configuration, trial.seed)),
                         file_of("outcomes.csv", "date,split\n")};
  return trial;
}

FinishedTrial failed(const Configuration& configuration, std::uint64_t seed) {
  FinishedTrial trial{.configuration = configuration, .seed = seed, .outcome = {}};
  trial.outcome.failure = "the loss was not finite in epoch 3";
  return trial;
}

void begin(ResultsStore& store) {
  store.begin_session({{"version", "1"}, {"machine", {{"cores", 2}}}, {"started", "2026-01-01T00:00:00Z"}});
}

std::vector<json> all_trials(ResultsStore& store) {
  std::vector<json> out;
  store.each({}, true, [&](const json& trial) { out.push_back(trial); });
  return out;
}

// ---- what makes two trials the same

TEST(SweepConfiguration, TheSameDataAreTheSameWhereverTheirFileLies) {
  json config = candidate(3).config;
  config["prices"] = "/elsewhere/prices.csv";
  EXPECT_EQ(configuration_of(small_problem(), config, "", "").key, candidate(3).key);
  config["hidden"] = 4;
  EXPECT_NE(configuration_of(small_problem(), config, "", "").key, candidate(3).key);
}

TEST(SweepConfiguration, TrainingsThatDifferInTheirLengthShareACheckpoint) {
  const Configuration longer = candidate(3);
  const Configuration shorter = with_epochs(longer, 5);
  EXPECT_NE(shorter.key, longer.key);
  EXPECT_EQ(shorter.key, candidate(3, 5).key);
  EXPECT_EQ(training_key(shorter, 1), training_key(longer, 1));
  EXPECT_NE(training_key(longer, 1), training_key(longer, 2));
  EXPECT_NE(training_key(longer, 1), training_key(candidate(4), 1));
}

// ---- the plan

// Answers every wanted trial with `value` until nothing is wanted; the stages in order.
template <class Value>
std::vector<Stage> played(const Group& group, const Search& search, TrialResults& results, const Value& value) {
  std::vector<Stage> stages;
  while (true) {
    Stage stage = next_stage(group, search, results);
    if (stage.missing.empty()) return stages;
    for (const PlannedTrial& trial : stage.missing) {
      const bool is_new = results.emplace(TrialId{trial.configuration.key, trial.seed}, value(trial)).second;
      EXPECT_TRUE(is_new) << "a trial is wanted twice";
    }
    stages.push_back(std::move(stage));
  }
}

int hidden_of(const PlannedTrial& trial) { return trial.configuration.config.at("hidden").get<int>(); }

TEST(SweepPlan, TheBestCandidateOnValidationGetsTheOtherSeeds) {
  const Group group = group_of(5, 4);
  TrialResults results;
  const auto stages = played(group, {}, results, [](const PlannedTrial& trial) {
    return TrialResult{.failed = false, .selection = -std::abs(hidden_of(trial) - 3.0)};
  });
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].missing.size(), 5U);
  for (const PlannedTrial& trial : stages[0].missing) EXPECT_EQ(trial.seed, 7U);
  ASSERT_EQ(stages[1].missing.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(hidden_of(stages[1].missing[k]), 3);
    EXPECT_EQ(stages[1].missing[k].seed, 8 + k);
  }
  EXPECT_EQ(results.size(), size_of(group, {}).trials);
}

TEST(SweepPlan, WhatFailedOrIsNoNumberIsNeverChosen) {
  const Group group = group_of(4, 2);
  TrialResults results;
  const auto stages = played(group, {}, results, [](const PlannedTrial& trial) -> TrialResult {
    if (hidden_of(trial) == 1) return {.failed = true, .selection = 100};
    if (hidden_of(trial) == 2) return {.failed = false, .selection = kNaN};
    return {.failed = false, .selection = -5};  // of equals, the first
  });
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(hidden_of(stages[1].missing[0]), 3);
  EXPECT_EQ(next_stage(group, {}, results).failed, 1U);
}

TEST(SweepPlan, AGroupInWhichAllFailedIsDone) {
  const Group group = group_of(3, 5);
  TrialResults results;
  EXPECT_EQ(played(group, {}, results, [](const PlannedTrial&) { return TrialResult{.failed = true}; }).size(), 1U);
}

TEST(SweepPlan, HalvingKeepsTheBestThirdAndGoesOnThreeTimesAsLong) {
  const Group group = group_of(10, 2);
  const Search search{.kind = SearchKind::halving, .first_epochs = 5, .keep = 3};
  TrialResults results;
  const auto stages = played(group, search, results, [](const PlannedTrial& trial) {
    return TrialResult{.failed = false, .selection = static_cast<double>(hidden_of(trial) % 7)};
  });
  std::vector<std::pair<std::size_t, std::int64_t>> rounds;
  for (const Stage& stage : stages) {
    rounds.emplace_back(stage.missing.size(), stage.missing[0].configuration.epochs());
    EXPECT_EQ(stage.missing[0].may_go_on, stage.missing[0].configuration.epochs() < 45);
  }
  EXPECT_EQ(rounds, (std::vector<std::pair<std::size_t, std::int64_t>>{{10, 5}, {4, 15}, {2, 45}, {1, 45}}));
  std::set<int> kept;
  for (const PlannedTrial& trial : stages[1].missing) kept.insert(hidden_of(trial));
  EXPECT_EQ(kept, (std::set<int>{3, 4, 5, 6}));
  EXPECT_EQ(hidden_of(stages[3].missing[0]), 6);
  EXPECT_EQ(results.size(), size_of(group, search).trials);
}

TEST(SweepPlan, CandidatesMayDifferInTheirEpochs) {
  Group group = group_of(0, 3);
  for (const int epochs : {5, 20, 10}) group.candidates.push_back(candidate(1, epochs));
  TrialResults results;
  const auto stages = played(group, {}, results, [](const PlannedTrial& trial) {
    EXPECT_EQ(trial.epochs, trial.configuration.epochs());
    return TrialResult{.failed = false, .selection = static_cast<double>(trial.epochs)};
  });
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].missing.size(), 3U);
  ASSERT_EQ(stages[1].missing.size(), 2U);
  EXPECT_EQ(stages[1].missing[0].configuration.key, candidate(1, 20).key);
  EXPECT_EQ(results.size(), size_of(group, {}).trials);
  EXPECT_EQ(size_of(group, {}).epochs, 5 + 20 + 10 + 2 * 20);
}

TEST(SweepPlan, WhatIsThereIsNotWantedAgain) {
  const Group group = group_of(6, 3);
  const auto value = [](const PlannedTrial& trial) {
    return TrialResult{.failed = false, .selection = std::sin(hidden_of(trial))};
  };
  for (const Search& search : {Search{}, Search{.kind = SearchKind::halving, .first_epochs = 5, .keep = 2}}) {
    TrialResults whole;
    played(group, search, whole, value);
    std::mt19937 random(1);
    for (int round = 0; round < 20; ++round) {
      TrialResults some;
      for (const auto& each : whole) {
        if (random() % 2 == 0) some.insert(each);
      }
      played(group, search, some, value);
      EXPECT_EQ(some.size(), whole.size());
    }
  }
}

TEST(SweepPlan, ARandomPartIsTheSameForTheSameSeed) {
  EXPECT_EQ(drawn(100, 10, 1), drawn(100, 10, 1));
  EXPECT_NE(drawn(100, 10, 1), drawn(100, 10, 2));
  const auto some = drawn(100, 10, 3);
  EXPECT_EQ(std::set<std::size_t>(some.begin(), some.end()).size(), 10U);
  EXPECT_LT(some.back(), 100U);
  EXPECT_EQ(drawn(5, 0, 1).size(), 5U);
  EXPECT_EQ(drawn(5, 9, 1).size(), 5U);
  // Every number has its turn.
  std::vector<int> counts(10);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    for (const std::size_t k : drawn(10, 3, seed)) ++counts[k];
  }
  for (const int count : counts) EXPECT_NEAR(count, 600, 100);
}

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

double no_time() { return 0; }

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

// ---- the store

TEST(SweepStore, NumbersComeBackToTheBit) {
  const TempDir dir;
  {
    ResultsStore store(dir.path("s.sqlite"), Access::write);
    begin(store);
    const FinishedTrial trials[] = {finished(candidate(1), 7, 1.0 / 3), finished(candidate(1), 8, kNaN)};
    store.save(trials);
  }
  ResultsStore store(dir.path("s.sqlite"), Access::read);
  const auto trials = all_trials(store);
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0]["selection"], 1.0 / 3);
  EXPECT_EQ(trials[0]["test"]["sharpe"], 1.0 / 3 / 3);
  EXPECT_EQ(trials[0]["history"][0]["validation"], 1.0 / 3 / 7);
  EXPECT_EQ(trials[0]["violation"], 1e-17);
  EXPECT_EQ(trials[0]["config"]["hidden"], 1);
  EXPECT_EQ(trials[0]["data"]["sha256"], "12");
  EXPECT_EQ(trials[0]["version"], "1");
  EXPECT_TRUE(trials[1]["selection"].is_null());
  const TrialResults results = store.results();
  EXPECT_EQ(results.at({candidate(1).key, 7}).selection, 1.0 / 3);
  EXPECT_TRUE(std::isnan(results.at({candidate(1).key, 8}).selection));
}

TEST(SweepStore, AFinishedTrialIsNeverReplacedAndAFailedOneMayBe) {
  const TempDir dir;
  ResultsStore store(dir.path("s.sqlite"), Access::write);
  begin(store);
  const FinishedTrial bad[] = {failed(candidate(1), 7)};
  const FinishedTrial good[] = {finished(candidate(1), 7, 0.5)};
  store.save(bad);
  EXPECT_TRUE(store.results().at({candidate(1).key, 7}).failed);
  store.save(good);
  const auto trials = all_trials(store);
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0]["status"], "finished");
  EXPECT_EQ(trials[0]["attempts"], 2);
  // Nothing of a batch with a trial that is there already is saved.
  const FinishedTrial again[] = {finished(candidate(2), 7, 0.1), finished(candidate(1), 7, 0.9)};
  EXPECT_THROW(store.save(again), DataError);
  EXPECT_EQ(store.results().size(), 1U);
  EXPECT_EQ(store.results().at({candidate(1).key, 7}).selection, 0.5);
}

TEST(SweepStore, GroupsComeBackInOrderAndAreReplaced) {
  const TempDir dir;
  ResultsStore store(dir.path("s.sqlite"), Access::write);
  SweepPlan plan{.name = "small", .search = {}, .groups = {group_of(3, 5)}};
  store.add_groups({stored(plan, plan.groups[0])}, plan.groups[0].candidates);
  plan.groups[0].candidates.erase(plan.groups[0].candidates.begin());
  store.add_groups({stored(plan, plan.groups[0])}, plan.groups[0].candidates);
  const auto groups = store.groups();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].candidates, (std::vector<std::string>{candidate(2).key, candidate(3).key}));
  EXPECT_EQ(groups[0].seeds, 5);
}

TEST(SweepStore, OtherFilesAreRefused) {
  const TempDir dir;
  const std::string text = dir.write("text", std::string(5000, 'x'));
  for (const Access access : {Access::read, Access::write}) EXPECT_THROW(ResultsStore(text, access), DataError);
  EXPECT_THROW(ResultsStore(dir.path("absent"), Access::read), DataError);
  EXPECT_FALSE(std::filesystem::exists(dir.path("absent")));
  {
    SqliteFile other(dir.path("other"), Access::write);
    other.run("CREATE TABLE t (x)");
  }
  EXPECT_THROW(ResultsStore(dir.path("other"), Access::write), DataError);
  { const ResultsStore store(dir.path("s"), Access::write); }
  {
    SqliteFile newer(dir.path("s"), Access::write);
    newer.run("PRAGMA user_version = 99");
  }
  EXPECT_THROW(ResultsStore(dir.path("s"), Access::read), DataError);
}

TEST(SweepStore, MergeAddsWhatIsMissing) {
  const TempDir dir;
  ResultsStore ours(dir.path("ours"), Access::write);
  begin(ours);
  const FinishedTrial here[] = {finished(candidate(1), 7, 0.1), finished(candidate(2), 7, 0.2), failed(candidate(3), 7),
                                failed(candidate(4), 7)};
  ours.save(here);
  {
    ResultsStore theirs(dir.path("theirs"), Access::write);
    begin(theirs);
    const SweepPlan plan{.name = "small", .search = {}, .groups = {group_of(5, 5)}};
    theirs.add_groups({stored(plan, plan.groups[0])}, plan.groups[0].candidates);
    const FinishedTrial there[] = {finished(candidate(5), 7, 0.5), finished(candidate(1), 7, 0.1),
                                   finished(candidate(2), 7, 0.3), finished(candidate(3), 7, 0.4),
                                   failed(candidate(4), 7)};
    theirs.save(there);
  }
  const MergeCount count = ours.merge(dir.path("theirs"));
  EXPECT_EQ(count.added, 2);
  EXPECT_EQ(count.same, 2);
  EXPECT_EQ(count.different, 1);
  const TrialResults results = ours.results();
  EXPECT_EQ(results.size(), 5U);
  EXPECT_EQ(results.at({candidate(2).key, 7}).selection, 0.2);  // ours
  EXPECT_EQ(results.at({candidate(3).key, 7}).selection, 0.4);  // theirs finished
  EXPECT_EQ(results.at({candidate(5).key, 7}).selection, 0.5);
  for (const json& trial : all_trials(ours)) {
    EXPECT_EQ(trial["history"].size(), trial["status"] == "finished" ? 2U : 0U) << trial["id"];
  }
  EXPECT_EQ(ours.groups().at(0).candidates.size(), 5U);
  // Once more changes nothing.
  EXPECT_EQ(ours.merge(dir.path("theirs")).added, 0);
  EXPECT_EQ(ours.results().size(), 5U);
  EXPECT_THROW(ours.merge(dir.path("ours")), DataError);
}

// ---- the files of trials

// The trials that have files, as "hidden=3 7". What they hold is theirs.
std::set<std::string> trials_with_files(ResultsStore& store) {
  std::set<std::string> out;
  for (const json& trial : all_trials(store)) {
    const auto id = trial.at("id").get<std::int64_t>();
    const std::vector<WrittenFile> files = store.read_files(id);
    EXPECT_EQ(files.size(), store.files_of(id).size());
    if (files.empty()) continue;
    const auto seed = trial.at("seed").get<std::uint64_t>();
    const int hidden = trial.at("config").at("hidden").get<int>();
    EXPECT_EQ(files.at(0).name, "decisions.csv");
    EXPECT_EQ(files.at(0).text, decisions_of(candidate(hidden), seed));
    EXPECT_EQ(files.at(1).name, "outcomes.csv");
    out.insert(std::to_string(hidden) + " " + std::to_string(seed));
  }
  return out;
}

// The validation of a candidate, with ties; one has failed and one is no number.
TrialOutcome outcome_of(const Configuration& configuration, std::uint64_t seed) {
  const int hidden = configuration.config.at("hidden").get<int>();
  if (hidden == 3) return failed(configuration, seed).outcome;
  FinishedTrial trial = finished(configuration, seed, hidden == 5 ? kNaN : -std::abs(hidden - 8.5));
  return trial.outcome;
}

// Two groups of twelve candidates that share four. The best of the first are 8 and 9, the same: 8 is chosen. That of the
// second, 9 ... 20, is 9.
SweepPlan two_groups(KeptDecisions decisions) {
  SweepPlan plan{.name = "two", .search = {}, .decisions = decisions, .groups = {group_of(12, 3), group_of(0, 2)}};
  plan.groups[1].setting = "other";
  for (int k = 8; k < 20; ++k) plan.groups[1].candidates.push_back(candidate(k + 1));
  return plan;
}

// The plan with workers whose trials end in an order by chance. It is stopped after `stop_after` trials.
void play_by_chance(const SweepPlan& plan, ResultsStore& store, std::mt19937& random, int workers, int stop_after) {
  std::atomic<bool> stop = false;
  int begun = 0;
  SimulatedWorkers simulated(
      workers,
      [&](const TrialOrder& order) {
        const Configuration each = configuration_of(small_problem(), order.config, {}, {});
        const auto seed = order.config.at("seed").get<std::uint64_t>();
        const Configuration known = candidate(each.config.at("hidden").get<int>());
        SimulatedWorkers::Trial trial{.seconds = static_cast<double>(1 + random() % 100),
                                      .outcome = outcome_of(known, seed)};
        const bool recorded = order.record_from && !(trial.outcome.selection < *order.record_from);
        if (recorded && !trial.outcome.failed()) {
          trial.outcome.files = with_files({.configuration = known, .seed = seed, .outcome = {}}).outcome.files;
        }
        if (++begun >= stop_after) stop = true;
        return trial;
      },
      no_time);
  static_cast<void>(run_sweep(plan, store, simulated, false, {.progress = {}, .stop = &stop}));
}

TEST(SweepFiles, ThoseOfTheChosenAreKeptWhateverTheOrderAndTheInterruptions) {
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    const TempDir dir;
    const SweepPlan plan = two_groups(KeptDecisions::chosen);
    const int workers = 1 + static_cast<int>(random() % 6);
    std::size_t before = 1;
    for (std::size_t now = 0; now != before;) {
      before = now;
      ResultsStore store(dir.path("s"), Access::write);
      begin(store);
      for (const Group& group : plan.groups) store.add_groups({stored(plan, group)}, group.candidates);
      play_by_chance(plan, store, random, workers, round % 2 == 0 ? 1000 : 1 + static_cast<int>(random() % 7));
      now = store.results().size();
    }
    ResultsStore store(dir.path("s"), Access::read);
    EXPECT_EQ(store.results().size(), 20U + 2 + 1);
    EXPECT_EQ(trials_with_files(store), (std::set<std::string>{"8 7", "8 8", "8 9", "9 7", "9 8"})) << round;
  }
}

TEST(SweepFiles, AllOrNoneAreKeptOnRequest) {
  std::mt19937 random(2);
  const TempDir dir;
  for (const KeptDecisions decisions : {KeptDecisions::all, KeptDecisions::none}) {
    const SweepPlan plan = two_groups(decisions);
    ResultsStore store(dir.path(word_of(decisions)), Access::write);
    begin(store);
    for (const Group& group : plan.groups) store.add_groups({stored(plan, group)}, group.candidates);
    play_by_chance(plan, store, random, 3, 1000);
    EXPECT_EQ(trials_with_files(store).size(), decisions == KeptDecisions::all ? 22U : 0U) << "one has failed";
    EXPECT_EQ(store.groups().at(0).decisions, decisions);
  }
}

// A candidate that failed and succeeds at last may be the best after all.
TEST(SweepFiles, ThoseOfTheOldChoiceGoWhenItChanges) {
  const TempDir dir;
  ResultsStore store(dir.path("s"), Access::write);
  begin(store);
  const SweepPlan plan{.name = "small", .search = {}, .groups = {group_of(3, 2)}};
  store.add_groups({stored(plan, plan.groups[0])}, plan.groups[0].candidates);
  const FinishedTrial before[] = {with_files(finished(candidate(1), 7, 0.1)),
                                  with_files(finished(candidate(2), 7, 0.2)), failed(candidate(3), 7),
                                  with_files(finished(candidate(2), 8, 0.2))};
  store.save(before);
  EXPECT_EQ(trials_with_files(store), (std::set<std::string>{"2 7", "2 8"}));
  const FinishedTrial again[] = {with_files(finished(candidate(3), 7, 0.3))};
  store.save(again);
  EXPECT_EQ(trials_with_files(store), (std::set<std::string>{"3 7"}));
}

// The tasks of an array keep what was the best of their own trials; the store into which they are merged knows the groups.
TEST(SweepFiles, AMergeKeepsThoseOfTheChosenInAnyOrder) {
  for (const bool first_part_first : {true, false}) {
    const TempDir dir;
    const SweepPlan plan{.name = "small", .search = {}, .groups = {group_of(4, 2)}};
    for (const int part : {0, 1}) {
      ResultsStore store(dir.path(std::to_string(part)), Access::write);
      begin(store);
      std::vector<FinishedTrial> trials = {with_files(finished(candidate(1 + part), 7, 0.1 + part)),
                                           with_files(finished(candidate(3 + part), 7, 0.3))};
      // The other seeds of the chosen one, which the other part knows.
      for (std::uint64_t seed = 8; part == 0 && seed < 10; ++seed) {
        trials.push_back(with_files(finished(candidate(2), seed, 0.5)));
      }
      store.save(trials);
      EXPECT_EQ(trials_with_files(store).size(), trials.size()) << "no group lets them go";
    }
    ResultsStore store(dir.path("all"), Access::write);
    begin(store);
    store.add_groups({stored(plan, plan.groups[0])}, plan.groups[0].candidates);
    for (const int part : {0, 1}) store.merge(dir.path(std::to_string(first_part_first ? part : 1 - part)));
    // Seed 9 is none of the group's.
    EXPECT_EQ(trials_with_files(store), (std::set<std::string>{"2 7", "2 8"}));
  }
}

// A trial that is in both, with the same numbers: its files are as good as ours.
TEST(SweepFiles, AMergeBringsFilesThatOursLacks) {
  const TempDir dir;
  {
    ResultsStore theirs(dir.path("theirs"), Access::write);
    begin(theirs);
    const FinishedTrial trials[] = {with_files(finished(candidate(1), 7, 0.1)),
                                    with_files(finished(candidate(2), 7, 0.2))};
    theirs.save(trials);
  }
  ResultsStore ours(dir.path("ours"), Access::write);
  begin(ours);
  const FinishedTrial trials[] = {finished(candidate(1), 7, 0.1), finished(candidate(2), 7, 0.3)};
  ours.save(trials);
  const MergeCount count = ours.merge(dir.path("theirs"));
  EXPECT_EQ(count.added, 0);
  EXPECT_EQ(trials_with_files(ours), (std::set<std::string>{"1 7"}));
  ours.merge(dir.path("theirs"));
  EXPECT_EQ(trials_with_files(ours), (std::set<std::string>{"1 7"}));
}

TEST(SweepFiles, DamageIsToldAndNoNameLeavesTheFolder) {
  for (const char* damage :
       {"gzip = substr(gzip, 1, 30) || x'FF' || substr(gzip, 32)", "gzip = x'00'", "size = size + 1", "size = -1",
        "size = 1e18", "sha256 = 'a' || substr(sha256, 2) || 'b'", "name = '../x.csv'", "name = '.x'", "name = ''"}) {
    const TempDir dir;
    {
      ResultsStore store(dir.path("s"), Access::write);
      begin(store);
      const FinishedTrial trials[] = {with_files(finished(candidate(1), 7, 0.1))};
      store.save(trials);
    }
    {
      SqliteFile file(dir.path("s"), Access::write);
      file.run(std::string("UPDATE trial_file SET ") + damage + " WHERE name = 'decisions.csv'");
    }
    ResultsStore store(dir.path("s"), Access::read);
    EXPECT_EQ(store.files_of(1).size(), 2U);
    EXPECT_THROW(static_cast<void>(store.read_files(1)), DataError) << damage;
  }
}

// The first version of the schema, with a sweep of two candidates that has not come to its end.
void make_first_version(const std::string& path) {
  SqliteFile file(path, Access::write);
  file.run(R"(
CREATE TABLE session (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, version TEXT NOT NULL, machine TEXT NOT NULL, started TEXT NOT NULL);
CREATE TABLE problem (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, task TEXT NOT NULL, facts TEXT NOT NULL);
CREATE TABLE configuration (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, problem INTEGER NOT NULL REFERENCES problem, method TEXT NOT NULL,
  setting TEXT NOT NULL, parameters TEXT NOT NULL, config TEXT NOT NULL);
CREATE TABLE trial (
  id INTEGER PRIMARY KEY, configuration INTEGER NOT NULL REFERENCES configuration, seed INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('finished', 'failed')), reason TEXT NOT NULL, attempts INTEGER NOT NULL,
  session INTEGER NOT NULL REFERENCES session, started TEXT NOT NULL, seconds REAL NOT NULL, first_epoch INTEGER NOT NULL,
  epochs INTEGER NOT NULL, best_epoch INTEGER NOT NULL, end TEXT NOT NULL, selection REAL, violation REAL,
  UNIQUE (configuration, seed));
CREATE TABLE metric (
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE, split TEXT NOT NULL, name TEXT NOT NULL, value REAL,
  PRIMARY KEY (trial, split, name)) WITHOUT ROWID;
CREATE TABLE epoch (
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE, epoch INTEGER NOT NULL, loss REAL, validation REAL,
  PRIMARY KEY (trial, epoch)) WITHOUT ROWID;
CREATE TABLE candidate_group (
  id INTEGER PRIMARY KEY, sweep TEXT NOT NULL, setting TEXT NOT NULL, method TEXT NOT NULL, first_seed INTEGER NOT NULL,
  seeds INTEGER NOT NULL, UNIQUE (sweep, setting, method));
CREATE TABLE candidate (
  candidate_group INTEGER NOT NULL REFERENCES candidate_group ON DELETE CASCADE, position INTEGER NOT NULL,
  configuration INTEGER NOT NULL REFERENCES configuration, PRIMARY KEY (candidate_group, position)) WITHOUT ROWID;
PRAGMA application_id = 1397904212;
PRAGMA user_version = 1;
INSERT INTO session VALUES (1, 'a', '1', '{}', '2025-01-01T00:00:00Z');)");
  const Problem problem = *small_problem();
  file.prepare("INSERT INTO problem VALUES (1, ?1, 'portfolio', ?2)").run(problem.key, problem.facts.dump());
  for (const int hidden : {1, 2}) {
    const Configuration each = candidate(hidden);
    file.prepare("INSERT INTO configuration VALUES (?1, ?2, 1, 'dc3', ?3, ?4, ?5)")
        .run(hidden, each.key, each.setting, each.parameters, each.config.dump());
  }
  file.run(R"(
INSERT INTO trial VALUES (1, 1, 7, 'finished', '', 1, 1, '', 1.5, 0, 2, 1, 'finished', 0.25, NULL);
INSERT INTO metric VALUES (1, 'test', 'sharpe', 0.125);
INSERT INTO epoch VALUES (1, 1, -0.5, 0.25);
INSERT INTO candidate_group VALUES (1, 'small', 'cap=0.1', 'dc3', 7, 2);
INSERT INTO candidate VALUES (1, 0, 1), (1, 1, 2);)");
}

TEST(SweepFiles, AStoreOfTheFirstVersionIsReadMergedAndContinued) {
  const TempDir dir;
  make_first_version(dir.path("s"));
  const auto check_old_trial = [](ResultsStore& store) {
    const json trial = all_trials(store).at(0);
    EXPECT_EQ(trial["selection"], 0.25);
    EXPECT_EQ(trial["test"]["sharpe"], 0.125);
    EXPECT_EQ(trial["history"].size(), 1U);
    EXPECT_TRUE(store.files_of(1).empty());
    EXPECT_TRUE(store.read_files(1).empty());
    ASSERT_EQ(store.groups().size(), 1U);
    EXPECT_EQ(store.groups()[0].decisions, KeptDecisions::chosen);
    EXPECT_EQ(store.groups()[0].candidates, (std::vector<std::string>{candidate(1).key, candidate(2).key}));
  };
  const auto version = [&] { return SqliteFile(dir.path("s"), Access::read).number("PRAGMA user_version"); };
  {
    ResultsStore store(dir.path("s"), Access::read);
    check_old_trial(store);
  }
  EXPECT_EQ(version(), 1) << "reading changes nothing";
  {
    ResultsStore store(dir.path("all"), Access::write);
    begin(store);
    EXPECT_EQ(store.merge(dir.path("s")).added, 1);
    check_old_trial(store);
  }
  EXPECT_EQ(version(), 1);
  {
    ResultsStore store(dir.path("s"), Access::write);
    begin(store);
    check_old_trial(store);
    const FinishedTrial trials[] = {with_files(finished(candidate(2), 7, 0.5)),
                                    with_files(finished(candidate(2), 8, 0.1))};
    store.save(trials);
  }
  EXPECT_EQ(version(), 2);
  ResultsStore store(dir.path("s"), Access::read);
  check_old_trial(store);
  EXPECT_EQ(trials_with_files(store), (std::set<std::string>{"2 7", "2 8"}));
}

// A process that saves trial after trial and tells each on a pipe, until it is killed: what it told is there.
TEST(SweepStore, WhatWasSavedSurvivesAKill) {
  const TempDir dir;
  std::mt19937 random(5);
  std::uint64_t first = 0;
  for (int round = 0; round < 10; ++round) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
      ResultsStore store(dir.path("s.sqlite"), Access::write);
      begin(store);
      for (std::uint64_t seed = first;; ++seed) {
        const FinishedTrial batch[] = {finished(candidate(1), seed, 0.5), finished(candidate(2), seed, 0.5)};
        store.save(batch);
        if (write(ends[1], &seed, sizeof seed) != sizeof seed) _exit(1);
      }
    }
    close(ends[1]);
    std::uint64_t seed = 0;
    ASSERT_EQ(read(ends[0], &seed, sizeof seed), static_cast<ssize_t>(sizeof seed));  // it has begun
    std::uint64_t told = seed + 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    while (read(ends[0], &seed, sizeof seed) == sizeof seed) told = seed + 1;
    close(ends[0]);
    ResultsStore store(dir.path("s.sqlite"), Access::write);
    const std::size_t saved = store.results().size();
    EXPECT_EQ(saved % 2, 0U) << "a part of a batch";
    EXPECT_GE(saved, 2 * told);
    EXPECT_LE(saved, 2 * (told + 1));
    first = saved / 2;
  }
}

// A limit on the size of files stands for a full disk.
TEST(SweepStore, AFullDiskLosesNothingThatWasSaved) {
  const TempDir dir;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    ResultsStore store(dir.path("s.sqlite"), Access::write);
    begin(store);
    const FinishedTrial before[] = {finished(candidate(1), 1, 0.5)};
    store.save(before);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlim_t all = limit.rlim_cur;
    limit.rlim_cur = std::filesystem::file_size(dir.path("s.sqlite-wal")) + 5000;
    setrlimit(RLIMIT_FSIZE, &limit);
    std::vector<FinishedTrial> batch;
    for (std::uint64_t seed = 2; seed < 200; ++seed) batch.push_back(finished(candidate(1), seed, 0.5));
    bool refused = false;
    try {
      store.save(batch);
    } catch (const WriteError&) {
      refused = true;
    }
    if (!refused || store.results().size() != 1) _exit(1);
    limit.rlim_cur = all;
    setrlimit(RLIMIT_FSIZE, &limit);
    store.save(batch);
    _exit(store.results().size() == 199 ? 0 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ResultsStore store(dir.path("s.sqlite"), Access::read);
  EXPECT_EQ(store.results().size(), 199U);
}

TEST(SweepStore, ReadersSeeWhatWasSavedWhileItIsWritten) {
  const TempDir dir;
  ResultsStore writer(dir.path("s.sqlite"), Access::write);
  begin(writer);
  ResultsStore reader(dir.path("s.sqlite"), Access::read);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const FinishedTrial batch[] = {finished(candidate(1), seed, 0.5)};
    writer.save(batch);
    EXPECT_EQ(reader.results().size(), seed + 1);
  }
}

}  // namespace
}  // namespace softradial::study
