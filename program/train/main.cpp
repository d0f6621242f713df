#include <algorithm>

#include "outcome.hpp"
#include "train/commands.hpp"
#include "train/config_flags.hpp"

namespace {

using namespace softradial::program;

ExitCode run(int argc, const char* const* argv) {
  CLI::App program("Trains, tests and uses policies whose decisions obey hard constraints", "softradial");
  program.require_subcommand(1);
  Action chosen;
  add_train_command(program, chosen);
  add_backtest_command(program, chosen);
  add_predict_command(program, chosen);
  add_table_command(program, chosen);
  try {
    // CLI11 takes words from the back.
    std::vector<std::string> words = expand_config({argv + 1, argv + argc});
    std::ranges::reverse(words);
    program.parse(words);
  } catch (const CLI::Success& answer) {
    return static_cast<ExitCode>(program.exit(answer));
  }
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  return static_cast<int>(guarded([&] { return run(argc, argv); }));
}
