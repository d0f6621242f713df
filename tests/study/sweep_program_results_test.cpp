// The results of sweeps as a user meets them: the files of trials, listings, exports and merges, and tables from a store.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "files/sha256.hpp"
#include "program/child_process.hpp"
#include "program/temp_dir.hpp"
#include "study/sweep_program_stores.hpp"

namespace softradial::test {
namespace {

using nlohmann::json;

std::string read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
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

// ---- tables from a store

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

}  // namespace
}  // namespace softradial::test
