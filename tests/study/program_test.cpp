// softradial train, backtest, predict, table: as a user runs them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"

namespace softradial::test {
namespace {

const Arguments kQuick = {"--prices", "synthetic:sectors", "--cap", "0.3", "--epochs", "2", "--hidden", "8"};

Arguments train(Arguments more) {
  Arguments all = {"train", "portfolio"};
  all.insert(all.end(), kQuick.begin(), kQuick.end());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(TrainCommand, JsonHoldsConfigurationTrialsAndMeans) {
  const auto result = run_softradial(train({"--seeds", "2", "--json"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["task"], "portfolio");
  EXPECT_EQ(report["method"], "soft_radial");
  EXPECT_EQ(report["config"]["epochs"], 2);
  ASSERT_EQ(report["trials"].size(), 2U);
  EXPECT_EQ(report["trials"][1]["seed"], 1);
  for (const auto& trial : report["trials"]) EXPECT_EQ(trial["violation"], 0.0);
  EXPECT_TRUE(report["mean"].contains("sharpe") && report["std"].contains("turnover"));
}

TEST(TrainCommand, TheSavedConfigurationTrainsTheSameModel) {
  const TempDir dir;
  const auto first =
      run_softradial(train({"--method", "dc3", "--steps", "2", "--seed", "7", "--out", dir.path("run"), "--json"}));
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const auto again = run_softradial({"train", "portfolio", "--config", dir.path("run/config.toml"), "--json"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(nlohmann::json::parse(first.out)["mean"], nlohmann::json::parse(again.out)["mean"]);
  const auto beaten =
      run_softradial({"train", "portfolio", "--seed", "8", "--config", dir.path("run/config.toml"), "--json"});
  EXPECT_EQ(nlohmann::json::parse(beaten.out)["trials"][0]["seed"], 8);
}

TEST(TrainCommand, BacktestAndPredictUseWhatWasSaved) {
  const TempDir dir;
  ASSERT_EQ(run_softradial(train({"--out", dir.path("run")})).exit_code, 0);
  const auto backtest = run_softradial(
      {"backtest", "--model", dir.path("run"), "--prices", "synthetic:sectors", "--from", "2021-01-01", "--json"});
  ASSERT_EQ(backtest.exit_code, 0) << backtest.err;
  const auto measured = nlohmann::json::parse(backtest.out);
  EXPECT_EQ(measured["violation"], 0.0);
  EXPECT_GT(measured["least_slack"].get<double>(), 0);
  const auto predict = run_softradial({"predict", "--model", dir.path("run"), "--prices", "synthetic:sectors"});
  ASSERT_EQ(predict.exit_code, 0) << predict.err;
  EXPECT_TRUE(predict.out.starts_with("ticker,2025-12-31\n"));
  EXPECT_EQ(std::ranges::count(predict.out, '\n'), 10);
}

TEST(TrainCommand, ATableReadsTheRunsThatItFinds) {
  const TempDir dir;
  Arguments table = {"table", "portfolio", "--universe",     "sectors",  "--seeds",
                     "1",     "--runs",    dir.path("runs"), "--method", "soft_radial,softmax"};
  for (const std::size_t k : {0, 1, 4, 5, 6, 7}) table.push_back(kQuick[k]);
  const auto first = run_softradial(table);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.out.find("equal_weight"), std::string::npos);
  EXPECT_NE(first.out.find("0.76 +- 0.04, 0.09"), std::string::npos) << "the paper's number";
  const auto file = std::filesystem::last_write_time(dir.path("runs/sectors-soft_radial-1/result.json"));
  EXPECT_EQ(run_softradial(table).out, first.out);
  EXPECT_EQ(std::filesystem::last_write_time(dir.path("runs/sectors-soft_radial-1/result.json")), file);
}

TEST(TrainCommand, BadInputIsOneLine) {
  struct Case {
    Arguments arguments;
    std::string error;
  };
  const TempDir dir;
  const std::string ball = dir.write("ball.json", R"({"type": "ball", "center": [0, 0], "radius": 1})");
  const Case cases[] = {
      {{"train"}, "no command: see softradial train --help"},
      {train({"--method", "magic"}), "--method: magic not in"},
      {train({"--cap", "0.05"}), ""},
      {train({"--steps", "3"}), "soft_radial has no option 'steps'"},
      {train({"--train-end", "yesterday"}), "'yesterday' is no date"},
      {train({"--set", ball}), "the set has dimension 2, the data have 9 columns"},
      {{"train", "portfolio", "--prices", dir.path("none.csv")}, ""},
      {{"backtest", "--model", dir.path("none"), "--prices", "synthetic:sectors"}, "no such file"},
      {{"train", "portfolio", "--config", dir.path("none.toml")}, "none.toml: cannot be opened"},
      {{"train", "portfolio", "--config", dir.write("bad.toml", "colour=3\n")}, "colour"},
      {{"predict", "--prices", "synthetic:sectors"}, "--model is required"},
  };
  for (const Case& c : cases) {
    const auto result = run_softradial(c.arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_TRUE(result.err.starts_with("softradial: error: ")) << result.err;
    EXPECT_NE(result.err.find(c.error), std::string::npos) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace softradial::test
