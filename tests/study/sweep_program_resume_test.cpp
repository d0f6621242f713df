// Sweeps that were killed, interrupted, finished or failed before, as a user goes on with them.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"
#include "study/sweep_program_stores.hpp"

namespace softradial::test {
namespace {

using nlohmann::json;

std::function<bool()> after(std::chrono::milliseconds time) {
  return [end = std::chrono::steady_clock::now() + time] { return std::chrono::steady_clock::now() > end; };
}

// The law of this file: whatever kills a sweep, going on gives the trials of an undisturbed one, to the bit, none twice.
// Up to 50 kills, but no longer than this on a slow machine.
TEST(SweepProgram, KilledAtRandomMomentsAndResumedEqualsUndisturbed) {
  constexpr std::chrono::seconds kLongest{30};
  const TempDir dir;
  const std::string config = dir.write("kill.toml", std::string(kBase) + R"(seeds = 3
[grid]
learning-rate = [1e-3, 2e-3, 5e-3]
[method.soft_radial]
lambda = [1, 2, 5]
[method.orthogonal]
[search]
kind = "halving"
first-epochs = 1
keep = 2
)");
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(run_softradial(sweep(config, dir.path("whole"))).exit_code, 0);
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  const auto expected = outcomes_of(dir, "whole");
  // Nine candidates of soft_radial, three of orthogonal: 9, 5, 3 and 3, 2, 1, and two more seeds for each choice.
  EXPECT_EQ(expected.size(), 27U);
  const auto expected_files = files_of(dir, "whole");
  EXPECT_EQ(expected_files.size(), 2U * 3 * 2);  // two groups, three seeds
  std::mt19937 random(3);
  int killed = 0;
  std::string store = "killed";
  while (killed < 50 && std::chrono::steady_clock::now() - begin < kLongest) {
    const std::chrono::milliseconds moment(random() % static_cast<unsigned>(whole.count()));
    const auto result = run_softradial_until(after(moment), SIGKILL, sweep(config, dir.path(store), {"--resume"}));
    ASSERT_TRUE(result.exit_code == 128 + SIGKILL || result.exit_code == 0) << result.err;
    if (result.exit_code != 0) {
      ++killed;
      continue;
    }
    EXPECT_EQ(outcomes_of(dir, store), expected);
    EXPECT_EQ(files_of(dir, store), expected_files);
    store += "-again";
  }
  EXPECT_GT(killed, 0);
  ASSERT_EQ(run_softradial(sweep(config, dir.path(store), {"--resume"})).exit_code, 0);
  EXPECT_EQ(outcomes_of(dir, store), expected);
  EXPECT_EQ(files_of(dir, store), expected_files);
  EXPECT_TRUE(checkpoints_of(dir, store).empty());
}

TEST(SweepProgram, AnInterruptedTrialGoesOnFromItsCheckpoint) {
  const TempDir dir;
  const std::string config = dir.write("long.toml", R"(task = "portfolio"
[base]
prices = "synthetic:sectors"
hidden = 4
cap = 0.3
epochs = 400
)");
  ASSERT_EQ(run_softradial(sweep(config, dir.path("whole"))).exit_code, 0);
  const auto has_begun = [&] {
    return std::filesystem::exists(dir.path("stopped.trainings")) && !checkpoints_of(dir, "stopped").empty();
  };
  const auto stopped = run_softradial_until(has_begun, SIGTERM, sweep(config, dir.path("stopped")));
  ASSERT_EQ(stopped.exit_code, 4) << stopped.err;
  EXPECT_NE(stopped.err.find("--resume goes on"), std::string::npos) << stopped.err;
  EXPECT_EQ(checkpoints_of(dir, "stopped").size(), 1U);
  ASSERT_EQ(run_softradial(sweep(config, dir.path("stopped"), {"--resume"})).exit_code, 0);
  EXPECT_GT(trials_of(dir, "stopped").at(0)["first_epoch"].get<int>(), 0);
  EXPECT_EQ(outcomes_of(dir, "whole"), outcomes_of(dir, "stopped"));
  EXPECT_EQ(files_of(dir, "whole"), files_of(dir, "stopped"));
}

TEST(SweepProgram, AFinishedSweepTrainsNothingAgainAndMoreSeedsAreAdded) {
  const TempDir dir;
  const std::string config = dir.write("s.toml", std::string(kBase) + "seeds = 2\n");
  ASSERT_EQ(run_softradial(sweep(config, dir.path("s"))).exit_code, 0);
  const auto refused = run_softradial(sweep(config, dir.path("s")));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--resume"), std::string::npos) << refused.err;
  const auto before = outcomes_of(dir, "s");
  ASSERT_EQ(run_softradial(sweep(config, dir.path("s"), {"--resume"})).exit_code, 0);
  EXPECT_EQ(outcomes_of(dir, "s"), before);
  for (const json& trial : trials_of(dir, "s")) EXPECT_EQ(trial["attempts"], 1);
  const std::string more = dir.write("s.toml", std::string(kBase) + "seeds = 3\n");
  ASSERT_EQ(run_softradial(sweep(more, dir.path("s"), {"--resume"})).exit_code, 0);
  EXPECT_EQ(outcomes_of(dir, "s").size(), before.size() + 1);
}

TEST(SweepProgram, ASecondSweepOnTheSameStoreIsRefusedAndToldByWhom) {
  const TempDir dir;
  const std::string config = dir.write("long.toml", R"(task = "portfolio"
[base]
prices = "synthetic:sectors"
epochs = 100000
)");
  ChildResult second;
  const auto other_tried = [&] {
    if (!std::filesystem::exists(dir.path("s"))) return false;
    second = run_softradial(sweep(config, dir.path("s"), {"--resume"}));
    return true;
  };
  const auto first = run_softradial_until(other_tried, SIGTERM, sweep(config, dir.path("s")));
  EXPECT_EQ(first.exit_code, 4) << first.err;
  EXPECT_EQ(second.exit_code, 2);
  std::ifstream lock(dir.path("s.trainings/.lock"));
  std::string pid;
  lock >> pid;
  EXPECT_FALSE(pid.empty());
  EXPECT_NE(second.err.find("another process (" + pid + ")"), std::string::npos) << second.err;
}

TEST(SweepProgram, AFailedTrialHasAReasonAndIsRetriedOnRequest) {
  const TempDir dir;
  // After a step of this size no loss is finite.
  const std::string config =
      dir.write("s.toml", std::string(kBase) + "seeds = 2\n[grid]\nlearning-rate = [1e-3, 3e38]\n");
  const auto result = run_softradial(sweep(config, dir.path("s"), {"--json"}));
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_NE(result.err.find("1 trials failed"), std::string::npos) << result.err;
  const json group = json::parse(result.out).at(0);
  EXPECT_EQ(group["failed"], 1);
  EXPECT_EQ(group["chosen"]["parameters"], "learning-rate=0.001");
  const auto failed = [&] {
    const auto listed = run_softradial({"results", "list", "--store", dir.path("s"), "--status", "failed", "--json"});
    return json::parse(listed.out);
  };
  ASSERT_EQ(failed().size(), 1U);
  EXPECT_NE(failed()[0]["reason"].get<std::string>().find("not finite"), std::string::npos) << failed();
  // Not again without request.
  EXPECT_EQ(run_softradial(sweep(config, dir.path("s"), {"--resume"})).exit_code, 1);
  const auto attempts = [&] {
    const auto shown = run_softradial(
        {"results", "show", "--store", dir.path("s"), std::to_string(failed()[0]["id"].get<int>()), "--json"});
    return json::parse(shown.out)["attempts"].get<int>();
  };
  EXPECT_EQ(attempts(), 1);
  EXPECT_EQ(run_softradial(sweep(config, dir.path("s"), {"--resume", "--retry-failed"})).exit_code, 1);
  EXPECT_EQ(attempts(), 2);
  EXPECT_EQ(trials_of(dir, "s").size(), 3U);
}

}  // namespace
}  // namespace softradial::test
