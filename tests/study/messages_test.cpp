// Every kind of bad input of softradial train, backtest, predict and table: one line, exit code 2, nothing on stdout.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"

namespace softradial::test {
namespace {

struct Case {
  Arguments arguments;
  std::string error;  // its beginning; "@" stands for the folder of the test
};

// No message is longer than a few lines of a terminal: paths and lists of names, no ranges of 309 digits, no backtraces.
constexpr std::size_t kLongestMessage = 400;

void expect_refused(const TempDir& dir, const Case& c) {
  std::string error = c.error;
  for (std::size_t at = 0; (at = error.find('@', at)) != std::string::npos;) error.replace(at, 1, dir.path(""));
  const ChildResult result = run_softradial(c.arguments);
  std::string what = "softradial";
  for (const std::string& argument : c.arguments) what += ' ' + argument;
  EXPECT_EQ(result.exit_code, 2) << what << '\n' << result.err;
  EXPECT_EQ(result.out, "") << what;
  EXPECT_TRUE(result.err.starts_with("softradial: error: " + error)) << what << '\n' << result.err;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << what << '\n' << result.err;
  EXPECT_LT(result.err.size(), kLongestMessage) << what << '\n' << result.err;
}

// A short training, unless `more` says otherwise: an option may be given once.
Arguments portfolio(const Arguments& more) {
  Arguments all = {"train", "portfolio", "--prices", "synthetic:sectors"};
  for (const char* flag : {"--epochs", "--hidden"}) {
    if (std::ranges::find(more, flag) == more.end()) all.insert(all.end(), {flag, "1"});
  }
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
Arguments dispatch(const Arguments& more) {
  Arguments all = {"train", "dispatch", "--epochs", "1", "--hidden", "4"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Messages, Commands) {
  const TempDir dir;
  const Case cases[] = {
      {{"trian"}, "unknown command \"trian\": did you mean train?"},
      {{"train"}, "no command: see softradial train --help"},
      {{"train", "portfolo"}, "unknown command \"portfolo\": did you mean portfolio?"},
      {{"table"}, "no command: see softradial table --help"},
      {portfolio({"--epoch", "3"}), "unknown option --epoch: did you mean --epochs?"},
      {portfolio({"--learning-rat=3"}), "unknown option --learning-rat: did you mean --learning-rate?"},
      {portfolio({"--frobnicate"}), "unknown option --frobnicate: see softradial train portfolio --help"},
      {portfolio({"--seed", "1", "--seed", "2"}), "--seed: is given 2 times"},
      {portfolio({"stray"}), "unexpected word \"stray\": see softradial train portfolio --help"},
      {portfolio({"--method", "soft_radail"}), "--method: soft_radail not in {equal_weight,"},
      {portfolio({"--contraction", "cubic"}), "--contraction: cubic not in {rational,"},
      {portfolio({"--objective", "both"}), "--objective: both not in {net,gross,variance}"},
      {portfolio({"--smoothing", "1"}), "--smoothing 1: expected"},
      {portfolio({"--anchor", "drifted", "--method", "orthogonal"}), "--anchor drifted: the method has no anchor"},
      {portfolio({"--json", "--markdown"}), "--json excludes --markdown"},
      {portfolio({"--format", "xml"}), "--format: xml not in {text,json,markdown}"},
      {portfolio({"--split", "2018"}), "the split \"2018\" is neither text nor table nor two dates"},
      {portfolio({"--split", "table", "--train-end", "2018-12-31"}), "--train-end excludes --split"},
      {portfolio({"--train-end", "yesterday"}), "--train-end: 'yesterday' is no date (expected 2018-12-31)"},
      {portfolio({"--steps", "3"}), "soft_radial has no option 'steps'"},
      {portfolio({"--epsilon", "2"}), ""},
      {portfolio({"--method", "softmax", "--temperature", "0"}), ""},
      {portfolio({"--method", "dc3", "--steps", "1.5"}), "steps must be a whole number"},
      {{"train", "portfolio", "--prices", "synthetic:sektors"}, "the synthetic prices \"sektors\" are not known"},
      {{"train", "portfolio", "--prices", "caf\xE9.csv"}, "the word \"caf\\xe9.csv\" is not UTF-8"},
      {{"table", "portfolio", "--set", "set.json"}, "unknown option --set: see softradial table portfolio --help"},
      {{"table", "portfolio", "--method", "softmax,magic"}, "--method: magic not in {"},
      {{"table", "portfolio", "--universe", "sector"},
       "--universe: sector not in {liquid,sectors,global}: did you mean sectors?"},
      {{"table", "portfolio", "--cap", "0.1,5"}, "--cap 5: expected a share between 0 and 1; 5 % is 0.05"},
      {{"table", "portfolio", "--cap", "0.1,"}, "--cap : expected a share between 0 and 1; 5 % is 0.05"},
      {{"table", "dispatch", "--kappa", "-0.1"}, "--kappa -0.1: expected a share between 0 and 1; 5 % is 0.05"},
      {{"table", "summary", "--prices", "none.csv"}, "none.csv: cannot be opened: No such file or directory"},
      {{"predict", "--prices", "synthetic:sectors"}, "--model is required"},
      {{"backtest", "--model", "none", "--prices", "synthetic:sectors"}, "none: "},
      {{"backtest", "--model", "none", "--prices", "synthetic:sectors", "--data-seed", "-1"},
       "--data-seed -1: expected a whole number from 0 to 9007199254740992"},
      {{"backtest", "--model", "none", "--prices", "synthetic:sectors", "--zones", "zones.csv"},
       "--zones: is for a dispatch policy, with --demand"},
  };
  for (const Case& c : cases) expect_refused(dir, c);
}

// One case for each option: tests/program/number_option_test.cpp has the kinds of words that are no numbers.
TEST(Messages, Numbers) {
  const TempDir dir;
  const std::string share = ": expected a share between 0 and 1; 5 % is 0.05";
  const Case cases[] = {
      {portfolio({"--cap", "5"}), "--cap 5" + share},
      {portfolio({"--cap", "nan"}), "--cap nan" + share},
      {dispatch({"--kappa", "10"}), "--kappa 10" + share},
      {portfolio({"--cap", "0.05"}), "a cap of 0.05: 9 columns of at most 0.05 hold 0.45 in all, less than 1"},
      {portfolio({"--seed", "-1"}), "--seed -1: expected a whole number from 0 to 9007199254740992"},
      {portfolio({"--seeds", "0"}), "--seeds 0: expected a whole number from 1 to 10000"},
      {portfolio({"--epochs", "99999999999999999999"}),
       "--epochs 99999999999999999999: expected a whole number from 1 to 1000000"},
      {portfolio({"--epochs", ""}), "--epochs"},
      {portfolio({"--epochs", std::string(300, '9')}),
       "--epochs 9999999999999999999999999999999999999999...: expected"},
      {portfolio({"--cost", "nan"}), "--cost nan: expected a number from 0 to 1"},
      {portfolio({"--learning-rate", "0"}), "--learning-rate 0: expected a number above 0"},
      {portfolio({"--dropout", "1"}), "--dropout 1: expected a number from 0 to 0.99"},
      {portfolio({"--batch", "2"}), "--batch 2: expected a whole number from 3 to 1000000"},
      {portfolio({"--hidden", "1000000000000"}), "--hidden 1000000000000: expected a whole number from 1 to 65536"},
      {portfolio({"--lookback", "0"}), "--lookback 0: expected a whole number from 1 to 10000"},
      {portfolio({"--patience", "-1"}), "--patience -1: expected a whole number from 0 to 1000000"},
      {portfolio({"--threads", "0"}), "--threads 0: expected a whole number from 1 to 1024"},
      {portfolio({"--penalty-weight", "-1"}), "--penalty-weight -1: expected a number of at least 0"},
      {portfolio({"--lambda", "nan"}), "--lambda nan: expected a number"},
      {dispatch({"--zones", "-1"}), "--zones -1: expected a whole number from 1 to 1000000"},
      {dispatch({"--soft-min", "-1"}), "--soft-min -1: expected a number of at least 0"},
      {dispatch({"--history", "0"}), "--history 0: expected a whole number from 1 to 10000"},
  };
  for (const Case& c : cases) expect_refused(dir, c);
}

TEST(Messages, Data) {
  const TempDir dir;
  std::string recent = "date,A,B\n";
  for (int month = 1; month <= 12; ++month) {
    for (int day = 1; day <= 28; ++day) {
      char line[64];
      std::snprintf(line, sizeof line, "2024-%02d-%02d,%d,%d\n", month, day, 100 + day, 100 + month);
      recent += line;
    }
  }
  const std::string prices = dir.write("recent.csv", recent);
  const std::string hours = dir.write("hours.csv", "hour,1,2\n2024-01-01T00,1,5\n2024-01-01T01,0,7\n");
  const std::string ball = dir.write("ball.json", R"({"type": "ball", "center": [0, 0], "radius": 1})");
  const std::string curved = dir.write("curved.toml", "[tracking]\nmax = 0.2\nreference = \"equal\"\n");
  const std::string outside = dir.write(
      "outside.json", R"({"type": "polyhedron", "A": [[1,0,0,0,0,0,0,0,0],[-1,0,0,0,0,0,0,0,0]], "b": [0, -1]})");
  const std::string empty = dir.path("empty");
  std::filesystem::create_directory(empty);
  const std::string nested = dir.write("nested.json", "{\"cap\": " + std::string(100'000, '['));
  const Case cases[] = {
      {{"train", "portfolio", "--prices", prices},
       "the returns run from 2024-01-02 to 2024-12-28: 0 days up to 2018-12-31 (--train-end) for training"},
      {{"train", "portfolio", "--prices", prices, "--train-end", "2024-06-28"},
       "--validation-end 2020-12-31 is before --train-end 2024-06-28"},
      {{"train", "portfolio", "--prices", prices, "--split", "2024-06-28,2024-12-28"},
       "the returns run from 2024-01-02 to 2024-12-28: 0 days after 2024-12-28 (--validation-end) for the test"},
      {{"train", "portfolio", "--prices", prices, "--split", "2024-06-28,2024-09-28", "--lookback", "300"},
       "the returns run from 2024-01-02 to 2024-12-28: 167 days up to 2024-06-28 (--train-end) for training"},
      {{"train", "portfolio", "--train-end", "2020-12-31", "--validation-end", "2019-12-31"},
       "--validation-end 2019-12-31 is before --train-end 2020-12-31"},
      {{"train", "portfolio", "--prices", dir.path("none.csv")}, "@none.csv: cannot be opened: No such file"},
      {{"train", "portfolio", "--prices", empty}, "@empty: the folder has no price files"},
      {{"train", "dispatch", "--demand", hours, "--zones", "2", "--kappa", "1"},
       "a history of 24 hours (--history) with 1 hours of training"},
      {{"train", "dispatch", "--demand", dir.path("none.csv")}, "@none.csv: cannot be opened: No such file"},
      {portfolio({"--set", ball}), "@ball.json: the set has dimension 2, the data have 9 columns"},
      {portfolio({"--set", outside}), "@outside.json: no decision obeys all limits"},
      {portfolio({"--set", dir.path("none.json")}), "@none.json: cannot be opened: No such file"},
      {portfolio({"--set", dir.path("")}), "@: is a folder, not a file"},
      {portfolio({"--set", nested}), "@nested.json: "},
      {portfolio({"--set", "{}x"}), "--set: "},
      {portfolio({"--set", R"({"caps": {"SEC1": 0.1}})"}),
       "--set: caps: the data have no column SEC1: did you mean SEC01?"},
      {portfolio({"--set", curved, "--method", "dc3"}), ""},
      {portfolio({"--set", curved, "--method", "softmax"}), ""},
      {portfolio({"--method", "hardnet_aff"}), ""},
      {dispatch({"--zones", "3", "--set", R"({"type": "capped_simplex", "cap": [0.5, 0.4, 0.9]})"}),
       "--set: the set names no coordinates, and 147 columns of the data are left out: name the coordinates"},
      {portfolio({"--out", hours + "/folder"}), ""},
      {portfolio({"--out", "/proc/softradial"}), ""},
  };
  for (const Case& c : cases) expect_refused(dir, c);
}

TEST(Messages, ConfigurationFiles) {
  const TempDir dir;
  const auto with = [&](const std::string& text) {
    static int count = 0;
    const std::string name = "c" + std::to_string(count++) + ".toml";
    return Arguments{"train", "portfolio", "--config", dir.write(name, text)};
  };
  const Case cases[] = {
      {{"train", "portfolio", "--config", dir.path("none.toml")}, "@none.toml: cannot be opened: No such file"},
      {{"train", "portfolio", "--config", dir.path("")}, "@: is a folder, not a file"},
      {with("epochs = 1\nepoch = 2\n"), "@c0.toml: line 2: unknown key \"epoch\": did you mean epochs?"},
      {with("[training]\nepochs = 1\n"), "@c1.toml: line 1: training: sections are not used"},
      {with("config = \"other.toml\"\n"), "@c2.toml: line 1: unknown key \"config\""},
      {with("json = true\n"), "@c3.toml: line 1: unknown key \"json\""},
      {with("help = true\n"), "@c4.toml: line 1: unknown key \"help\""},
      {with("epochs = [1, 2]\n"), "@c5.toml: line 1: epochs: expected one number"},
      {with("\n\nepochs = \"1\"\n"), "@c6.toml: line 3: epochs: expected a number, without quotes"},
      {with("epochs = 1.5\n"), "@c7.toml: line 1: --epochs 1.5: expected a whole number from 1 to 1000000"},
      {with("cost = nan\n"), "@c8.toml: line 1: --cost nan: expected a number from 0 to 1"},
      {with("cap = 5\n"), "@c9.toml: line 1: --cap 5: expected a share between 0 and 1; 5 % is 0.05"},
      {with("method = 3\n"), "@c10.toml: line 1: method: expected a text in quotes"},
      {with("method = \"magic\"\n"), "@c11.toml: line 1: --method: magic not in {"},
      {with("cap = true\n"), "@c12.toml: line 1: cap: expected a number"},
      {with("cap = 0.5\ncap = 0.4\n"), "@c13.toml: line 2: "},
      {with("cap 0.5\n"), "@c14.toml: line 1: "},
      {with("train-end = \"soon\"\n"), "@c15.toml: line 1: --train-end: 'soon' is no date"},
      {with("prices = 2018-12-31\n"), "@c16.toml: line 1: prices: expected a text in quotes"},
      {with("kappa = 0.5\n"), "@c17.toml: line 1: unknown key \"kappa\""},
  };
  for (const Case& c : cases) expect_refused(dir, c);
}

// What --out saves as config.toml is read again as it was: paths with any letters, limits and dates.
TEST(Configuration, RoundTrips) {
  const TempDir dir;
  const std::string odd = dir.path("pri#ces 'a' \"b\" \\n \xC3\xA9.csv");
  ASSERT_EQ(run_softradial({"data", "generate", "synthetic:sectors", "--out", odd}).exit_code, 0);
  const std::string limits = dir.write("limits.toml", "[groups.risky]\nmembers = [\"SEC01\", \"SEC02\"]\nmax = 0.2\n");
  const auto first = run_softradial(
      {"train",    "portfolio", "--prices", odd,   "--set",           limits,          "--cap",   "0.4",
       "--epochs", "1",         "--hidden", "4",   "--learning-rate", "0.00037",       "--split", "table",
       "--method", "gauge_map", "--lambda", "0.7", "--out",           dir.path("run"), "--json"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  std::filesystem::remove(limits);  // the run holds the limits themselves
  const auto again = run_softradial({"train", "portfolio", "--config", dir.path("run/config.toml"), "--json"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const auto before = nlohmann::json::parse(first.out);
  const auto after = nlohmann::json::parse(again.out);
  EXPECT_EQ(after["config"], before["config"]);
  EXPECT_EQ(after["mean"], before["mean"]);
  EXPECT_EQ(after["config"]["set"]["groups"]["risky"]["max"], 0.2);
  EXPECT_EQ(after["config"]["train_end"], "2017-12-31");
  const auto beaten = run_softradial(
      {"train", "portfolio", "--config", dir.path("run/config.toml"), "--cap=0.3", "--split", "text", "--json"});
  ASSERT_EQ(beaten.exit_code, 0) << beaten.err;
  EXPECT_EQ(nlohmann::json::parse(beaten.out)["config"]["cap"], 0.3) << "the command line wins";
  EXPECT_EQ(nlohmann::json::parse(beaten.out)["config"]["train_end"], "2018-12-31");
}

// A set comes without the cap that dispatch has by default; one that the user gives counts besides.
TEST(Configuration, OnlyAGivenCapCountsBesidesASet) {
  const Arguments base = dispatch({"--zones", "5", "--set", R"({"cap": 0.9})", "--json"});
  const auto without = run_softradial(base);
  ASSERT_EQ(without.exit_code, 0) << without.err;
  EXPECT_EQ(nlohmann::json::parse(without.out)["config"]["cap"], 1.0);
  Arguments capped = base;
  capped.insert(capped.end(), {"--kappa", "0.3"});
  EXPECT_EQ(nlohmann::json::parse(run_softradial(capped).out)["config"]["cap"], 0.3);
}

TEST(Configuration, ASetWithoutNamesIsExplainedOnce) {
  const auto result = run_softradial(portfolio(
      {"--seeds", "2", "--set", R"({"type": "capped_simplex", "cap": [0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9]})"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(
      result.err,
      "softradial: --set: the set names no coordinates: taken in the order of the columns SEC01, SEC02, SEC03, SEC04, "
      "SEC05, SEC06, SEC07, SEC08, ... (9 in all)\n");
}

// A table without prices is about those of its universe, and says so.
TEST(Tables, TakeTheDataOfTheirUniverse) {
  const auto summary = run_softradial({"table", "summary", "--universe", "sectors"});
  ASSERT_EQ(summary.exit_code, 0) << summary.err;
  EXPECT_TRUE(summary.out.ends_with("data: synthetic:sectors\n")) << summary.out;
  EXPECT_EQ(summary.out,
            run_softradial({"table", "summary", "--universe", "sectors", "--prices", "synthetic:sectors"}).out);
  const auto json = nlohmann::json::parse(run_softradial({"table", "summary", "--universe", "global", "--json"}).out);
  EXPECT_EQ(json["data"], "synthetic:global");
  EXPECT_EQ(json["paper"].size(), 3U);
  const auto table = run_softradial({"table", "portfolio", "--universe", "sectors", "--method", "soft_radial",
                                     "--seeds", "1", "--epochs", "1", "--hidden", "4"});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  for (const char* text : {"\ncap 0.5 ", "\ncap 0.15 ", "0.77 +- 0.07, 0.12", "data: synthetic:sectors\n"}) {
    EXPECT_NE(table.out.find(text), std::string::npos) << text << "\n" << table.out;
  }
}

}  // namespace
}  // namespace softradial::test
