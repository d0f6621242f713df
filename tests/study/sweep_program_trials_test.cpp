// Sweeps as a user meets them: what is trained and chosen, by how many jobs and in which parts, and what is refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"
#include "study/sweep_program_stores.hpp"

namespace softradial::test {
namespace {

using nlohmann::json;

TEST(SweepProgram, ChoosesOnValidationAndJudgesTheChosenWithAllSeeds) {
  const TempDir dir;
  const auto result = run_softradial(sweep(std::string(CONFIGS) + "/small.toml", dir.path("s"), {"--json"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json groups = json::parse(result.out);
  ASSERT_EQ(groups.size(), 4U);
  const json trials = trials_of(dir, "s");
  // Two caps, four candidates of soft_radial and two of orthogonal with one seed, and one more seed for each choice.
  EXPECT_EQ(trials.size(), 2U * (4 + 2 + 1 + 1));
  for (const json& group : groups) {
    double best = -1e300;
    std::string configuration;
    for (const json& trial : trials) {
      if (trial["setting"] != group["setting"] || trial["method"] != group["method"] || trial["seed"] != 0) continue;
      if (trial["selection"].get<double>() <= best) continue;
      best = trial["selection"].get<double>();
      configuration = trial["configuration"].get<std::string>();
    }
    EXPECT_EQ(group["chosen"]["configuration"], configuration);
    EXPECT_EQ(group["chosen"]["seeds"], json({0, 1}));
    double mean = 0;
    int seeds = 0;
    for (const json& trial : trials) {
      if (trial["configuration"] != configuration) continue;
      mean += trial["test"]["sharpe"].get<double>() / 2;
      ++seeds;
    }
    EXPECT_EQ(seeds, 2);
    EXPECT_NEAR(group["chosen"]["mean"]["sharpe"].get<double>(), mean, 1e-12);
  }
  EXPECT_TRUE(checkpoints_of(dir, "s").empty());
  EXPECT_EQ(run_softradial({"results", "list", "--store", dir.path("s")}).exit_code, 0);
  for (const char* log : {"s-wal", "s-shm"}) EXPECT_FALSE(std::filesystem::exists(dir.path(log))) << "one file";
}

// A trial of a sweep is what `train` gives for the same flags.
TEST(SweepProgram, ATrialEqualsATraining) {
  const TempDir dir;
  const std::string config =
      dir.write("one.toml", std::string(kBase) + "method = \"dc3\"\nlearning-rate = 0.002\n[method.dc3]\nsteps = 3\n");
  ASSERT_EQ(run_softradial(sweep(config, dir.path("s"))).exit_code, 0);
  const auto trained =
      run_softradial({"train", "portfolio", "--prices", "synthetic:sectors", "--hidden", "4", "--cap", "0.3",
                      "--epochs", "4", "--method", "dc3", "--learning-rate", "0.002", "--steps", "3", "--json"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const json trial = trials_of(dir, "s").at(0);
  const json report = json::parse(trained.out);
  const json expected = report.at("trials").at(0);
  for (const auto& [name, interval] : report.at("against_equal_weight").items()) {
    EXPECT_EQ(trial["against_equal_weight"][name], interval["value"]);
    EXPECT_EQ(trial["against_equal_weight"][name + "_low"], interval["low"]);
    EXPECT_EQ(trial["against_equal_weight"][name + "_high"], interval["high"]);
  }
  for (const char* key : {"validation", "test", "epochs", "best_epoch", "violation"})
    EXPECT_EQ(trial[key], expected[key]);
}

// The chosen candidate is compared with equal weight by the mean over its seeds: value and both ends.
TEST(SweepProgram, TheChosenAreComparedWithEqualWeight) {
  const TempDir dir;
  const std::string config = std::string(CONFIGS) + "/small.toml";
  const auto result = run_softradial(sweep(config, dir.path("s"), {"--json"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json trials = trials_of(dir, "s");
  for (const json& group : json::parse(result.out)) {
    const json& chosen = group["chosen"];
    const json& difference = chosen["against_equal_weight"]["sharpe_difference"];
    EXPECT_LT(difference["low"], difference["value"]);
    EXPECT_LT(difference["value"], difference["high"]);
    double low = 0;
    for (const json& trial : trials) {
      if (trial["configuration"] == chosen["configuration"])
        low += trial["against_equal_weight"]["sharpe_difference_low"].get<double>();
    }
    EXPECT_NEAR(difference["low"].get<double>(), low / 2, 1e-12);
  }
  const auto table = run_softradial({"table", "sweep", config, "--store", dir.path("s")});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(table.out.find(", +"), std::string::npos) << "no interval in " << table.out;
}

TEST(SweepProgram, TheResultsDoNotDependOnTheNumberOfJobs) {
  const TempDir dir;
  const std::string config = std::string(CONFIGS) + "/small.toml";
  ASSERT_EQ(run_softradial(sweep(config, dir.path("one"), {"--jobs", "1"})).exit_code, 0);
  ASSERT_EQ(run_softradial(sweep(config, dir.path("three"), {"--jobs", "3"})).exit_code, 0);
  EXPECT_EQ(outcomes_of(dir, "one"), outcomes_of(dir, "three"));
  EXPECT_EQ(files_of(dir, "one"), files_of(dir, "three"));
  EXPECT_EQ(keys_of(files_of(dir, "one")), keys_of(names_of_chosen(dir, "one", kPortfolioFiles)));
}

TEST(SweepProgram, EpochsMayBeSearchedOver) {
  const TempDir dir;
  const std::string config = dir.write("s.toml", std::string(kBase) + "[grid]\nepochs = [2, 3]\n");
  ASSERT_EQ(run_softradial(sweep(config, dir.path("s"))).exit_code, 0);
  std::set<int> epochs;
  for (const json& trial : trials_of(dir, "s")) epochs.insert(trial["epochs"].get<int>());
  EXPECT_EQ(epochs, (std::set<int>{2, 3}));
}

TEST(SweepProgram, ARandomPartIsAPartOfTheGrid) {
  const TempDir dir;
  const std::string grid = std::string(kBase) + "[grid]\nlearning-rate = [1e-3, 2e-3]\nhidden = [4, 5, 6]\n";
  ASSERT_EQ(run_softradial(sweep(dir.write("a.toml", grid), dir.path("all"))).exit_code, 0);
  const std::string part = dir.write("b.toml", grid + "[search]\nkind = \"random\"\ncount = 3\nseed = 1\n");
  ASSERT_EQ(run_softradial(sweep(part, dir.path("part"))).exit_code, 0);
  const auto all = outcomes_of(dir, "all");
  const auto some = outcomes_of(dir, "part");
  EXPECT_EQ(all.size(), 6U);
  EXPECT_EQ(some.size(), 3U);
  for (const auto& [id, text] : some) {
    ASSERT_TRUE(all.contains(id));
    EXPECT_EQ(all.at(id), text);
  }
}

TEST(SweepProgram, DispatchAndEqualWeight) {
  const TempDir dir;
  const std::string config = dir.write("s.toml", R"(task = "dispatch"
[base]
zones = 5
epochs = 1
hidden = 4
[[setting]]
kappa = 0.5
method = ["equal_weight", "softmax"]
[grid]
dropout = [0.1, 0.2]
)");
  const auto result = run_softradial(sweep(config, dir.path("s"), {"--json"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json groups = json::parse(result.out);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0]["candidates"], 1);
  EXPECT_EQ(groups[1]["candidates"], 2);
  EXPECT_TRUE(groups[1]["chosen"]["mean"].contains("served_rate"));
}

// ---- fixed parts, and simulated workers

TEST(SweepProgram, ThePartsOfAListMakeTheWhole) {
  const TempDir dir;
  const std::string config = dir.write("s.toml", std::string(kBase) + "[grid]\nlearning-rate = [1e-3, 2e-3, 3e-3]\n");
  ASSERT_EQ(run_softradial(sweep(config, dir.path("whole"))).exit_code, 0);
  json list = {{"problems", json::object()}, {"trials", json::array()}};
  for (const json& trial : trials_of(dir, "whole")) {
    const json facts = {
        {"task", "portfolio"}, {"names", trial["names"]}, {"set", trial["set"]}, {"data", trial["data"]}};
    list["problems"]["p"] = facts;
    list["trials"].push_back({{"problem", "p"},
                              {"config", trial["config"]},
                              {"setting", trial["setting"]},
                              {"parameters", trial["parameters"]},
                              {"seed", trial["seed"]}});
  }
  const std::string file = dir.write("trials.json", list.dump());
  for (const char* part : {"0/2", "1/2"}) {
    const std::string store = dir.path(part[0] == '0' ? "p0" : "p1");
    const auto result = run_softradial(sweep(file, store, {"--part", part}));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    ASSERT_EQ(run_softradial({"results", "merge", "--store", dir.path("all"), store}).exit_code, 0);
  }
  EXPECT_EQ(outcomes_of(dir, "p0").size(), 2U);
  EXPECT_EQ(outcomes_of(dir, "p1").size(), 1U);
  EXPECT_EQ(outcomes_of(dir, "all"), outcomes_of(dir, "whole"));
  // The store that is resumed with the sweep knows what has been chosen.
  EXPECT_GE(files_of(dir, "all").size(), files_of(dir, "whole").size());
  ASSERT_EQ(run_softradial(sweep(config, dir.path("all"), {"--resume"})).exit_code, 0);
  EXPECT_EQ(files_of(dir, "all"), files_of(dir, "whole"));
  for (const char* wrong : {"2/2", "1", "a/2", "0/0"}) {
    EXPECT_EQ(run_softradial(sweep(file, dir.path("w"), {"--part", wrong})).exit_code, 2) << wrong;
  }
  EXPECT_EQ(run_softradial(sweep(config, dir.path("w"), {"--part", "0/2"})).exit_code, 2);
}

TEST(SweepProgram, SimulatedWorkersTrainNothingAndNeedRecordedTimes) {
  const TempDir dir;
  const std::string config = std::string(CONFIGS) + "/small.toml";
  EXPECT_EQ(run_softradial(sweep(config, dir.path("s"), {"--simulate", "2"})).exit_code, 2);
  ASSERT_EQ(run_softradial(sweep(config, dir.path("s"))).exit_code, 0);
  const auto before = outcomes_of(dir, "s");
  const auto result = run_softradial(sweep(config, dir.path("s"), {"--simulate", "1,4", "--copies", "3", "--json"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json lines = json::parse(result.out);
  ASSERT_EQ(lines.size(), 2U);
  for (const json& line : lines) {
    EXPECT_EQ(line["trials"], 3 * before.size());
    EXPECT_LE(line["efficiency"], 1);
  }
  EXPECT_EQ(outcomes_of(dir, "s"), before);
  EXPECT_FALSE(std::filesystem::exists(dir.path("s.simulation")));
}

// ---- mistakes in the sweep file

TEST(SweepProgram, MistakesAreNamedWithFileAndLine) {
  const TempDir dir;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"task = \"portfolios\"\n", "task: expected"},
      {"task = \"portfolio\"\n[bse]\n", "line 2: unknown key \"bse\""},
      {"task = \"portfolio\"\n[base]\nepoch = 3\n", "line 3: unknown key \"epoch\""},
      {"task = \"portfolio\"\n[base]\ncap = 5\n", "line 3: --cap 5: expected a share"},
      {"task = \"portfolio\"\n[base]\nthreads = 2\n", "line 3: unknown key \"threads\""},
      {"task = \"portfolio\"\n[grid]\nhidden = []\n", "line 3: hidden: the list is empty"},
      {"task = \"portfolio\"\n[grid]\nhidden = [4, \"x\"]\n", "line 3: hidden: expected a number"},
      {"task = \"portfolio\"\n[grid]\nseed = [1, 2]\n", "line 3: seed: stands in [base]"},
      {"task = \"portfolio\"\n[method.softmx]\n", "line 2: --method: softmx not in"},
      {"task = \"portfolio\"\n[method.softmax]\nlambda = [1, 2]\n", "softmax"},
      {"task = \"portfolio\"\n[base]\nmethod = \"dc3\"\n[method.softmax]\n[[setting]]\nmethod = \"dc3\"\n",
       "line 4: method.softmax: no setting has this method"},
      {"task = \"portfolio\"\n[search]\nkind = \"random\"\n", "needs a count"},
      {"task = \"portfolio\"\n[search]\ncount = 3\n", "line 3: count: is for"},
      {"task = \"portfolio\"\n[[setting]]\ncap = 0.5\n[[setting]]\ncap = [0.3, 0.5]\n", "two settings are the same"},
      {"task = \"portfolio\"\n[base]\ncap = 0.001\n", "cap"},
      {"task = \"portfolio\"\n[base\n", "line 2"},
      {"task = \"portfolio\"\ndecisions = \"some\"\n", "line 2: --decisions: some not in"},
      {"task = \"portfolio\"\ndecisions = 3\n", "line 2: decisions: expected"},
  };
  for (const auto& [text, expected] : cases) {
    const auto result = run_softradial(sweep(dir.write("bad.toml", text), dir.path("s")));
    EXPECT_EQ(result.exit_code, 2) << text << result.err;
    EXPECT_NE(result.err.find(expected), std::string::npos) << text << result.err;
    EXPECT_FALSE(std::filesystem::exists(dir.path("s"))) << text;
  }
}

}  // namespace
}  // namespace softradial::test
