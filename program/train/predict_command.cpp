#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "data/calendar.hpp"
#include "output_file.hpp"
#include "runs/policy.hpp"
#include "train/commands.hpp"
#include "train/policy_flags.hpp"

namespace softradial::program {
namespace {

using namespace softradial::study;

constexpr const char* kExamples = R"(Example:
  softradial predict --model runs/mine --prices prices.csv > weights.csv

Prints ticker,weight for the latest day of the prices, decided with that day known.)";

ExitCode predict_weights(const PolicyFlags& flags) {
  const Prediction prediction = predict(flags.model, told_prices(flags.prices, flags.data_seed));
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
  const auto flags = std::make_shared<PolicyFlags>();
  CLI::App& command = *program.add_subcommand("predict", "The weights of a saved policy for the latest day");
  command.footer(kExamples);
  add_policy_flags(command, *flags);
  command.callback([flags, &chosen] { chosen = [flags] { return predict_weights(*flags); }; });
}

}  // namespace softradial::program
