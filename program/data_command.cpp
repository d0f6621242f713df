#include "data_command.hpp"

#include "message.hpp"

namespace softradial::program {

namespace {

constexpr const char* kExamples = R"(Examples:
  softradial data summarize --prices prices.csv
  softradial data generate synthetic:liquid --seed 0 --out prices.csv
  softradial data import --trips yellow_tripdata_2024-*.parquet --out demand.csv
  softradial data COMMAND --help shows more of them.)";

}  // namespace

void tell_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) tell("warning: " + warning);
}

void add_data_command(CLI::App& program, Action& chosen) {
  CLI::App& data = *program.add_subcommand("data", "Prices and demand: describe, generate, import");
  data.footer(kExamples);
  data.require_subcommand(1);
  add_data_summarize_command(data, chosen);
  add_data_generate_command(data, chosen);
  add_data_import_command(data, chosen);
}

}  // namespace softradial::program
