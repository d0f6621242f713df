#include <memory>

#include "data/load.hpp"
#include "data/table_writer.hpp"
#include "data_command.hpp"
#include "failure.hpp"
#include "message.hpp"

namespace softradial::program {

namespace {

constexpr const char* kExamples = R"(Examples:
  softradial data generate synthetic:liquid --seed 0 --out prices.csv
  softradial data generate synthetic:taxi --zones 150 --out demand.csv.gz

Writes wide CSV: daily prices 2010-2025 of synthetic:liquid (50 assets), synthetic:sectors (9) or synthetic:global (11),
or hourly requests of synthetic:taxi (150 zones, six months). The same seed gives the same file on every machine.)";

struct Arguments {
  std::string source;
  std::string out;
  std::uint64_t seed = 0;
  std::size_t zones = 0;
};

ExitCode run(const Arguments& arguments) {
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

}  // namespace

void add_data_generate_command(CLI::App& data, Action& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *data.add_subcommand("generate", "Write synthetic prices or demand");
  command.footer(kExamples);
  command.add_option("source", arguments->source, "synthetic:liquid|sectors|global|taxi")
      ->type_name("NAME")
      ->required();
  command.add_option("--out", arguments->out, "The file; compressed where its name ends in .gz")
      ->type_name("FILE")
      ->required();
  command.add_option("--seed", arguments->seed, "Seed")->capture_default_str();
  command.add_option("--zones", arguments->zones, "The largest zones only (default: all)");
  command.callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace softradial::program
