#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "outcome.hpp"
#include "train/commands.hpp"
#include "train/config_flags.hpp"
#include "train/sweep_commands.hpp"

namespace {

using namespace softradial::program;

bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

ExitCode run(int argc, const char* const* argv) {
  CLI::App program("Trains, tests and uses policies whose decisions obey hard constraints", "softradial");
  program.require_subcommand(1);
  Action chosen;
  add_train_command(program, chosen);
  add_backtest_command(program, chosen);
  add_predict_command(program, chosen);
  add_table_command(program, chosen);
  add_learn_command(program, chosen);
  add_sweep_command(program, chosen);
  add_results_command(program, chosen);
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (const std::string& word : words) {
    // Configurations are saved as JSON and TOML, which hold text.
    if (!is_utf8(word)) throw BadInput("the word " + softradial::program::quoted(word) + " is not UTF-8");
  }
  try {
    parse_words(program, words);
  } catch (const CLI::Success& answer) {
    return static_cast<ExitCode>(program.exit(answer));
  }
  read_config_file(program);
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  return static_cast<int>(guarded([&] { return run(argc, argv); }));
}
