#include <fmt/format.h>

#include <memory>
#include <optional>

#include "data/calendar.hpp"
#include "data/table_writer.hpp"
#include "data/trip_import.hpp"
#include "data_command.hpp"
#include "failure.hpp"
#include "message.hpp"

namespace softradial::program {

namespace {

constexpr const char* kExamples = R"(Examples:
  softradial data import --trips yellow_tripdata_2024-01.parquet --out demand.csv
  softradial data import --trips 'trips/*_tripdata_2024-0*.parquet' --from 2024-01-01 --to 2024-06-30 --zones 150 --out demand.csv.gz

Counts the trip records of New York's Taxi and Limousine Commission (Parquet or CSV; yellow, green, high-volume for-hire)
per zone and hour of pick-up. Files may be larger than memory. What was dropped or filled is told on stderr.)";

struct Arguments {
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

ExitCode run(const Arguments& arguments) {
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

}  // namespace

void add_data_import_command(CLI::App& data, Action& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *data.add_subcommand("import", "Count trip records per zone and hour");
  command.footer(kExamples);
  command.add_option("--trips", arguments->trips, "Files or patterns")->type_name("FILE")->required()->expected(1, -1);
  command.add_option("--out", arguments->out, "The file; compressed where its name ends in .gz")
      ->type_name("FILE")
      ->required();
  command.add_option("--from", arguments->from, "First day (default: the first with 1 % of the busiest day's trips)")
      ->type_name("DATE");
  command.add_option("--to", arguments->to, "Last day (default: the last such day)")->type_name("DATE");
  command.add_option("--zones", arguments->zones, "The largest zones only (default: all)");
  command.add_option("--threads", arguments->threads, "Threads (default: one per core)");
  command.callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace softradial::program
