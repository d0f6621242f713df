#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "data/calendar.hpp"
#include "data/load.hpp"
#include "data/summary.hpp"
#include "data_command.hpp"
#include "output_file.hpp"

namespace softradial::program {

namespace {

using study::SplitSummary;

constexpr const char* kExamples = R"(Examples:
  softradial data summarize --prices prices.csv
  softradial data summarize --prices folder_of_yahoo_files --split 2018-12-31,2020-12-31
  softradial data summarize --prices synthetic:sectors --seed 3 --split table --json

Prints one row per split: annualised mean and median of daily returns, volatility, the largest drawdown of equal weight
(all in per cent), mean pairwise correlation, mean lag-1 autocorrelation, and the Kolmogorov-Smirnov p-value of equal
weight's returns against those of training. What was repaired in the prices is told on stderr.)";

struct Arguments {
  std::string prices;
  std::string split = "text";
  std::uint64_t seed = 0;
  bool json = false;
};

std::string table(const std::vector<SplitSummary>& rows) {
  std::string text =
      fmt::format("{:<10}  {:<10}  {:<10}  {:>5}  {:>7}  {:>8}  {:>12}  {:>8}  {:>6}  {:>7}  {:>6}\n", "split", "first",
                  "last", "days", "mean %", "median %", "volatility %", "max dd %", "corr", "AC(1)", "p KS");
  for (const SplitSummary& row : rows) {
    text += fmt::format(
        "{:<10}  {:<10}  {:<10}  {:>5}  {:>7.2f}  {:>8.2f}  {:>12.2f}  {:>8.2f}  {:>6.2f}  {:>7.3f}  {:>6}\n",
        row.split, study::format_date(row.first), study::format_date(row.last), row.days, 100 * row.mean,
        100 * row.median, 100 * row.volatility, 100 * row.max_drawdown, row.correlation, row.autocorrelation,
        row.ks_p_value ? fmt::format("{:.3f}", *row.ks_p_value) : "");
  }
  return text;
}

// Shares, not per cent.
std::string json_text(const Arguments& arguments, const study::PriceTable& prices, const study::SplitDates& splits,
                      const std::vector<SplitSummary>& rows) {
  nlohmann::ordered_json json = {{"prices", arguments.prices},
                                 {"assets", prices.tickers.size()},
                                 {"train_end", study::format_date(splits.train_end)},
                                 {"validation_end", study::format_date(splits.validation_end)},
                                 {"splits", nlohmann::ordered_json::array()}};
  for (const SplitSummary& row : rows) {
    json["splits"].push_back(
        {{"split", row.split},
         {"first", study::format_date(row.first)},
         {"last", study::format_date(row.last)},
         {"days", row.days},
         {"mean", row.mean},
         {"median", row.median},
         {"volatility", row.volatility},
         {"max_drawdown", row.max_drawdown},
         {"correlation", row.correlation},
         {"autocorrelation", row.autocorrelation},
         {"ks_p_value", row.ks_p_value ? nlohmann::ordered_json(*row.ks_p_value) : nlohmann::ordered_json(nullptr)}});
  }
  // A file name may hold any bytes; JSON may not.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

ExitCode run(const Arguments& arguments) {
  const study::SplitDates splits = study::parse_splits(arguments.split);
  const study::PriceData data = study::load_prices(arguments.prices, arguments.seed);
  const std::vector<SplitSummary> rows = study::summarize(data.table, splits);
  tell_warnings(data.warnings);
  OutputFile out(STDOUT_FILENO);
  out.append(arguments.json ? json_text(arguments, data.table, splits, rows) : table(rows));
  out.finish();
  return ExitCode::done;
}

}  // namespace

void add_data_summarize_command(CLI::App& data, Action& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *data.add_subcommand("summarize", "Describe prices, split by split");
  command.footer(kExamples);
  command.add_option("--prices", arguments->prices, "A file, a folder, or synthetic:liquid|sectors|global")
      ->type_name("SOURCE")
      ->required();
  command
      .add_option("--split", arguments->split,
                  "text (2018-12-31,2020-12-31), table (2017-12-31,2019-12-31), or the last days of training and "
                  "validation")
      ->type_name("text|table|DATE,DATE")
      ->capture_default_str();
  command.add_option("--seed", arguments->seed, "Seed of synthetic prices")->capture_default_str();
  command.add_flag("--json", arguments->json, "One JSON object, in shares instead of per cent");
  command.callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace softradial::program
