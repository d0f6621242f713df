#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "data/calendar.hpp"
#include "files/durable_file.hpp"
#include "number_option.hpp"
#include "outcome.hpp"
#include "output_file.hpp"
#include "runs/policy.hpp"
#include "train/commands.hpp"
#include "train/metric_table.hpp"

namespace softradial::program {
namespace {

using namespace softradial::study;

// A saved policy and the data for its decisions.
struct PolicyFlags {
  std::string model;
  std::optional<std::uint64_t> seed;
  std::string prices;
  std::string demand;
  std::uint64_t data_seed = 0;
};

void add_policy_flags(CLI::App& command, PolicyFlags& flags) {
  command.add_option("--model", flags.model, "Folder of a run, or one of its model.safetensors")
      ->required()
      ->type_name("PATH");
  add_number(command, "--seed", flags.seed, kSeed,
             "The seed of the run whose model is used (default: the best on validation)");
  CLI::Option* const prices =
      command.add_option("--prices", flags.prices, "Prices of the same tickers, for a portfolio policy")
          ->type_name("SOURCE");
  command.add_option("--demand", flags.demand, "Demand of the same zones, for a dispatch policy")
      ->type_name("SOURCE")
      ->excludes(prices);
  add_number(command, "--data-seed", flags.data_seed, kSeed, "Seed of synthetic data");
}

// Chooses the model, prints which one, and calls use(model, table) with the data that the user gave.
template <class Use>
auto with_policy(const PolicyFlags& flags, const Use& use) {
  if (flags.prices.empty() == flags.demand.empty())
    throw BadInput("give --prices for a portfolio policy, --demand for dispatch");
  const ModelChoice choice = choose_model(flags.model, flags.seed);
  const auto told = [&](auto result) {
    if (choice.file != flags.model) tell("model: " + choice.reason);
    return result;
  };
  if (!flags.prices.empty()) return told(use(choice.file, load_prices_and_warn(flags.prices, flags.data_seed)));
  return told(use(choice.file, load_demand_and_warn(flags.demand, 0, flags.data_seed)));
}

constexpr const char* kBacktestExamples = R"(Examples:
  softradial backtest --model runs/mine --prices prices.csv --from 2021-01-01
  softradial backtest --model runs/mine --seed 3 --prices prices.csv --json
  softradial backtest --model runs/mine --prices prices.csv --weights w.csv --returns r.csv
  softradial backtest --model runs/taxi --demand hourly.csv --from 2024-06-01 --zones zones.csv

Equal weight, and for dispatch the shares of the last hour and of the same hour last week, stand beside the policy: they need
no training. Days that training or validation knew are said to be in-sample.)";

struct BacktestArguments {
  PolicyFlags policy;
  std::string from;
  std::string to;
  std::string decisions;
  std::string outcomes;
  std::string zones;
  Format format = Format::text;
};

std::optional<std::string> bound(const std::string& flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const auto day = parse_date(text); day && text.size() <= 10) return format_date(*day);
  if (const auto hour = parse_hour(text)) return format_hour(*hour);
  throw BadInput(flag + ": " + program::quoted(text) + " is no date (expected 2021-01-01)");
}

nlohmann::json object_of(const NamedValues& values) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [name, value] : values) out[name] = value;
  return out;
}

ExitCode backtest(const BacktestArguments& arguments) {
  const Period period{bound("--from", arguments.from), bound("--to", arguments.to)};
  if (period.from && period.to && *period.from > *period.to) {
    throw BadInput("--from " + arguments.from + " is after --to " + arguments.to);
  }
  if (!arguments.zones.empty() && arguments.policy.demand.empty()) {
    throw BadInput("--zones: is for a dispatch policy, with --demand");
  }
  const PolicyPeriod found = with_policy(
      arguments.policy, [&](const auto& model, const auto& table) { return apply_policy(model, table, period); });
  const Record& record = found.record;
  if (!arguments.decisions.empty()) write_file(arguments.decisions, decisions_csv({&record, 1}));
  if (!arguments.outcomes.empty()) write_file(arguments.outcomes, outcomes_csv({&record, 1}));
  if (!arguments.zones.empty()) write_file(arguments.zones, zones_csv({&record, 1}));
  const std::string unit = record.time == "date" ? "days" : "hours";
  OutputFile out(STDOUT_FILENO);
  if (arguments.format == Format::json) {
    nlohmann::json result = object_of(found.metrics);
    result.update({{"model", arguments.policy.model},
                   {"method", found.method},
                   {"from", record.decided.front()},
                   {"to", record.decided.back()},
                   {unit, record.decided.size()},
                   {"in_sample", found.in_sample},
                   {"violation", found.violation},
                   {"least_slack", found.least_slack}});
    for (const auto& [name, metrics] : found.baselines) result["baselines"][name] = object_of(metrics);
    out.append(result.dump() + "\n");
  } else {
    std::vector<MetricRow> rows = {{found.method, object_of(found.metrics), found.violation}};
    for (const auto& [name, metrics] : found.baselines) rows.push_back({name, object_of(metrics), std::nullopt});
    out.append(fmt::format("{} to {}, {} {}, {} of them in-sample; least slack {:.1e}\n", record.decided.front(),
                           record.decided.back(), record.decided.size(), unit, found.in_sample, found.least_slack));
    const bool markdown = arguments.format == Format::markdown;
    out.append((markdown ? "\n" : "") + table_text(metric_table("policy", rows), markdown));
    if (!markdown && std::filesystem::is_directory(arguments.policy.model)) {
      out.append(fmt::format("to look at the run: softradial report {} -o report.html\n", arguments.policy.model));
    }
  }
  out.finish();
  if (found.in_sample > 0) {
    tell(fmt::format("warning: {} of {} {} are in-sample: training and validation knew everything up to {}",
                     found.in_sample, record.ended.size(), unit, found.in_sample_until));
  }
  return ExitCode::done;
}

constexpr const char* kPredictExamples = R"(Examples:
  softradial predict --model runs/mine --prices prices.csv > weights.csv
  softradial predict --model runs/taxi --demand hourly.csv > shares.csv

Prints ticker,weight for the latest day of the prices, decided with that day known; or zone,share,allocation for the hour after
the last one of the demand, the allocation being the share of that last hour's total.)";

struct PredictArguments {
  PolicyFlags policy;
  Format format = Format::text;
};

ExitCode predict_next(const PredictArguments& arguments) {
  const Prediction found =
      with_policy(arguments.policy, [&](const auto& model, const auto& table) { return predict(model, table); });
  const bool portfolio = arguments.policy.demand.empty();
  OutputFile out(STDOUT_FILENO);
  if (arguments.format == Format::json) {
    nlohmann::json decision = nlohmann::json::object();
    for (std::size_t k = 0; k < found.names.size(); ++k) decision[found.names[k]] = found.decision[k];
    nlohmann::json result = {{portfolio ? "date" : "hour", found.time}, {portfolio ? "weights" : "shares", decision}};
    if (!portfolio) result["supply"] = found.supply;
    out.append(result.dump() + "\n");
  } else {
    TextTable rows = {{portfolio ? "ticker" : "zone", found.time}};
    if (!portfolio) rows[0].emplace_back("allocation");
    for (std::size_t k = 0; k < found.names.size(); ++k) {
      rows.push_back({found.names[k], fmt::format("{:.9g}", found.decision[k])});
      if (!portfolio) rows.back().push_back(fmt::format("{:.9g}", found.supply * found.decision[k]));
    }
    if (arguments.format == Format::markdown) {
      out.append(table_text(rows, true));
    } else {
      for (const auto& row : rows) out.append(fmt::format("{}\n", fmt::join(row, ",")));
    }
  }
  out.finish();
  return ExitCode::done;
}

}  // namespace

void add_backtest_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<BacktestArguments>();
  CLI::App& command = *program.add_subcommand("backtest", "Test a saved policy on any period");
  command.footer(kBacktestExamples);
  add_policy_flags(command, arguments->policy);
  command.add_option("--from", arguments->from, "First day of decisions")->type_name("DATE");
  command.add_option("--to", arguments->to, "Last day of decisions")->type_name("DATE");
  command
      .add_option("--weights,--decisions", arguments->decisions,
                  "Write the decisions of every day or hour to this CSV file")
      ->type_name("FILE");
  command
      .add_option("--returns,--outcomes", arguments->outcomes,
                  "Write their outcomes (docs/runs.md), with those of the baselines, to this CSV file")
      ->type_name("FILE");
  command
      .add_option("--zones", arguments->zones,
                  "For dispatch: write the vehicles, requests and served requests of each zone over the period to "
                  "this CSV file")
      ->type_name("FILE");
  add_format(command, arguments->format);
  command.callback([arguments, &chosen] { chosen = [arguments] { return backtest(*arguments); }; });
}

void add_predict_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<PredictArguments>();
  CLI::App& command = *program.add_subcommand("predict", "Print the next decision of a saved policy");
  command.footer(kPredictExamples);
  add_policy_flags(command, arguments->policy);
  add_format(command, arguments->format);
  command.callback([arguments, &chosen] { chosen = [arguments] { return predict_next(*arguments); }; });
}

}  // namespace softradial::program
