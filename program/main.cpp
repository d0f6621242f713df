#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "child_program.hpp"
#include "command.hpp"
#include "view_commands.hpp"

namespace {

using namespace softradial::program;

constexpr const char* kDescription =
    "Maps points into the interior of a convex set, one to one, in closed form.\n"
    "Sets are described in JSON; points are rows of plain comma-separated numbers on stdin and stdout.";

constexpr const char* kExamples = R"(Example:
  echo '{"type": "capped_simplex", "dim": 3, "cap": 0.5}' > set.json
  echo '4,-1,2' | softradial project --set set.json
  softradial COMMAND --help shows more examples.

Exit codes: 0 done, 1 the answer is no, 2 bad usage or bad input, 3 an internal failure,
4 interrupted.)";

// The path of a program in the same folder.
std::string program_beside(const std::string& command, const std::string& name) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
  if (!std::filesystem::exists(program)) {
    throw BadInput(command + ": " + name + " is not installed: softradial was built without PyTorch");
  }
  return program.string();
}

// Adds a command that another program in the same folder runs, with the words `first` before those of the user. Only
// these programs load LibTorch, so that `project`, `anchor` and `check` start quickly.
void add_command_beside(CLI::App& program, Action& chosen, const std::string& command, const std::string& description,
                        const std::string& other_program, const std::vector<std::string>& first) {
  CLI::App* const added = program.add_subcommand(command, description);
  added->prefix_command();
  added->set_help_flag();
  added->callback([=, &chosen] {
    chosen = [=]() -> ExitCode {
      std::vector<std::string> words = first;
      for (const std::string& word : added->remaining()) words.push_back(word);
      become(command, program_beside(command, other_program), words);
    };
  });
}

ExitCode run(int argc, const char* const* argv) {
  CLI::App program(kDescription, "softradial");
  program.set_version_flag("--version", "softradial " SOFTRADIAL_VERSION);
  program.footer(kExamples);
  // One command: the words after it belong to it, even if one is the name of another command (`results export`).
  program.require_subcommand(0, 1);
  Action chosen;
  add_project_command(program, chosen);
  add_anchor_command(program, chosen);
  add_check_command(program, chosen);
  add_command_beside(program, chosen, "bench", "Measure the speed against softmax and a matrix product, as ratios",
                     "softradial-bench", {});
  add_compare_command(program, chosen);
  add_data_commands(program, chosen);
  const std::string train = "softradial-train";
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "compare" && std::ranges::find(words, "--learn") != words.end()) {
    become("compare --learn", program_beside("compare --learn", train), words);
  }
  add_command_beside(program, chosen, "train", "Train a policy: portfolio or dispatch", train, {"train"});
  add_command_beside(program, chosen, "backtest", "Test a saved policy on any period", train, {"backtest"});
  add_command_beside(program, chosen, "predict", "Print the next decision of a saved policy: weights or shares", train,
                     {"predict"});
  add_export_command(program, chosen);
  add_command_beside(program, chosen, "table", "Reproduce the paper's tables, with its numbers next to ours", train,
                     {"table"});
  add_command_beside(program, chosen, "sweep", "Train many configurations, choose on validation, judge on test", train,
                     {"sweep"});
  add_command_beside(program, chosen, "results", "The store of a sweep: list, show, files, best, export, merge", train,
                     {"results"});
  add_figures_command(program, chosen);
  add_report_command(program, chosen);
  add_serve_command(program, chosen);
  try {
    parse_words(program, words);
  } catch (const CLI::Success& answer) {
    return static_cast<ExitCode>(program.exit(answer));
  }
  if (!chosen) throw BadInput("no command: see softradial --help");
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  return static_cast<int>(guarded([&] { return run(argc, argv); }));
}
