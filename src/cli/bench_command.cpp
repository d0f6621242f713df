#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command.hpp"
#include "cli/failure.hpp"

namespace softradial::cli {
namespace {

// The programs that need LibTorch lie beside this one: `project`, `anchor` and `check` start without loading it.
constexpr const char* kProgram = "softradial-bench";

ExitCode run_beside(const std::vector<std::string>& arguments) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / kProgram;
  if (!std::filesystem::exists(program)) {
    throw BadInput(std::string("bench: ") + kProgram + " is not installed: softradial was built without PyTorch");
  }
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), program.string());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  throw InternalFailure("bench: " + program.string() + ": " + std::generic_category().message(errno));
}

}  // namespace

void add_bench_command(CLI::App& program, Action& chosen) {
  CLI::App* const command = program.add_subcommand("bench", "Speed against softmax and a matrix product, as ratios");
  command->prefix_command();
  command->set_help_flag();
  command->callback([command, &chosen] { chosen = [command] { return run_beside(command->remaining()); }; });
}

}  // namespace softradial::cli
