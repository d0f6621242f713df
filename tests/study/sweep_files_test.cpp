// The files of trials in the store of a sweep: whose decisions are kept, merged and read back.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "files/errors.hpp"
#include "program/temp_dir.hpp"
#include "study/made_up_trials.hpp"
#include "sweep/configuration.hpp"
#include "sweep/results_store.hpp"
#include "sweep/scheduler.hpp"
#include "sweep/simulation.hpp"
#include "sweep/sqlite.hpp"
#include "sweep/trial_outcome.hpp"
#include "sweep/trial_plan.hpp"
#include "sweep/workers.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;
using test::TempDir;
using Access = SqliteFile::Access;

// The decisions of a trial: any text that belongs to it alone.
std::string decisions_of(const Configuration& configuration, std::uint64_t seed) {
  return configuration.parameters + " seed=" + std::to_string(seed) + std::string(5000, 'x');
}

FinishedTrial with_files(FinishedTrial trial) {
  trial.outcome.files = {file_of("decisions.csv", decisions_of(trial.configuration, trial.seed)),
                         file_of("outcomes.csv", "date,split\n")};
  return trial;
}

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

}  // namespace
}  // namespace softradial::study
