// The store of a sweep: what comes back, what is refused and merged, and what survives kills and full disks.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "files/errors.hpp"
#include "program/temp_dir.hpp"
#include "study/made_up_trials.hpp"
#include "sweep/results_store.hpp"
#include "sweep/sqlite.hpp"
#include "sweep/trial_outcome.hpp"
#include "sweep/trial_plan.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;
using test::TempDir;
using Access = SqliteFile::Access;

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
