// Configurations, runs and saved policies, with the library's own layers and the embedded data.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "data/calendar.hpp"
#include "data/table_files.hpp"
#include "data/tables.hpp"
#include "runs/config_fields.hpp"
#include "runs/paper_tables.hpp"
#include "runs/policy.hpp"
#include "runs/run.hpp"
#include "softradial/set_json.hpp"
#include "softradial/sets.hpp"

namespace softradial::study {
namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "softradial_runs_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Nine assets, two epochs: seconds for all methods together.
PortfolioConfig small(const std::string& method) {
  PortfolioConfig config;
  config.prices = "synthetic:sectors";
  config.cap = 0.3;
  config.model.hidden = 8;
  config.training.epochs = 2;
  config.layer.method = method;
  if (!config.layer.equal_weight()) config.layer.options = method_named(method);
  if (auto* hp = std::get_if<Hp>(&config.layer.options)) *hp = {.hidden = 8, .training_steps = 20, .bisections = 20};
  return config;
}

const PriceTable& prices() {
  static const PriceTable table = load_prices("synthetic:sectors", 0).table;
  return table;
}

template <class Config, class Input>
auto recorded(const Config& config, const Input& input, const std::filesystem::path& folder,
              RunStart start = RunStart::fresh) {
  RunFolder record(folder, manifest_of(config, input), start);
  auto result = run(config, input, {.folder = &record});
  record.save_report(report(config, result), "");
  EXPECT_EQ(record.write_error(), "");
  return result.trials;
}

std::filesystem::path best_model(const std::filesystem::path& folder) {
  return choose_model(folder, std::nullopt).file;
}

TEST(RunConfig, RoundTripsThroughJson) {
  PortfolioConfig portfolio = small("dc3");
  set_option(portfolio.layer.options, "steps", 3);
  for (const char* limits : {R"({"type":"simplex","dim":2,"sum":1,"names":["A","B"]})",
                             R"({"cap":0.4,"groups":{"tech":{"max":0.3,"members":["A","B"]}}})"}) {
    portfolio.set_json = limits;
    EXPECT_EQ(to_json(portfolio_config(to_json(portfolio))), to_json(portfolio));
    EXPECT_EQ(nlohmann::json::parse(portfolio_config(to_json(portfolio)).set_json), nlohmann::json::parse(limits));
  }
  DispatchConfig dispatch;
  dispatch.layer.options = SoftRadial{.contraction = Contraction::hyperbolic, .lambda = 2};
  EXPECT_EQ(to_json(dispatch_config(to_json(dispatch))), to_json(dispatch));
  EXPECT_THROW(static_cast<void>(dispatch_config(to_json(portfolio))), DataError);
  EXPECT_THROW(static_cast<void>(portfolio_config(nlohmann::json::object())), DataError);
}

// Gives every field of the configuration another value and checks that JSON tells it and brings it back.
template <class Config, class Read>
void expect_every_field_survives(const Read& read) {
  Config config;
  config.layer = {.method = "soft_penalty", .options = SoftPenalty{}};
  const nlohmann::json before = to_json(config);
  std::vector<std::string> keys;
  const auto change = [&]<class Value>(const Field& field, Value& value) {
    keys.emplace_back(field.key);
    if constexpr (std::same_as<Value, std::string>) {
      value += "x";
    } else if constexpr (std::same_as<Value, std::chrono::sys_days>) {
      value += std::chrono::days(1);
    } else if constexpr (std::is_enum_v<Value>) {
      value = words_of(value).back().second;
    } else {
      value += 1;
    }
  };
  for_each_task_field(config, change);
  for_each_training_field(config, change);
  const nlohmann::json after = to_json(config);
  for (const std::string& key : keys) EXPECT_NE(after.at(key), before.value(key, nlohmann::json())) << key;
  EXPECT_EQ(to_json(read(after)), after);
}

TEST(RunConfig, EveryFieldSurvivesJson) {
  expect_every_field_survives<PortfolioConfig>(portfolio_config);
  expect_every_field_survives<DispatchConfig>(dispatch_config);
}

TEST(RunConfig, BadValuesInJsonAreRefused) {
  const auto with = [](const char* key, const nlohmann::json& value) {
    nlohmann::json config = to_json(PortfolioConfig());
    config[key] = value;
    return config;
  };
  for (const auto& bad : {with("epochs", "many"), with("train_end", "yesterday"), with("objective", "both"),
                          with("train_end", "2022-12-31"), with("prices", 3), with("method", "none")}) {
    EXPECT_THROW(static_cast<void>(portfolio_config(bad)), Error) << bad;
  }
}

class EveryMethod : public testing::TestWithParam<std::string> {};

// No decision of any run may violate anything but where the method promises nothing.
TEST_P(EveryMethod, TrainsAndObeys) {
  const auto trials = run(small(GetParam()), prices()).trials;
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_TRUE(std::isfinite(trials[0].test.sharpe));
  if (GetParam() == "softmax" || GetParam() == "soft_penalty") {
    EXPECT_GE(*trials[0].worst_violation, 0);
  } else if (GetParam() == "hardnet_cvx") {
    EXPECT_LE(*trials[0].worst_violation, 1e-7) << "on the boundary, to rounding";
  } else {
    EXPECT_EQ(*trials[0].worst_violation, 0) << GetParam();
  }
}

std::vector<std::string> trainable() {
  std::vector<std::string> names = {"equal_weight"};
  for (const std::string_view name : method_names()) {
    if (name != "hardnet_aff") names.emplace_back(name);  // a capped simplex has more rows than it takes
  }
  return names;
}
INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(trainable()),
                         [](const auto& test) { return test.param; });

TEST(Run, ASeedGivesTheSameNumbersAgain) {
  PortfolioConfig config = small("soft_radial");
  config.seeds = 2;
  const auto once = report(config, run(config, prices()));
  const auto again = report(config, run(config, prices()));
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(once["trials"][k]["test"], again["trials"][k]["test"]);
  EXPECT_NE(once["trials"][0]["test"], once["trials"][1]["test"]);
}

// What came later is left out where it is as it always was: runs from before are read, and are the same configuration.
TEST(RunConfig, SavedBeforeItHadAllFields) {
  const nlohmann::json saved = to_json(PortfolioConfig());
  for (const char* key : {"model", "smoothing", "anchor"}) EXPECT_FALSE(saved.contains(key)) << key;
  EXPECT_EQ(portfolio_config(saved).model, PortfolioOptions());
}

// The smallest volatility of validation chooses, and training for it gives a smaller one than training for the Sharpe ratio.
TEST(Run, TheVarianceObjectiveMakesPortfoliosCalm) {
  PortfolioConfig config = small("soft_orthogonal");
  config.training.epochs = 15;
  const PortfolioTrial sharpe = run(config, prices()).trials[0];
  config.model.objective = PortfolioObjective::variance;
  const auto result = run(config, prices());
  const PortfolioTrial& calm = result.trials[0];
  EXPECT_EQ(calm.selection, -calm.validation.annual_volatility);
  EXPECT_LT(calm.test.annual_volatility, sharpe.test.annual_volatility);
  EXPECT_EQ(*calm.worst_violation, 0);
  ASSERT_EQ(result.against_equal_weight.size(), 2U);
  const auto& [name, ratio] = result.against_equal_weight[1];
  EXPECT_EQ(name, "volatility_ratio");
  EXPECT_LT(ratio.low, ratio.value);
  EXPECT_LT(ratio.value, ratio.high);
  EXPECT_NEAR(ratio.value, calm.test.annual_volatility / baselines(config, prices())[0].test.annual_volatility, 1e-9);
}

// Every kind of decision path obeys the set, is the same when it is asked for again, and survives the model file.
TEST(Run, SmoothedSharedAndDriftedPoliciesObeyAndAreSaved) {
  PortfolioConfig plain = small("soft_radial");
  const double turnover = run(plain, prices()).trials[0].test.turnover;
  PortfolioConfig smoothed = plain;
  smoothed.model.smoothing = 0.9;
  PortfolioConfig shared = plain;
  shared.model.kind = PortfolioModelKind::shared;
  PortfolioConfig drifted = plain;
  drifted.model.anchor = PortfolioAnchor::drifted;
  for (const PortfolioConfig& config : {smoothed, shared, drifted}) {
    const TemporaryFolder folder;
    const auto trials = recorded(config, prices(), folder.path());
    EXPECT_EQ(*trials[0].worst_violation, 0);
    if (config.model.kind == PortfolioModelKind::lstm) {
      EXPECT_LT(trials[0].test.turnover, turnover);
    }
    const PolicyPeriod period = apply_policy(best_model(folder.path()), prices(), {.from = "2021-01-01", .to = {}});
    EXPECT_NEAR(period.metrics[0].second, trials[0].test.sharpe, 1e-5);
    EXPECT_EQ(period.violation, 0);
    // The decision for the last day alone is that of the whole period.
    const Prediction last = predict(best_model(folder.path()), prices());
    for (std::size_t i = 0; i < last.decision.size(); ++i) {
      EXPECT_NEAR(last.decision[i], period.record.decisions.bottomRows(1)(0, static_cast<Eigen::Index>(i)), 1e-6);
    }
  }
}

TEST(Run, OnlyMethodsWithAnAnchorFollowTheWeights) {
  PortfolioConfig config = small("orthogonal");
  config.model.anchor = PortfolioAnchor::drifted;
  EXPECT_THROW(static_cast<void>(run(config, prices())), DataError);
  config = small("hop");
  config.model.kind = PortfolioModelKind::shared;
  EXPECT_THROW(static_cast<void>(run(config, prices())), DataError) << "as many numbers as assets";
}

// The mean of the seeds' decisions is one more policy: feasible, recorded, and the same after a resume.
TEST(Run, TheEnsembleIsTheMeanOfTheDecisions) {
  PortfolioConfig config = small("soft_radial");
  config.seeds = 3;
  const TemporaryFolder folder;
  std::vector<double> sharpes;
  for (const RunStart start : {RunStart::fresh, RunStart::resume}) {
    RunFolder record(folder.path(), manifest_of(config, prices()), start);
    const auto result = run(config, prices(), {.folder = &record, .ensemble = true});
    ASSERT_TRUE(result.ensemble);
    EXPECT_EQ(result.ensemble->violation, 0);
    EXPECT_EQ(result.ensemble->against_equal_weight.size(), 2U);
    sharpes.push_back(result.ensemble->test.sharpe);
    EXPECT_TRUE(report(config, result).contains("ensemble"));
  }
  EXPECT_NEAR(sharpes[0], sharpes[1], 1e-9);
  const auto decided = [&](const std::string& place) {
    std::ifstream file(folder.path() / place / "decisions.csv");
    std::string line;
    std::getline(file, line);
    std::getline(file, line);
    return std::stod(line.substr(line.rfind(',') + 1));
  };
  EXPECT_NEAR(decided("ensemble"), (decided("seed-0") + decided("seed-1") + decided("seed-2")) / 3, 1e-7);
}

// Nothing that is learned or chosen may know the test: changed test prices leave model and validation as they were.
TEST(Run, TheTestPeriodChangesNothingBefore) {
  PriceTable changed = prices();
  const auto first_test_day = std::chrono::sys_days(std::chrono::year(2021) / 1 / 1);
  for (std::size_t t = 0; t < changed.dates.size(); ++t) {
    if (changed.dates[t] >= first_test_day)
      changed.prices.row(static_cast<Eigen::Index>(t)) *= 1 + 0.01 * static_cast<double>(t % 7);
  }
  const auto before = run(small("soft_radial"), prices()).trials;
  const auto after = run(small("soft_radial"), changed).trials;
  EXPECT_EQ(before[0].validation, after[0].validation);
  EXPECT_FALSE(before[0].test == after[0].test);
}

TEST(Run, SectorLimitsComeFromASet) {
  PortfolioConfig config = small("soft_radial");
  config.set_json = R"({"type": "intersection", "sets": [{"type": "capped_simplex", "dim": 9, "cap": 0.3, "sum": 1},
    {"type": "polyhedron", "A": [[1,1,1,0,0,0,0,0,0],[0,0,0,-1,-1,0,0,0,0]], "b": [0.4, -0.1]}]})";
  EXPECT_EQ(*run(config, prices()).trials[0].worst_violation, 0);
  config.set_json = R"({"type": "simplex", "dim": 8, "sum": 1})";
  EXPECT_THROW(static_cast<void>(run(config, prices())), DataError);
}

// The weights of the last day, by name.
std::map<std::string, double> decisions(const PortfolioConfig& config, const PriceTable& table) {
  const TemporaryFolder folder;
  recorded(config, table, folder.path());
  const Prediction latest = predict(best_model(folder.path()), table);
  std::map<std::string, double> out;
  for (std::size_t k = 0; k < latest.names.size(); ++k) out[latest.names[k]] = latest.decision[k];
  return out;
}

PriceTable reversed(const PriceTable& table) {
  PriceTable out = table;
  std::ranges::reverse(out.tickers);
  out.prices = table.prices.rowwise().reverse();
  return out;
}

// A set with names orders the columns of the data: their order in the file changes nothing.
TEST(Limits, ColumnsInAnotherOrderGiveTheSameWeightsByName) {
  PortfolioConfig config = small("soft_radial");
  config.cap = 1;
  NamedSet set{CappedSimplex(Eigen::VectorXd::LinSpaced(9, 0.1, 0.5)), prices().tickers};
  config.set_json = to_json(set);
  const auto straight = decisions(config, prices());
  EXPECT_EQ(decisions(config, reversed(prices())), straight);
  for (std::size_t k = 0; k < 9; ++k) EXPECT_LT(straight.at(set.names[k]), 0.1 + 0.05 * static_cast<double>(k));
  // Without names the caps are those of the columns in the order of the file.
  set.names.clear();
  config.set_json = to_json(set);
  const auto by_position = decisions(config, reversed(prices()));
  for (std::size_t k = 0; k < 9; ++k) {
    EXPECT_LT(by_position.at(prices().tickers[8 - k]), 0.1 + 0.05 * static_cast<double>(k));
  }
}

TEST(Limits, ACapAndASetAreBothObeyed) {
  PortfolioConfig config = small("soft_radial");
  config.cap = 0.15;
  config.set_json = R"({"groups": {"risky": {"members": ["SEC01", "SEC02", "SEC03"], "max": 0.25}}})";
  const auto weights = decisions(config, prices());
  for (const auto& [name, weight] : weights) EXPECT_LT(weight, 0.15) << name;
  EXPECT_LT(weights.at("SEC01") + weights.at("SEC02") + weights.at("SEC03"), 0.25);
}

// Limits of single zones reach these zones, in whatever order the file has them, and give what a set built by hand gives.
TEST(Limits, LimitsOfZonesReachTheirZones) {
  DispatchConfig config;
  config.training.epochs = 2;
  const DemandTable all = load_demand("synthetic:taxi", 12, 0).table;
  ASSERT_EQ(all.zones.size(), 12U);
  Eigen::Index busiest = 0;
  all.demand.colwise().sum().maxCoeff(&busiest);
  ASSERT_NE(busiest, 0) << "the zones stand in the order of the file, not of their demand";
  Eigen::VectorXd caps = Eigen::VectorXd::Constant(12, 0.5);
  caps[busiest] = 0.01;
  config.cap = 0.5;
  config.set_json = R"({"caps": {")" + all.zones[static_cast<std::size_t>(busiest)] + R"(": 0.01}})";
  const double by_name = run(config, all).trials[0].test.served_rate;

  config.cap = 1;
  config.set_json = to_json(NamedSet{CappedSimplex(caps), all.zones});
  EXPECT_EQ(run(config, all).trials[0].test.served_rate, by_name);
  config.set_json = "";
  config.cap = 0.5;
  EXPECT_GT(run(config, all).trials[0].test.served_rate, by_name + 0.02) << "the limit costs something";
  // A set without names cannot say which of the zones it means, since some are left out.
  config.set_json = to_json(Set(CappedSimplex(caps)));
  EXPECT_THROW(static_cast<void>(run(config, all)), DataError);
}

TEST(Run, TooFewDaysAreNamedWithTheirSpan) {
  PortfolioConfig config = small("soft_radial");
  const auto failure = [&](const PriceTable& table) {
    try {
      static_cast<void>(run(config, table));
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  PriceTable recent = prices();
  recent.dates.erase(recent.dates.begin(), recent.dates.end() - 400);
  recent.prices = prices().prices.bottomRows(400);
  EXPECT_NE(failure(recent).find("0 days up to 2018-12-31 (--train-end) for training"), std::string::npos)
      << failure(recent);
  config.split.validation_end = prices().dates.back();
  EXPECT_NE(failure(prices()).find("0 days after 2025-12-31 (--validation-end) for the test"), std::string::npos)
      << failure(prices());
  config = small("soft_radial");
  config.lookback = 5000;
  EXPECT_NE(failure(prices()).find("a lookback of 5000 and a batch of 64 need 5066"), std::string::npos)
      << failure(prices());
}

TEST(Run, DispatchTrainsAndObeys) {
  DispatchConfig config;
  config.zones = 20;
  config.training.epochs = 2;
  const DemandTable demand = load_demand("synthetic:taxi", 20, 0).table;
  for (const char* method : {"soft_radial", "orthogonal", "equal_weight"}) {
    config.layer.method = method;
    if (!config.layer.equal_weight()) config.layer.options = method_named(method);
    const auto trials = run(config, demand).trials;
    EXPECT_EQ(*trials[0].worst_violation, 0) << method;
    EXPECT_GT(trials[0].test.served_rate, 0.3);
    EXPECT_LE(trials[0].test.served_rate, 1);
  }
}

TEST(Policy, ASavedPolicyDecidesAsItDidInTheTest) {
  const TemporaryFolder folder;
  const auto trials = recorded(small("soft_radial"), prices(), folder.path());
  const auto period = apply_policy(best_model(folder.path()), prices(), {.from = "2021-01-01", .to = {}});
  EXPECT_EQ(period.metrics[0].first, "sharpe");
  EXPECT_NEAR(period.metrics[0].second, trials[0].test.sharpe, 1e-9);
  EXPECT_EQ(period.violation, 0);
  EXPECT_GT(period.least_slack, 0);
  EXPECT_EQ(period.in_sample, 0U);
  const Prediction latest = predict(best_model(folder.path()), prices());
  EXPECT_EQ(latest.time, format_date(prices().dates.back()));
  double sum = 0;
  for (const double w : latest.decision) sum += w;
  EXPECT_NEAR(sum, 1, 1e-5);
}

// Columns are found by their names, and later days change no earlier decision.
TEST(Policy, ColumnsMayStandInAnotherOrderAndMayNotBeMissing) {
  const TemporaryFolder folder;
  recorded(small("soft_radial"), prices(), folder.path());
  const auto model = best_model(folder.path());
  PriceTable turned = prices();
  std::ranges::reverse(turned.tickers);
  turned.prices = prices().prices.rowwise().reverse();
  EXPECT_EQ(predict(model, turned).decision, predict(model, prices()).decision);
  turned.tickers[0] = "OTHER";
  EXPECT_THROW(static_cast<void>(predict(model, turned)), DataError);
  EXPECT_THROW(static_cast<void>(predict(folder.path() / "nothing.safetensors", prices())), DataError);
}

TEST(Tuning, TheGridIsThePapersAndTheTestPlaysNoPart) {
  EXPECT_EQ(paper_grid(Softmax{}).size(), 4U);
  EXPECT_EQ(paper_grid(SoftRadial{}).size(), 15U);
  EXPECT_EQ(paper_grid(HardNet{}).size(), 3U);
  EXPECT_EQ(paper_grid(Dc3{}).size(), 12U);
  EXPECT_EQ(paper_grid(Orthogonal{}).size(), 1U);
  PriceTable changed = prices();
  changed.prices.bottomRows(300) *= 1.5;
  EXPECT_EQ(tuned(small("hardnet"), changed), tuned(small("hardnet"), prices()));
}

TEST(PaperTables, HaveTheRowsOfThePaper) {
  EXPECT_EQ(paper_net_table().size(), 25U);
  EXPECT_EQ(paper_gross_table().size(), 25U);
  EXPECT_EQ(paper_dispatch_table().size(), 9U);
  EXPECT_EQ(paper_summary_table().size(), 9U);
}

TEST(Violation, IsJudgedOnTheNumbersReturned) {
  const auto judge = violation_of(CappedSimplex(3, 0.5));
  EXPECT_EQ(judge(at::tensor({0.5F, 0.25F, 0.25F}).unsqueeze(0)), 0);
  EXPECT_GT(judge(at::tensor({0.6F, 0.2F, 0.2F}).unsqueeze(0)), 0.09);
  EXPECT_GT(judge(at::tensor({0.4F, 0.2F, 0.2F}).unsqueeze(0)), 0.19);
  EXPECT_GT(judge(at::full({1, 3}, std::numeric_limits<float>::quiet_NaN())), 1);
}

}  // namespace
}  // namespace softradial::study
