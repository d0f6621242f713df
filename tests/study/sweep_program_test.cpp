// Sweeps as a user meets them: what is trained, what is refused, and what survives kills.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "files/sha256.hpp"
#include "program/child_process.hpp"
#include "program/temp_dir.hpp"
#include "sweep/results_store.hpp"

namespace softradial::test {
namespace {

using nlohmann::json;

constexpr const char* kBase = R"(
task = "portfolio"
[base]
prices = "synthetic:sectors"
hidden = 4
cap = 0.3
epochs = 4
)";

Arguments sweep(const std::string& config, const std::string& store, const Arguments& more = {}) {
  Arguments words = {"sweep", config, "--store", store};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

json read_json(const std::string& file) {
  std::ifstream in(file);
  return json::parse(in);
}

// All trials of a store, with their epochs.
json trials_of(const TempDir& dir, const std::string& store) {
  const std::string out = dir.path("export.json");
  const auto result = run_softradial({"results", "export", "--store", dir.path(store), "--epochs", "--out", out});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return read_json(out);
}

// What must be the same to the bit, however a sweep came about: by configuration and seed.
std::map<std::string, std::string> outcomes_of(const TempDir& dir, const std::string& store) {
  std::map<std::string, std::string> out;
  for (const json& trial : trials_of(dir, store)) {
    const std::string id = trial["configuration"].get<std::string>() + " " + trial["seed"].dump();
    std::string text;
    for (const char* key : {"status", "reason", "end", "epochs", "best_epoch", "selection", "violation", "validation",
                            "test", "history", "config", "method", "setting", "parameters"}) {
      text += trial.at(key).dump() + " ";
    }
    EXPECT_TRUE(out.emplace(id, text).second) << "twice: " << id;
  }
  return out;
}

// The checksums of the files of all trials that have some: by configuration, seed and name.
std::map<std::string, std::string> files_of(const TempDir& dir, const std::string& store) {
  std::map<std::string, std::string> out;
  study::ResultsStore results(dir.path(store), study::SqliteFile::Access::read);
  results.each({}, false, [&](const json& trial) {
    const std::string id = trial["configuration"].get<std::string>() + " " + trial["seed"].dump();
    for (const study::WrittenFile& file : results.read_files(trial["id"].get<std::int64_t>())) {
      out[id + " " + file.name] = study::sha256_of(file.text);
    }
  });
  return out;
}

// The names of what a chosen trial of every group has, in the same form: all its seeds, and no other trial.
std::map<std::string, std::string> names_of_chosen(const TempDir& dir, const std::string& store,
                                                   const Arguments& names) {
  std::map<std::string, std::string> out;
  const auto best = run_softradial({"results", "best", "--store", dir.path(store), "--json"});
  for (const json& group : json::parse(best.out)) {
    for (const json& seed : group["chosen"]["seeds"]) {
      for (const std::string& name : names) {
        out[group["chosen"]["configuration"].get<std::string>() + " " + seed.dump() + " " + name];
      }
    }
  }
  return out;
}

std::string read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> keys_of(const std::map<std::string, std::string>& map) {
  std::vector<std::string> out;
  for (const auto& [key, value] : map) out.push_back(key);
  return out;
}

const Arguments kPortfolioFiles = {"decisions.csv", "outcomes.csv"};

std::vector<std::string> checkpoints_of(const TempDir& dir, const std::string& store) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path(store + ".trainings"))) {
    if (entry.path().extension() == ".safetensors") out.push_back(entry.path());
  }
  return out;
}

std::function<bool()> after(std::chrono::milliseconds time) {
  return [end = std::chrono::steady_clock::now() + time] { return std::chrono::steady_clock::now() > end; };
}

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

// The files of a trial are those that `train` writes for the same flags and seed, to the byte; the seed that was trained as a
// candidate has them too.
TEST(SweepProgram, TheFilesOfATrialAreThoseOfATraining) {
  struct Case {
    std::string toml;
    Arguments flags;
    Arguments files;
  };
  const std::vector<Case> cases = {
      {std::string(kBase) + "seeds = 2\n[method.dc3]\nsteps = 3\n",
       {"portfolio", "--prices", "synthetic:sectors", "--hidden", "4", "--cap", "0.3", "--epochs", "4", "--method",
        "dc3", "--steps", "3", "--seeds", "2"},
       kPortfolioFiles},
      {std::string(kBase) + "method = \"equal_weight\"\n",
       {"portfolio", "--prices", "synthetic:sectors", "--hidden", "4", "--cap", "0.3", "--epochs", "4", "--method",
        "equal_weight"},
       kPortfolioFiles},
      {"task = \"dispatch\"\n[base]\nzones = 5\nepochs = 1\nhidden = 4\nkappa = 0.5\nmethod = \"softmax\"\n",
       {"dispatch", "--zones", "5", "--epochs", "1", "--hidden", "4", "--kappa", "0.5", "--method", "softmax"},
       {"decisions.csv", "outcomes.csv", "zones.csv"}}};
  for (const Case& each : cases) {
    const TempDir dir;
    ASSERT_EQ(run_softradial(sweep(dir.write("s.toml", each.toml), dir.path("s"))).exit_code, 0);
    Arguments words = {"train"};
    words.insert(words.end(), each.flags.begin(), each.flags.end());
    words.insert(words.end(), {"--out", dir.path("run")});
    const auto trained = run_softradial(words);
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    for (const json& trial : trials_of(dir, "s")) {
      const std::string id = trial["id"].dump();
      const std::string seed = trial["seed"].dump();
      const auto written =
          run_softradial({"results", "files", "--store", dir.path("s"), id, "--out", dir.path("files-" + id)});
      ASSERT_EQ(written.exit_code, 0) << written.err;
      const auto shown = run_softradial({"results", "show", "--store", dir.path("s"), id, "--json"});
      const json listed = json::parse(shown.out).at("files");
      ASSERT_EQ(listed.size(), each.files.size());
      for (std::size_t k = 0; k < each.files.size(); ++k) {
        const std::string expected = read_text(dir.path("run/seed-" + seed + "/" + each.files[k]));
        EXPECT_FALSE(expected.empty());
        EXPECT_TRUE(read_text(dir.path("files-" + id + "/" + each.files[k])) == expected) << each.files[k];
        EXPECT_EQ(listed[k]["name"], each.files[k]);
        EXPECT_EQ(listed[k]["size"], expected.size());
        EXPECT_EQ(listed[k]["sha256"], study::sha256_of(expected));
      }
    }
  }
}

TEST(SweepProgram, DecisionsAreKeptOfTheChosenOrOfAllOrOfNone) {
  const TempDir dir;
  const std::string grid = std::string(kBase) + "seeds = 2\n[grid]\nlearning-rate = [1e-3, 2e-3, 3e-3]\n";
  const std::string config = dir.write("s.toml", grid);
  ASSERT_EQ(run_softradial(sweep(config, dir.path("chosen"))).exit_code, 0);
  EXPECT_EQ(keys_of(files_of(dir, "chosen")), keys_of(names_of_chosen(dir, "chosen", kPortfolioFiles)));
  EXPECT_EQ(files_of(dir, "chosen").size(), 2U * 2);
  ASSERT_EQ(run_softradial(sweep(config, dir.path("all"), {"--decisions", "all"})).exit_code, 0);
  const auto all = files_of(dir, "all");
  EXPECT_EQ(all.size(), 4U * 2);
  for (const auto& [id, sum] : files_of(dir, "chosen")) EXPECT_EQ(all.at(id), sum);
  // The file says it as well; the flag wins.
  const std::string none = dir.write("none.toml", "decisions = \"none\"\n" + grid);
  ASSERT_EQ(run_softradial(sweep(none, dir.path("none"))).exit_code, 0);
  EXPECT_TRUE(files_of(dir, "none").empty());
  ASSERT_EQ(run_softradial(sweep(none, dir.path("flag"), {"--decisions", "chosen"})).exit_code, 0);
  EXPECT_EQ(files_of(dir, "flag").size(), 2U * 2);
  EXPECT_EQ(outcomes_of(dir, "none"), outcomes_of(dir, "all"));
}

TEST(SweepProgram, FilesAreWrittenWholeAndNothingIsReplaced) {
  const TempDir dir;
  const std::string config = dir.write("s.toml", std::string(kBase) + "[grid]\nlearning-rate = [1e-3, 2e-3]\n");
  ASSERT_EQ(run_softradial(sweep(config, dir.path("s"))).exit_code, 0);
  std::string with;
  std::string without;
  for (const json& trial : trials_of(dir, "s")) {
    const std::string id = trial["id"].dump();
    const auto shown = run_softradial({"results", "show", "--store", dir.path("s"), id, "--json"});
    (json::parse(shown.out).at("files").empty() ? without : with) = id;
  }
  const auto files = [&](const std::string& id, const std::string& out) {
    return run_softradial({"results", "files", "--store", dir.path("s"), id, "--out", out});
  };
  const auto refused = [&](const std::string& id, const std::string& out, const std::string& expected) {
    const auto result = files(id, out);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(expected), std::string::npos) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  };
  refused("99", dir.path("x"), "has no trial 99");
  refused(without, dir.path("x"), "has no files");
  EXPECT_FALSE(std::filesystem::exists(dir.path("x")));
  refused(with, dir.write("text", "x"), "text");
  std::filesystem::create_directory(dir.path("other"));
  static_cast<void>(dir.write("other/outcomes.csv", "mine"));
  refused(with, dir.path("other"), "outcomes.csv: is there already");
  EXPECT_EQ(read_text(dir.path("other/outcomes.csv")), "mine");
  EXPECT_FALSE(std::filesystem::exists(dir.path("other/decisions.csv")));
  // The same again is no mistake.
  ASSERT_EQ(files(with, dir.path("good")).exit_code, 0);
  std::filesystem::remove(dir.path("good/decisions.csv"));
  ASSERT_EQ(files(with, dir.path("good")).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(dir.path("good/decisions.csv")));
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

// The rows of a table by set and method: what its trials came to.
std::map<std::string, json> rows_of_table(const Arguments& more) {
  Arguments words = {"table",      "portfolio",
                     "--universe", "sectors",
                     "--prices",   "synthetic:sectors",
                     "--cap",      "0.3",
                     "--method",   "soft_radial,orthogonal",
                     "--hidden",   "4",
                     "--epochs",   "3",
                     "--seeds",    "2",
                     "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const auto result = run_softradial(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::map<std::string, json> rows;
  for (const json& row : json::parse(result.out)) {
    json& here = rows[row.at("set").get<std::string>() + ", " + row.at("method").get<std::string>()];
    const json& ours = row.at("ours");
    here = {{"mean", ours.at("mean")}, {"std", ours.at("std")}, {"trials", json::array()}};
    for (const json& trial : ours.at("trials")) {
      here["trials"].push_back({trial.at("seed"), trial.at("test"), trial.at("validation"), trial.at("violation")});
    }
  }
  return rows;
}

TEST(SweepProgram, ATableFromAStoreIsTheTableThatIsTrainedNow) {
  const TempDir dir;
  const Arguments into_store = {"--store", dir.path("s")};
  const auto trained = rows_of_table(into_store);
  EXPECT_EQ(trained, rows_of_table({}));
  const auto before = outcomes_of(dir, "s");
  EXPECT_EQ(before.size(), 1 + 2 * 2);  // equal weight has one seed
  // Again: nothing is trained, and the same is printed.
  EXPECT_EQ(rows_of_table(into_store), trained);
  EXPECT_EQ(outcomes_of(dir, "s"), before);
  for (const json& trial : trials_of(dir, "s")) EXPECT_EQ(trial["attempts"], 1);
}

TEST(SweepProgram, ATableTakesTheTrialsOfASweep) {
  const TempDir dir;
  const std::string config = dir.write("s.toml", R"(
task = "portfolio"
[base]
prices = "synthetic:sectors"
hidden = 4
epochs = 3
seeds = 2
cap = 0.3
[method.orthogonal]
)");
  ASSERT_EQ(run_softradial(sweep(config, dir.path("s"))).exit_code, 0);
  const auto before = outcomes_of(dir, "s");
  ASSERT_EQ(before.size(), 2);
  const auto rows = rows_of_table({"--store", dir.path("s"), "--split", "text"});
  EXPECT_EQ(rows.size(), 3);
  const auto after = outcomes_of(dir, "s");
  EXPECT_EQ(after.size(), 5);
  for (const auto& [trial, outcome] : before) EXPECT_EQ(after.at(trial), outcome);
  for (const json& trial : trials_of(dir, "s")) EXPECT_EQ(trial["attempts"], 1);
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

// ---- the paper's own sweeps

// Tables with the names that the paper's sweeps know.
void make_tables(const TempDir& dir) {
  for (const char* name : {"liquid", "sectors", "global"}) {
    const auto made =
        run_softradial({"data", "generate", "synthetic:" + std::string(name), "--out", dir.path(name) + ".csv"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  const auto made =
      run_softradial({"data", "generate", "synthetic:taxi", "--zones", "60", "--out", dir.path("hourly_pickups.csv")});
  ASSERT_EQ(made.exit_code, 0) << made.err;
}

std::string paper_sweep(const std::string& name) { return std::string(CONFIGS) + "/paper/" + name + ".toml"; }

// The paper's grid, with soft orthogonal and mirror beside its methods: 16 models for portfolios, 8 for dispatch, times the layer's own numbers.
TEST(SweepProgram, ThePapersSweepsAreItsWholeGrid) {
  const TempDir dir;
  make_tables(dir);
  const std::map<std::string, std::size_t> own = {
      {"equal_weight", 0}, {"softmax", 4}, {"orthogonal", 1},      {"dc3", 12},
      {"soft_radial", 15}, {"hardnet", 3}, {"soft_orthogonal", 1}, {"mirror", 1}};
  // One candidate for equal weight; for the others four seeds more.
  const std::size_t simplex = 1 + 16 * (4 + 1 + 15 + 1 + 1) + 5 * 4;
  const std::size_t capped = 1 + 16 * (1 + 12 + 3 + 15 + 1 + 1) + 6 * 4;
  const std::size_t dispatch = 1 + 8 * 4 + 4 + 1 + 8 * (1 + 12 + 3 + 15 + 1 + 1) + 6 * 4;
  const std::map<std::string, std::size_t> trials = {{"portfolio_liquid", simplex + capped},
                                                     {"portfolio_net", 3 * simplex + 4 * capped},
                                                     {"portfolio_gross", 3 * simplex + 4 * capped},
                                                     {"dispatch_kappa_0.1", dispatch},
                                                     {"dispatch_kappa_0.02", dispatch}};
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(CONFIGS) + "/paper")) {
    const std::string name = entry.path().stem();
    ASSERT_TRUE(trials.contains(name)) << name << " is not checked here";
    ++files;
    const auto result = run_softradial({"sweep", entry.path(), "--data", dir.path(""), "--plan", "--json"});
    ASSERT_EQ(result.exit_code, 0) << name << ": " << result.err;
    const std::size_t models = name.starts_with("dispatch") ? 8 : 16;
    std::size_t sum = 0;
    for (const json& group : json::parse(result.out)) {
      const std::string method = group["method"];
      const std::size_t candidates = method == "equal_weight" ? 1 : models * own.at(method);
      EXPECT_EQ(group["candidates"], candidates) << name << " " << group;
      EXPECT_EQ(group["trials"], candidates + (method == "equal_weight" ? 0 : 4)) << name << " " << group;
      EXPECT_EQ(group["done"], 0);
      sum += group["trials"].get<std::size_t>();
    }
    EXPECT_EQ(sum, trials.at(name)) << name;
  }
  EXPECT_EQ(files, trials.size());
}

TEST(SweepProgram, ARandomPartOfThePapersSweepsTrains) {
  const TempDir dir;
  make_tables(dir);
  for (const auto& [name, epochs] : std::map<std::string, std::string>{{"portfolio_liquid", "epochs = 50"},
                                                                       {"dispatch_kappa_0.1", "epochs = 100"}}) {
    std::ifstream in(paper_sweep(name));
    std::ostringstream text;
    text << in.rdbuf();
    std::string config = text.str();
    for (const auto& [from, to] :
         std::map<std::string, std::string>{{epochs, "epochs = 1"}, {"seeds = 5", "seeds = 2"}}) {
      ASSERT_NE(config.find(from), std::string::npos) << name;
      config.replace(config.find(from), from.size(), to);
    }
    const std::string file = dir.write(name + ".toml", config);
    const auto result = run_softradial(
        sweep(file, dir.path(name), {"--data", dir.path(""), "--random", "1", "--random-seed", "3", "--json"}));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    for (const json& group : json::parse(result.out)) {
      EXPECT_EQ(group["candidates"], 1);
      EXPECT_EQ(group["chosen"]["seeds"].size(), group["method"] == "equal_weight" ? 1U : 2U) << group;
    }
    // What is planned is done.
    const auto plan = run_softradial({"sweep", file, "--data", dir.path(""), "--random", "1", "--random-seed", "3",
                                      "--store", dir.path(name), "--plan", "--json"});
    for (const json& group : json::parse(plan.out)) EXPECT_EQ(group["done"], group["trials"]) << group;
  }
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

TEST(SweepProgram, ResultsAreListedExportedAndMerged) {
  const TempDir dir;
  const std::string config = dir.write("s.toml", std::string(kBase) + "[grid]\nlearning-rate = [1e-3, 2e-3]\n");
  ASSERT_EQ(run_softradial(sweep(config, dir.path("s"))).exit_code, 0);
  const auto listed = run_softradial({"results", "list", "--store", dir.path("s")});
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_EQ(std::ranges::count(listed.out, '\n'), 3) << listed.out;
  ASSERT_EQ(run_softradial({"results", "export", "--store", dir.path("s"), "--out", dir.path("t.csv")}).exit_code, 0);
  ASSERT_EQ(
      run_softradial({"results", "export", "--store", dir.path("s"), "--epochs", "--out", dir.path("e.csv")}).exit_code,
      0);
  std::ifstream epochs(dir.path("e.csv"));
  std::ostringstream text;
  text << epochs.rdbuf();
  EXPECT_EQ(std::ranges::count(text.str(), '\n'), 1 + 2 * 4) << text.str();
  EXPECT_EQ(run_softradial({"results", "export", "--store", dir.path("s"), "--out", dir.path("t.txt")}).exit_code, 2);
  EXPECT_EQ(run_softradial({"results", "show", "--store", dir.path("s"), "99"}).exit_code, 2);
  ASSERT_EQ(run_softradial({"results", "merge", "--store", dir.path("all"), dir.path("s")}).exit_code, 0);
  EXPECT_EQ(outcomes_of(dir, "all"), outcomes_of(dir, "s"));
  const auto best = run_softradial({"results", "best", "--store", dir.path("all"), "--json"});
  EXPECT_EQ(best.out, run_softradial({"results", "best", "--store", dir.path("s"), "--json"}).out);
  // Trials of one store are not trained again by the other.
  ASSERT_EQ(run_softradial(sweep(config, dir.path("all"), {"--resume"})).exit_code, 0);
  EXPECT_EQ(outcomes_of(dir, "all"), outcomes_of(dir, "s"));
}

}  // namespace
}  // namespace softradial::test
