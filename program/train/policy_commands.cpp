#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "data/calendar.hpp"
#include "outcome.hpp"
#include "output_file.hpp"
#include "runs/policy.hpp"
#include "train/commands.hpp"

namespace softradial::program {
namespace {

using namespace softradial::study;

// A saved policy and the prices for its decisions.
struct PolicyFlags {
  std::string model;
  std::string prices;
  std::uint64_t data_seed = 0;
};

void add_policy_flags(CLI::App& command, PolicyFlags& flags) {
  command.add_option("--model", flags.model, "Folder of a run, or one of its checkpoints")
      ->required()
      ->type_name("PATH");
  command.add_option("--prices", flags.prices, "Prices of the same tickers")->required()->type_name("SOURCE");
  command.add_option("--data-seed", flags.data_seed, "Seed of synthetic prices");
}

constexpr const char* kBacktestExamples = R"(Examples:
  softradial backtest --model runs/mine --prices prices.csv --from 2021-01-01
  softradial backtest --model runs/mine/seed-3.pt --prices prices.csv --json)";

struct BacktestArguments {
  PolicyFlags policy;
  std::string from;
  std::string to;
  bool json = false;
};

std::optional<std::chrono::sys_days> day(const std::string& flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto parsed = parse_date(text);
  if (!parsed) throw BadInput(flag + ": " + program::quoted(text) + " is no date (expected 2021-01-01)");
  return parsed;
}

ExitCode backtest(const BacktestArguments& arguments) {
  const PriceTable prices = load_prices_and_warn(arguments.policy.prices, arguments.policy.data_seed);
  const PolicyPeriod period =
      apply_policy(arguments.policy.model, prices, day("--from", arguments.from), day("--to", arguments.to));
  nlohmann::json result = {{"model", arguments.policy.model},
                           {"method", period.config.layer.method},
                           {"from", format_date(period.days.front())},
                           {"to", format_date(period.days.back())},
                           {"days", period.days.size()},
                           {"violation", period.violation},
                           {"least_slack", period.least_slack}};
  for (const auto& [name, value] : named_values(period.evaluation.metrics)) result[std::string(name)] = value;
  OutputFile out(STDOUT_FILENO);
  if (arguments.json) {
    out.append(result.dump() + "\n");
  } else {
    out.append(fmt::format("{} from {} to {}, {} days\n", period.config.layer.method, format_date(period.days.front()),
                           format_date(period.days.back()), period.days.size()));
    for (const auto& [name, value] : named_values(period.evaluation.metrics))
      out.append(fmt::format("  {:<20}{:>10.4f}\n", name, value));
    out.append(fmt::format("  {:<20}{:>10.1e}\n  {:<20}{:>10.1e}\n", "violation", period.violation, "least slack",
                           period.least_slack));
  }
  out.finish();
  return ExitCode::done;
}

constexpr const char* kPredictExamples = R"(Example:
  softradial predict --model runs/mine --prices prices.csv > weights.csv

Prints ticker,weight for the latest day of the prices, decided with that day known.)";

ExitCode predict_weights(const PolicyFlags& flags) {
  const Prediction prediction = predict(flags.model, load_prices_and_warn(flags.prices, flags.data_seed));
  OutputFile out(STDOUT_FILENO);
  out.append(fmt::format("ticker,{}\n", format_date(prediction.day)));
  for (std::size_t k = 0; k < prediction.tickers.size(); ++k) {
    out.append(fmt::format("{},{:.9g}\n", prediction.tickers[k], prediction.weights[k]));
  }
  out.finish();
  return ExitCode::done;
}

}  // namespace

void add_backtest_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<BacktestArguments>();
  CLI::App& command = *program.add_subcommand("backtest", "Test a saved portfolio policy on any period");
  command.footer(kBacktestExamples);
  add_policy_flags(command, arguments->policy);
  command.add_option("--from", arguments->from, "First day of decisions")->type_name("DATE");
  command.add_option("--to", arguments->to, "Last day of decisions")->type_name("DATE");
  command.add_flag("--json", arguments->json, "Print one JSON object");
  command.callback([arguments, &chosen] { chosen = [arguments] { return backtest(*arguments); }; });
}

void add_predict_command(CLI::App& program, Action& chosen) {
  const auto flags = std::make_shared<PolicyFlags>();
  CLI::App& command = *program.add_subcommand("predict", "Print the weights of a saved policy for the latest day");
  command.footer(kPredictExamples);
  add_policy_flags(command, *flags);
  command.callback([flags, &chosen] { chosen = [flags] { return predict_weights(*flags); }; });
}

}  // namespace softradial::program
