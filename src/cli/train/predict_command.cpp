#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "cli/message.hpp"
#include "cli/output_file.hpp"
#include "cli/train/commands.hpp"
#include "data/calendar.hpp"
#include "data/load.hpp"
#include "runs/policy.hpp"

namespace softradial::cli {
namespace {

using namespace softradial::experiments;

constexpr const char* kExamples = R"(Example:
  softradial predict --model runs/mine --prices prices.csv > weights.csv

Prints ticker,weight for the latest day of the prices, decided with that day known.)";

struct Arguments {
  std::string model;
  std::string prices;
  std::uint64_t data_seed = 0;
};

ExitCode predict_weights(const Arguments& arguments) {
  const PriceData data = load_prices(arguments.prices, arguments.data_seed);
  for (const std::string& warning : data.warnings) tell("warning: " + warning);
  const Prediction prediction = predict(arguments.model, data.table);
  OutputFile out(STDOUT_FILENO);
  out.append(fmt::format("ticker,{}\n", format_date(prediction.day)));
  for (std::size_t k = 0; k < prediction.tickers.size(); ++k) {
    out.append(fmt::format("{},{:.9g}\n", prediction.tickers[k], prediction.weights[k]));
  }
  out.finish();
  return ExitCode::done;
}

}  // namespace

void add_predict_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *program.add_subcommand("predict", "The weights of a saved policy for the latest day");
  command.footer(kExamples);
  command.add_option("--model", arguments->model, "The folder of a run, or one of its checkpoints")
      ->required()
      ->type_name("PATH");
  command.add_option("--prices", arguments->prices, "Prices of the same tickers")->required()->type_name("SOURCE");
  command.add_option("--data-seed", arguments->data_seed, "Of synthetic prices");
  command.callback([arguments, &chosen] { chosen = [arguments] { return predict_weights(*arguments); }; });
}

}  // namespace softradial::cli
