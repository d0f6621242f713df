// The record of a run, as a user meets it: what is written, what is refused, and what survives kills, signals and full disks.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"

namespace softradial::test {
namespace {

using nlohmann::json;

Arguments with(Arguments words, const Arguments& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Arguments train(const Arguments& more) {
  return with({"train", "portfolio", "--prices", "synthetic:sectors", "--hidden", "8", "--cap", "0.3"}, more);
}

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

json read_json(const std::string& file) { return json::parse(read(file)); }

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::size_t commas(const std::string& line) { return static_cast<std::size_t>(std::ranges::count(line, ',')); }

// What must be the same to the bit, however a run came about. (trial.json has seconds in it.)
std::map<std::string, std::string> outcome(const TempDir& dir, const std::string& run, int seeds) {
  std::map<std::string, std::string> out;
  for (int seed = 0; seed < seeds; ++seed) {
    const std::string folder = run + "/seed-" + std::to_string(seed) + "/";
    for (const char* name : {"model.safetensors", "history.csv", "decisions.csv", "outcomes.csv"}) {
      out[folder.substr(run.size()) + name] = read(dir.path(folder + name));
    }
    const json trial = read_json(dir.path(folder + "trial.json"));
    out[folder.substr(run.size()) + "test"] = trial.at("test").dump() + trial.at("validation").dump();
  }
  return out;
}

// The moment when a training has got somewhere.
std::function<bool()> when_there(const std::string& file) {
  return [file] { return std::filesystem::exists(file); };
}

std::function<bool()> after(std::chrono::milliseconds time) {
  return [end = std::chrono::steady_clock::now() + time] { return std::chrono::steady_clock::now() > end; };
}

TEST(Record, TheManifestAnswersLaterQuestions) {
  const TempDir dir;
  ASSERT_EQ(run_softradial(train({"--epochs", "3", "--seeds", "2", "--out", dir.path("run")})).exit_code, 0);
  const json manifest = read_json(dir.path("run/manifest.json"));
  EXPECT_EQ(manifest["schema"], "softradial.run/1");
  EXPECT_EQ(manifest["status"], "finished");
  EXPECT_EQ(manifest["task"], "portfolio");
  EXPECT_EQ(manifest["config"]["epochs"], 3);
  EXPECT_EQ(manifest["set"], json::parse(R"({"type": "capped_simplex", "dim": 9, "cap": 0.3, "sum": 1})"));
  EXPECT_EQ(manifest["names"].size(), 9U);
  EXPECT_EQ(manifest["data"]["sha256"].get<std::string>().size(), 64U);
  EXPECT_EQ(manifest["data"]["first"], "2010-01-04");
  EXPECT_EQ(manifest["data"]["last"], "2025-12-31");
  EXPECT_EQ(manifest["seeds"], json({0, 1}));
  EXPECT_EQ(manifest["finished_seeds"], json({0, 1}));
  for (const char* key : {"version", "machine", "started", "changed"}) EXPECT_TRUE(manifest.contains(key)) << key;
  EXPECT_FALSE(read(dir.path("run/log.txt")).empty());
}

TEST(Record, EveryEpochAndEveryDayIsThere) {
  const TempDir dir;
  ASSERT_EQ(run_softradial(train({"--epochs", "3", "--out", dir.path("run")})).exit_code, 0);
  const auto history = lines(read(dir.path("run/seed-0/history.csv")));
  ASSERT_EQ(history.size(), 4U);
  EXPECT_EQ(history[0], "epoch,loss,validation");
  const auto decisions = lines(read(dir.path("run/seed-0/decisions.csv")));
  const auto outcomes = lines(read(dir.path("run/seed-0/outcomes.csv")));
  EXPECT_EQ(commas(decisions[0]), 10U) << decisions[0];
  EXPECT_TRUE(
      outcomes[0].starts_with("date,split,net_return,gross_return,turnover,cost,slack,equal_weight.net_return"));
  // A decision on each day of validation and test, and an outcome for each but the last of either.
  EXPECT_EQ(decisions.size(), outcomes.size() + 2);
  EXPECT_TRUE(decisions[1].starts_with("2019-01-01,validation,"));
  EXPECT_TRUE(decisions.back().starts_with("2025-12-31,test,"));
  for (const auto& line : decisions) EXPECT_EQ(commas(line), 10U);
}

// The net returns of the test days give the Sharpe ratio of the report.
TEST(Record, OutcomesAndReportAgree) {
  const TempDir dir;
  ASSERT_EQ(run_softradial(train({"--epochs", "2", "--out", dir.path("run")})).exit_code, 0);
  std::vector<double> net;
  for (const std::string& line : lines(read(dir.path("run/seed-0/outcomes.csv")))) {
    if (line.find(",test,") != std::string::npos) net.push_back(std::stod(line.substr(line.find(",test,") + 6)));
  }
  double mean = 0;
  for (const double r : net) mean += r / static_cast<double>(net.size());
  double squares = 0;
  for (const double r : net) squares += (r - mean) * (r - mean);
  const double sharpe = mean / std::sqrt(squares / static_cast<double>(net.size() - 1)) * std::sqrt(252.0);
  const json report = read_json(dir.path("run/result.json"));
  EXPECT_NEAR(report["trials"][0]["test"]["sharpe"].get<double>(), sharpe, 1e-12);
  EXPECT_TRUE(report["baselines"].contains("equal_weight"));
}

TEST(Record, SeedsDoNotDependOnTheNumberOfJobs) {
  const TempDir dir;
  for (const char* jobs : {"1", "3"}) {
    ASSERT_EQ(
        run_softradial(train({"--epochs", "4", "--seeds", "3", "--jobs", jobs, "--out", dir.path(jobs)})).exit_code, 0);
  }
  EXPECT_EQ(outcome(dir, "1", 3), outcome(dir, "3", 3));
}

// The law of this file: whatever kills a run, going on gives what an undisturbed run gives, to the bit.
TEST(Record, KilledFiftyTimesAndResumedEqualsUndisturbed) {
  const TempDir dir;
  const Arguments words = train({"--epochs", "200", "--seeds", "2"});
  ASSERT_EQ(run_softradial(with(words, {"--out", dir.path("whole")})).exit_code, 0);
  const Arguments resumed = with(words, {"--resume", "--out", dir.path("killed")});
  std::mt19937 random(3);
  // A run that reaches its end before it is killed is compared, and the next one begins from nothing.
  for (int killed = 0; killed < 50;) {
    const auto result = run_softradial_until(after(std::chrono::milliseconds(150 + random() % 350)), SIGKILL, resumed);
    if (result.exit_code == 128 + SIGKILL) {
      ++killed;
      continue;
    }
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(outcome(dir, "killed", 2), outcome(dir, "whole", 2));
    std::filesystem::remove_all(dir.path("killed"));
  }
  const auto last = run_softradial(resumed);
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(outcome(dir, "killed", 2), outcome(dir, "whole", 2));
  EXPECT_EQ(read_json(dir.path("killed/manifest.json"))["status"], "finished");
}

// A kill between saving the result of a seed and removing its checkpoint leaves both.
TEST(Record, KilledJustAfterTheResultLeavesNoCheckpoint) {
  const TempDir dir;
  const Arguments words = train({"--epochs", "2", "--out", dir.path("run")});
  ASSERT_EQ(run_softradial(words).exit_code, 0);
  const std::string checkpoint = dir.path("run/seed-0/checkpoint.safetensors");
  std::filesystem::copy_file(dir.path("run/seed-0/model.safetensors"), checkpoint);
  ASSERT_EQ(run_softradial(with(words, {"--resume"})).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(checkpoint));
}

TEST(Record, SignalsEndARunWithItsOwnExitCodeAndItGoesOn) {
  const TempDir dir;
  const Arguments words = train({"--epochs", "300"});
  ASSERT_EQ(run_softradial(with(words, {"--out", dir.path("whole")})).exit_code, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string run = "run" + std::to_string(signal);
    const auto stopped = run_softradial_until(when_there(dir.path(run + "/seed-0/checkpoint.safetensors")), signal,
                                              with(words, {"--out", dir.path(run)}));
    ASSERT_EQ(stopped.exit_code, 4) << stopped.err;
    EXPECT_NE(stopped.err.find("interrupted"), std::string::npos);
    EXPECT_NE(stopped.out.find("Sharpe"), std::string::npos) << "the best epoch so far is shown";
    EXPECT_EQ(read_json(dir.path(run + "/manifest.json"))["status"], "interrupted");
    const auto refused = run_softradial(with(words, {"--out", dir.path(run)}));
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find("--resume"), std::string::npos) << refused.err;
    ASSERT_EQ(run_softradial(with(words, {"--resume", "--out", dir.path(run)})).exit_code, 0);
    EXPECT_EQ(outcome(dir, run, 1), outcome(dir, "whole", 1));
  }
}

// Training again over a finished run and being interrupted leaves the trained model.
TEST(Record, AnInterruptedRunNeverReplacesATrainedModel) {
  const TempDir dir;
  const Arguments words = train({"--epochs", "300", "--out", dir.path("run")});
  ASSERT_EQ(run_softradial(words).exit_code, 0);
  const std::string model = read(dir.path("run/seed-0/model.safetensors"));
  ASSERT_EQ(run_softradial_until(when_there(dir.path("run/seed-0/checkpoint.safetensors")), SIGTERM, words).exit_code,
            4);
  EXPECT_EQ(read(dir.path("run/seed-0/model.safetensors")), model);
}

TEST(Record, AnotherConfigurationIsRefusedUnlessItMayOverwrite) {
  const TempDir dir;
  const Arguments out = {"--out", dir.path("run")};
  ASSERT_EQ(run_softradial(with(train({"--epochs", "2", "--seeds", "3"}), out)).exit_code, 0);
  const auto refused = run_softradial(with(train({"--epochs", "3"}), out));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("epochs"), std::string::npos) << refused.err;
  EXPECT_EQ(run_softradial(with(train({"--epochs", "3", "--resume"}), out)).exit_code, 2);
  ASSERT_EQ(run_softradial(with(train({"--epochs", "3", "--overwrite"}), out)).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(dir.path("run/seed-2"))) << "old seeds are gone";
  EXPECT_EQ(run_softradial(train({"--resume"})).exit_code, 2) << "--resume needs --out";
}

// The same words on other prices are another run: nobody is shown old numbers for new data.
TEST(Record, OtherDataAreAnotherRun) {
  const TempDir dir;
  const std::string prices = dir.path("prices.csv");
  ASSERT_EQ(run_softradial({"data", "generate", "synthetic:sectors", "--out", prices}).exit_code, 0);
  const Arguments words = {"train", "portfolio", "--prices", prices,  "--epochs",
                           "1",     "--hidden",  "4",        "--out", dir.path("run")};
  ASSERT_EQ(run_softradial(words).exit_code, 0);
  ASSERT_EQ(run_softradial({"data", "generate", "synthetic:sectors", "--seed", "5", "--out", prices}).exit_code, 0);
  const auto refused = run_softradial(with(words, {"--resume"}));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("data differ"), std::string::npos) << refused.err;
}

TEST(Record, ATableIsNotMadeOfOldNumbers) {
  const TempDir dir;
  const std::string prices = dir.path("prices.csv");
  const Arguments words = {"table",    "portfolio", "--universe", "sectors",     "--prices", prices,
                           "--cap",    "0.5",       "--method",   "soft_radial", "--seeds",  "1",
                           "--epochs", "1",         "--hidden",   "4",           "--runs",   dir.path("runs")};
  ASSERT_EQ(run_softradial({"data", "generate", "synthetic:sectors", "--out", prices}).exit_code, 0);
  const auto before = run_softradial(words);
  ASSERT_EQ(before.exit_code, 0) << before.err;
  EXPECT_EQ(run_softradial(words).out, before.out);
  ASSERT_EQ(run_softradial({"data", "generate", "synthetic:sectors", "--seed", "5", "--out", prices}).exit_code, 0);
  const auto after = run_softradial(words);
  ASSERT_EQ(after.exit_code, 0) << after.err;
  EXPECT_NE(after.out, before.out);
  EXPECT_NE(after.err.find("trained again"), std::string::npos) << after.err;
  const auto tuned = run_softradial(with(words, {"--tune"}));
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_NE(tuned.out.find("soft_radial, cap 0.5: "), std::string::npos) << "a run that was not tuned is no tuned one";
}

TEST(Record, TwoProcessesDoNotShareAFolder) {
  const TempDir dir;
  const Arguments words = train({"--epochs", "400", "--out", dir.path("run")});
  ChildResult second;
  std::jthread other([&] {
    while (!std::filesystem::exists(dir.path("run/seed-0/checkpoint.safetensors"))) std::this_thread::yield();
    second = run_softradial(words);
  });
  const auto first = run_softradial(words);
  other.join();
  // Whoever came second was refused, or found a finished run.
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_TRUE(second.exit_code == 2 || second.exit_code == 0) << second.err;
  if (second.exit_code == 2) {
    EXPECT_NE(second.err.find("another process"), std::string::npos) << second.err;
  }
  EXPECT_EQ(read_json(dir.path("run/manifest.json"))["status"], "finished");
}

// A limit on the size of files stands for a full disk.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallFiles() { setrlimit(RLIMIT_FSIZE, &before_); }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_ = {};
};

TEST(Record, AFullDiskIsOneLineAndTheResultsAreStillShown) {
  const TempDir dir;
  ChildResult result;
  {
    const SmallFiles limit(4096);
    result = run_softradial(train({"--epochs", "6", "--out", dir.path("run"), "--json"}));
  }
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_NE(result.err.find("cannot be written"), std::string::npos) << result.err;
  EXPECT_TRUE(json::parse(result.out)["mean"].contains("sharpe"));
  // With room again the run goes on.
  EXPECT_EQ(run_softradial(train({"--epochs", "6", "--out", dir.path("run"), "--resume"})).exit_code, 0);
}

TEST(Policy, TheBestSeedOnValidationIsUsedAndNamed) {
  const TempDir dir;
  ASSERT_EQ(run_softradial(train({"--epochs", "2", "--seed", "8", "--seeds", "4", "--out", dir.path("run")})).exit_code,
            0);
  double most = -1e9;
  int best = 0;
  for (int seed = 8; seed < 12; ++seed) {
    const json trial = read_json(dir.path("run/seed-" + std::to_string(seed) + "/trial.json"));
    if (trial["validation"]["sharpe"].get<double>() > most) {
      most = trial["validation"]["sharpe"];
      best = seed;
    }
  }
  const Arguments predict = {"predict", "--prices", "synthetic:sectors", "--model"};
  const auto chosen = run_softradial(with(predict, {dir.path("run")}));
  ASSERT_EQ(chosen.exit_code, 0) << chosen.err;
  EXPECT_NE(chosen.err.find("seed " + std::to_string(best) + ", the best of 4"), std::string::npos) << chosen.err;
  const std::string file = dir.path("run/seed-" + std::to_string(best) + "/model.safetensors");
  EXPECT_EQ(run_softradial(with(predict, {file})).out, chosen.out);
  EXPECT_EQ(run_softradial(with(predict, {dir.path("run"), "--seed", std::to_string(best)})).out, chosen.out);
  EXPECT_EQ(run_softradial(with(predict, {dir.path("run"), "--seed", "77"})).exit_code, 2);
}

// A decision needs its whole history; given that, a longer one changes nothing.
TEST(Policy, AShortHistoryIsRefusedAndALongerOneChangesNothing) {
  const TempDir dir;
  const std::string prices = dir.path("prices.csv");
  ASSERT_EQ(run_softradial({"data", "generate", "synthetic:sectors", "--out", prices}).exit_code, 0);
  ASSERT_EQ(run_softradial(
                {"train", "portfolio", "--prices", prices, "--epochs", "2", "--hidden", "8", "--out", dir.path("run")})
                .exit_code,
            0);
  const auto all = lines(read(prices));
  const auto predicted = [&](std::size_t days) {
    std::string text = all[0] + "\n";
    for (std::size_t k = all.size() - days; k < all.size(); ++k) text += all[k] + "\n";
    return run_softradial({"predict", "--model", dir.path("run"), "--prices", dir.write("short.csv", text), "--json"});
  };
  const auto short_history = predicted(17);
  EXPECT_EQ(short_history.exit_code, 2);
  EXPECT_NE(short_history.err.find("at least 20"), std::string::npos) << short_history.err;
  EXPECT_EQ(predicted(19).exit_code, 2);
  const json whole = json::parse(predicted(all.size() - 1).out)["weights"];
  for (const std::size_t days : {20, 21, 25, 40}) {
    const json weights = json::parse(predicted(days).out)["weights"];
    for (const auto& [name, value] : whole.items()) {
      EXPECT_NEAR(weights.at(name).get<double>(), value.get<double>(), 1e-6) << days << " days";
    }
  }
}

TEST(Policy, ABacktestSaysWhatIsInSampleAndWritesEveryDay) {
  const TempDir dir;
  ASSERT_EQ(run_softradial(train({"--epochs", "2", "--out", dir.path("run")})).exit_code, 0);
  const Arguments words = {"backtest", "--model", dir.path("run"), "--prices", "synthetic:sectors"};
  const auto in_sample = run_softradial(with(words, {"--from", "2012-01-01", "--to", "2016-12-31"}));
  ASSERT_EQ(in_sample.exit_code, 0) << in_sample.err;
  EXPECT_NE(in_sample.err.find("in-sample"), std::string::npos);
  EXPECT_NE(in_sample.out.find("equal_weight"), std::string::npos);
  const auto after = run_softradial(
      with(words, {"--from", "2021-01-01", "--weights", dir.path("w.csv"), "--returns", dir.path("r.csv"), "--json"}));
  ASSERT_EQ(after.exit_code, 0) << after.err;
  EXPECT_EQ(after.err.find("in-sample"), std::string::npos) << after.err;
  const json result = json::parse(after.out);
  EXPECT_EQ(result["in_sample"], 0);
  EXPECT_EQ(lines(read(dir.path("w.csv"))).size(), result["days"].get<std::size_t>() + 1);
  EXPECT_EQ(lines(read(dir.path("r.csv"))).size(), result["days"].get<std::size_t>());
  EXPECT_EQ(run_softradial(with(words, {"--returns", "/dev/full"})).exit_code, 3);
  EXPECT_EQ(run_softradial(with(words, {"--returns", dir.path("no/where.csv")})).exit_code, 2);
}

TEST(Policy, DispatchIsTestedAndPredictedLikePortfolios) {
  const TempDir dir;
  const auto trained =
      run_softradial({"train", "dispatch", "--zones", "20", "--epochs", "2", "--out", dir.path("run")});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  for (const char* name : {"equal_weight", "last_hour", "last_week"})
    EXPECT_NE(trained.out.find(name), std::string::npos);
  const json report = read_json(dir.path("run/result.json"));
  const Arguments data = {"--model", dir.path("run"), "--demand", "synthetic:taxi"};
  const json manifest = read_json(dir.path("run/manifest.json"));
  const auto outcomes = lines(read(dir.path("run/seed-0/outcomes.csv")));
  // For each zone of validation and of test the sums over the hours: over the zones, they are those of the outcomes.
  const auto zones = lines(read(dir.path("run/seed-0/zones.csv")));
  EXPECT_EQ(zones[0], "zone,split,allocation,demand,served");
  EXPECT_EQ(zones.size(), 41U);
  const auto total = [](const std::vector<std::string>& rows, int column) {
    double sum = 0;
    for (const std::string& row : rows) {
      if (row.find(",test,") == std::string::npos) continue;
      std::istringstream fields(row.substr(row.find(",test,") + 6));
      std::string field;
      for (int k = 0; k <= column; ++k) std::getline(fields, field, ',');
      sum += std::stod(field);
    }
    return sum;
  };
  for (const int column : {0, 1, 2}) {
    EXPECT_NEAR(total(zones, column) / total(outcomes, column), 1, 1e-6) << "supply, demand, served";
  }
  const auto first =
      std::ranges::find_if(outcomes, [](const std::string& l) { return l.find(",test,") != std::string::npos; });
  const auto backtest = run_softradial(
      with(with({"backtest"}, data), {"--from", first->substr(0, 13), "--json", "--zones", dir.path("zones.csv")}));
  ASSERT_EQ(backtest.exit_code, 0) << backtest.err;
  // The zones of the same hours, as the run has recorded them.
  const auto tested = lines(read(dir.path("zones.csv")));
  ASSERT_EQ(tested.size(), 21U);
  EXPECT_EQ(tested[0], zones[0]);
  for (std::size_t k = 1; k < tested.size(); ++k) {
    const std::string zone = tested[k].substr(0, tested[k].find(','));
    const auto same =
        std::ranges::find_if(zones, [&](const std::string& line) { return line.starts_with(zone + ",test,"); });
    ASSERT_NE(same, zones.end()) << tested[k];
    std::istringstream ours(tested[k].substr(zone.size() + std::string(",period,").size()));
    std::istringstream theirs(same->substr(zone.size() + std::string(",test,").size()));
    std::string our_field;
    std::string their_field;
    while (std::getline(ours, our_field, ',') && std::getline(theirs, their_field, ',')) {
      EXPECT_NEAR(std::stod(our_field), std::stod(their_field), 1e-6 * (1 + std::stod(their_field))) << tested[k];
    }
  }
  const json result = json::parse(backtest.out);
  EXPECT_NEAR(result["served_rate"].get<double>(), report["trials"][0]["test"]["served_rate"].get<double>(), 1e-6);
  for (const char* name : {"equal_weight", "last_hour", "last_week"}) {
    EXPECT_NEAR(result["baselines"][name]["served_rate"].get<double>(),
                report["baselines"][name]["test"]["served_rate"].get<double>(), 1e-12);
  }
  EXPECT_EQ(result["in_sample"], 0);
  const auto next = run_softradial(with({"predict", "--json"}, data));
  ASSERT_EQ(next.exit_code, 0) << next.err;
  const json prediction = json::parse(next.out);
  EXPECT_EQ(prediction["hour"], "2024-07-01T00");
  double sum = 0;
  for (const auto& [zone, share] : prediction["shares"].items()) sum += share.get<double>();
  EXPECT_NEAR(sum, 1, 1e-5);
  const auto wrong = run_softradial({"predict", "--model", dir.path("run"), "--prices", "synthetic:sectors"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("policy for dispatch"), std::string::npos) << wrong.err;
}

// Files that were cut off, changed or made up: one line and exit code 2, for each.
TEST(Policy, DamagedModelsAreRefused) {
  const TempDir dir;
  ASSERT_EQ(run_softradial(train({"--epochs", "1", "--out", dir.path("run")})).exit_code, 0);
  const std::string good = read(dir.path("run/seed-0/model.safetensors"));
  std::mt19937 random(1);
  std::vector<std::string> bad = {"",
                                  "x",
                                  good.substr(0, 8),
                                  good.substr(0, good.size() / 2),
                                  good + "x",
                                  "PK\x03\x04 an archive",
                                  std::string(100, '\xff')};
  for (int k = 0; k < 12; ++k) {
    std::string flipped = good;
    const std::size_t bit = random() % (8 * good.size());
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    bad.push_back(flipped);
  }
  for (const std::string& bytes : bad) {
    const auto result =
        run_softradial({"predict", "--prices", "synthetic:sectors", "--model", dir.write("bad.safetensors", bytes)});
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

TEST(TrainCommand, ADivergedTrainingIsToldSo) {
  const auto result = run_softradial(train({"--epochs", "3", "--learning-rate", "1e300"}));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("seed 0 diverged"), std::string::npos) << result.err;
}

TEST(TrainCommand, TablesFitTheTerminal) {
  for (const Arguments& words :
       {train({"--epochs", "1", "--seeds", "2"}), Arguments{"train", "dispatch", "--zones", "10", "--epochs", "1"}}) {
    const auto result = run_softradial(words);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    for (const std::string& line : lines(result.out)) EXPECT_LE(line.size(), 80U) << line;
  }
  const auto one = run_softradial(train({"--epochs", "1"}));
  EXPECT_EQ(one.out.find("std"), std::string::npos) << "one seed has no deviation";
}

// The line of progress on a terminal of 60 columns never wraps. (`script` runs a command on a terminal of its own.)
TEST(TrainCommand, ProgressFitsTheTerminal) {
  const TempDir dir;
  if (std::system("command -v script > /dev/null") != 0) GTEST_SKIP() << "the program `script` is not installed";
  const std::string command = "script -qec \"stty cols 60; " SOFTRADIAL_PROGRAM
                              " train portfolio --prices synthetic:sectors --epochs 40 --seeds 2\" /dev/null > " +
                              dir.path("out.txt") + " < /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string text = read(dir.path("out.txt"));
  int shown = 0;
  for (std::size_t at = text.find("\r\033[K["); at != std::string::npos; at = text.find("\r\033[K[", at + 1)) {
    ++shown;
    const std::size_t end = text.find_first_of("\r\n", at + 1);
    EXPECT_LT(end - at - 4, 60U) << text.substr(at, end - at);
  }
  EXPECT_GT(shown, 0);
  EXPECT_NE(text.find("  0 %"), std::string::npos) << "from the first moment";
}

}  // namespace
}  // namespace softradial::test
