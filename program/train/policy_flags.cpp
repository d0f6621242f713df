#include "train/policy_flags.hpp"

#include "data/load.hpp"
#include "outcome.hpp"

namespace softradial::program {

void add_policy_flags(CLI::App& command, PolicyFlags& flags) {
  command.add_option("--model", flags.model, "The folder of a run, or one of its checkpoints")
      ->required()
      ->type_name("PATH");
  command.add_option("--prices", flags.prices, "Prices of the same tickers")->required()->type_name("SOURCE");
  command.add_option("--data-seed", flags.data_seed, "Of synthetic prices");
}

study::PriceTable told_prices(const std::string& source, std::uint64_t seed) {
  study::PriceData data = study::load_prices(source, seed);
  for (const std::string& warning : data.warnings) tell("warning: " + warning);
  return std::move(data.table);
}

}  // namespace softradial::program
