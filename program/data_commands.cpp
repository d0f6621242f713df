#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.hpp"
#include "data/calendar.hpp"
#include "data/summary.hpp"
#include "data/table_files.hpp"
#include "data/trip_import.hpp"
#include "number_option.hpp"
#include "output_file.hpp"

namespace softradial::program {

namespace {

using study::SplitSummary;

constexpr FieldRange kZones = {.least = 0, .most = 1e6};
constexpr FieldRange kThreads = {.least = 0, .most = 1024};

constexpr const char* kDataExamples = R"(Examples:
  softradial data summarize --prices prices.csv
  softradial data generate synthetic:liquid --seed 0 --out prices.csv
  softradial data import --trips yellow_tripdata_2024-*.parquet --out demand.csv
  softradial data COMMAND --help shows more examples.)";

// Adds --data-seed, the name in `train` and `backtest`; --seed means the same here, where there is no other seed.
void add_data_seed(CLI::App& command, std::uint64_t& seed) {
  CLI::Option* const plain = add_number(command, "--seed", seed, study::kSeed, "Seed of synthetic data");
  add_number(command, "--data-seed", seed, study::kSeed, "The same")->excludes(plain);
}

// Prints the repairs that a reader made, one line each on stderr. Call it at the end: if the command fails, the error must be
// the only line.
void tell_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) tell("warning: " + warning);
}

// softradial data summarize

constexpr const char* kSummarizeExamples = R"(Examples:
  softradial data summarize --prices prices.csv
  softradial data summarize --prices folder_of_yahoo_files --split 2018-12-31,2020-12-31
  softradial data summarize --prices synthetic:sectors --seed 3 --split table --json
  softradial data summarize --demand hourly.csv --zones 67

Prints one row per split: annualised mean and median of daily returns, volatility, the largest drawdown of equal weight
(all in per cent), mean pairwise correlation, mean lag-1 autocorrelation, and the Kolmogorov-Smirnov p-value that compares
the returns of equal weight with those in training. JSON has fractions instead of per cent. Repairs of the prices are reported on stderr.)";

struct SummarizeArguments {
  std::string prices;
  std::string demand;
  std::string split;  // empty: text
  std::size_t zones = 0;
  std::uint64_t seed = 0;
  Format format = Format::text;
};

TextTable table(const std::vector<SplitSummary>& rows) {
  TextTable out = {
      {"split", "first", "last", "days", "mean %", "median %", "volatility %", "max dd %", "corr", "AC(1)", "p KS"}};
  const auto per_cent = [](double value) { return fmt::format("{:.2f}", 100 * value); };
  for (const SplitSummary& row : rows) {
    out.push_back({row.split, study::format_date(row.first), study::format_date(row.last), std::to_string(row.days),
                   per_cent(row.mean), per_cent(row.median), per_cent(row.volatility), per_cent(row.max_drawdown),
                   fmt::format("{:.2f}", row.correlation), fmt::format("{:.3f}", row.autocorrelation),
                   row.ks_p_value ? fmt::format("{:.3f}", *row.ks_p_value) : ""});
  }
  return out;
}

// A file name may contain any bytes; JSON must not.
std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// JSON has fractions instead of per cent.
std::string json_text(const SummarizeArguments& arguments, const study::PriceTable& prices,
                      const study::SplitDates& splits, const std::vector<SplitSummary>& rows) {
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
  return dumped(json);
}

TextTable table(const std::vector<study::DemandSummary>& rows) {
  TextTable out = {{"split", "hours", "mean/h", "peak/h", "top %", "idle %", "AC24", "AC168", "last h %"}};
  const auto per_cent = [](double value) { return fmt::format("{:.1f}", 100 * value); };
  for (const study::DemandSummary& row : rows) {
    out.push_back({row.split, std::to_string(row.hours), fmt::format("{:.0f}", row.mean),
                   fmt::format("{:.0f}", row.peak), per_cent(row.busiest), per_cent(row.idle),
                   fmt::format("{:.2f}", row.daily_correlation), fmt::format("{:.2f}", row.weekly_correlation),
                   per_cent(row.last_hour_served)});
  }
  return out;
}

std::string json_text(const SummarizeArguments& arguments, const study::DemandTable& demand,
                      const std::vector<study::DemandSummary>& rows) {
  nlohmann::ordered_json json = {
      {"demand", arguments.demand}, {"zones", demand.zones.size()}, {"splits", nlohmann::ordered_json::array()}};
  for (const study::DemandSummary& row : rows) {
    json["splits"].push_back({{"split", row.split},
                              {"first", study::format_hour(row.first)},
                              {"last", study::format_hour(row.last)},
                              {"hours", row.hours},
                              {"mean", row.mean},
                              {"peak", row.peak},
                              {"busiest", row.busiest},
                              {"idle", row.idle},
                              {"daily_correlation", row.daily_correlation},
                              {"weekly_correlation", row.weekly_correlation},
                              {"last_hour_served", row.last_hour_served}});
  }
  return dumped(json);
}

void print(const SummarizeArguments& arguments, const TextTable& rows, const std::string& json) {
  OutputFile out(STDOUT_FILENO);
  out.append(arguments.format == Format::json ? json : table_text(rows, arguments.format == Format::markdown));
  out.finish();
}

ExitCode summarize(const SummarizeArguments& arguments) {
  if (arguments.prices.empty() == arguments.demand.empty()) throw BadInput("give --prices or --demand");
  if (!arguments.demand.empty()) {
    if (!arguments.split.empty()) throw BadInput("--split is for --prices; demand is split 70, 15 and 15 %");
    const study::DemandData data = study::load_demand(arguments.demand, arguments.zones, arguments.seed);
    const auto rows = study::summarize(data.table, study::FractionSplit());
    tell_warnings(data.warnings);
    print(arguments, table(rows), json_text(arguments, data.table, rows));
    return ExitCode::done;
  }
  if (arguments.zones > 0) throw BadInput("--zones is for --demand");
  const study::SplitDates splits = study::parse_splits(arguments.split.empty() ? "text" : arguments.split);
  const study::PriceData data = study::load_prices(arguments.prices, arguments.seed);
  const std::vector<SplitSummary> rows = study::summarize(data.table, splits);
  tell_warnings(data.warnings);
  print(arguments, table(rows), json_text(arguments, data.table, splits, rows));
  return ExitCode::done;
}

void add_summarize_command(CLI::App& data, Action& chosen) {
  const auto arguments = std::make_shared<SummarizeArguments>();
  CLI::App& command = *data.add_subcommand("summarize", "Describe prices or demand, split by split");
  command.footer(kSummarizeExamples);
  command.add_option("--prices", arguments->prices, "A file, a folder, or synthetic:liquid|sectors|global")
      ->type_name("SOURCE");
  command.add_option("--demand", arguments->demand, "An hourly table, or synthetic:taxi")->type_name("SOURCE");
  command
      .add_option("--split", arguments->split,
                  "text (2018-12-31,2020-12-31, the default), table (2017-12-31,2019-12-31), or the last days of "
                  "training and validation; for prices")
      ->type_name("text|table|DATE,DATE");
  add_number(command, "--zones", arguments->zones, kZones, "Keep only this many zones, the largest (0: all)");
  add_data_seed(command, arguments->seed);
  add_format(command, arguments->format);
  command.callback([arguments, &chosen] { chosen = [arguments] { return summarize(*arguments); }; });
}

// softradial data generate

constexpr const char* kGenerateExamples = R"(Examples:
  softradial data generate synthetic:liquid --seed 0 --out prices.csv
  softradial data generate synthetic:taxi --zones 150 --out demand.csv.gz

Writes wide CSV: daily prices 2010-2025 of synthetic:liquid (50 assets), synthetic:sectors (9) or synthetic:global (11),
or hourly requests of synthetic:taxi (150 zones, six months). The same seed gives the same file on every machine.)";

struct GenerateArguments {
  std::string source;
  std::string out;
  std::uint64_t seed = 0;
  std::size_t zones = 0;
};

ExitCode generate(const GenerateArguments& arguments) {
  if (!arguments.source.starts_with("synthetic:")) {
    throw BadInput(
        program::quoted(arguments.source) +
        " cannot be generated: expected synthetic:liquid, synthetic:sectors, synthetic:global or synthetic:taxi");
  }
  if (arguments.source == "synthetic:taxi") {
    const study::DemandData data = study::load_demand(arguments.source, arguments.zones, arguments.seed);
    study::write_demand(arguments.out, data.table);
    tell_warnings(data.warnings);
  } else {
    if (arguments.zones > 0) throw BadInput("--zones is for synthetic:taxi");
    study::write_prices(arguments.out, study::load_prices(arguments.source, arguments.seed).table);
  }
  return ExitCode::done;
}

void add_generate_command(CLI::App& data, Action& chosen) {
  const auto arguments = std::make_shared<GenerateArguments>();
  CLI::App& command = *data.add_subcommand("generate", "Write synthetic prices or demand");
  command.footer(kGenerateExamples);
  command.add_option("source", arguments->source, "synthetic:liquid|sectors|global|taxi")
      ->type_name("NAME")
      ->required();
  command.add_option("--out", arguments->out, "Output file, compressed if its name ends in .gz")
      ->type_name("FILE")
      ->required();
  add_data_seed(command, arguments->seed);
  add_number(command, "--zones", arguments->zones, kZones, "Keep only this many zones, the largest (0: all)");
  command.callback([arguments, &chosen] { chosen = [arguments] { return generate(*arguments); }; });
}

// softradial data import

constexpr const char* kImportExamples = R"(Examples:
  softradial data import --trips yellow_tripdata_2024-01.parquet --out demand.csv
  softradial data import --trips 'trips/*_tripdata_2024-0*.parquet' --from 2024-01-01 --to 2024-06-30 --zones 150 --out demand.csv.gz

Counts the trip records of New York's Taxi and Limousine Commission (Parquet or CSV; yellow, green, high-volume for-hire)
per zone and hour of pick-up. Files may be larger than memory. Dropped rows and filled hours are reported on stderr.)";

struct ImportArguments {
  std::vector<std::string> trips;
  std::string out;
  std::string from;
  std::string to;
  std::size_t zones = 0;
  std::size_t threads = 0;
};

std::optional<std::chrono::sys_days> day_of(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::optional<std::chrono::sys_days> day = study::parse_date(text);
  if (!day) throw BadInput(fmt::format("{}: {} is not a date (expected 2024-01-01)", option, program::quoted(text)));
  return day;
}

ExitCode import_trip_records(const ImportArguments& arguments) {
  const study::TripImportOptions options{.from = day_of("--from", arguments.from),
                                         .to = day_of("--to", arguments.to),
                                         .max_zones = arguments.zones,
                                         .threads = arguments.threads};
  if (options.from && options.to && *options.from > *options.to) {
    throw BadInput(fmt::format("--from {} is after --to {}", arguments.from, arguments.to));
  }
  const study::TripImport result = study::import_trips(arguments.trips, options);
  study::write_demand(arguments.out, result.data.table);
  tell_warnings(result.data.warnings);
  const study::DemandTable& table = result.data.table;
  tell(fmt::format("{} trips, {} zones, {} hours from {} to {}", result.trips, table.zones.size(), table.hours.size(),
                   study::format_hour(table.hours.front()), study::format_hour(table.hours.back())));
  return ExitCode::done;
}

void add_import_command(CLI::App& data, Action& chosen) {
  const auto arguments = std::make_shared<ImportArguments>();
  CLI::App& command = *data.add_subcommand("import", "Count trip records per zone and hour");
  command.footer(kImportExamples);
  command.add_option("--trips", arguments->trips, "Trip records: files or patterns")
      ->type_name("FILE")
      ->required()
      ->expected(1, -1);
  command.add_option("--out", arguments->out, "Output file, compressed if its name ends in .gz")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--from", arguments->from,
                  "First day (default: the first day with at least 1 % of the trips of the busiest day)")
      ->type_name("DATE");
  command.add_option("--to", arguments->to, "Last day (default: the last such day)")->type_name("DATE");
  add_number(command, "--zones", arguments->zones, kZones, "Keep only this many zones, the largest (0: all)");
  add_number(command, "--threads", arguments->threads, kThreads, "Number of threads (0: one per core)");
  command.callback([arguments, &chosen] { chosen = [arguments] { return import_trip_records(*arguments); }; });
}

}  // namespace

void add_data_commands(CLI::App& program, Action& chosen) {
  CLI::App& data = *program.add_subcommand("data", "Prices and demand: describe, generate, import");
  data.footer(kDataExamples);
  data.require_subcommand(1);
  add_summarize_command(data, chosen);
  add_generate_command(data, chosen);
  add_import_command(data, chosen);
}

}  // namespace softradial::program
