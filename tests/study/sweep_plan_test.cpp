// The plan of a sweep: what makes two trials the same, and which trials are wanted next.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "study/made_up_trials.hpp"
#include "sweep/configuration.hpp"
#include "sweep/trial_outcome.hpp"
#include "sweep/trial_plan.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

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

}  // namespace
}  // namespace softradial::study
