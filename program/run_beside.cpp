#include "run_beside.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "failure.hpp"

namespace softradial::program {
namespace {

// Does not return: the other program takes this one's place.
[[noreturn]] void become(const std::string& command, const std::string& name, std::vector<std::string> words) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
  if (!std::filesystem::exists(program)) {
    throw BadInput(command + ": " + name + " is not installed: softradial was built without PyTorch");
  }
  words.insert(words.begin(), program.string());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  throw InternalFailure(command + ": " + program.string() + ": " + std::generic_category().message(errno));
}

}  // namespace

void add_command_beside(CLI::App& program, Action& chosen, const std::string& command, const std::string& description,
                        const std::string& other_program, const std::vector<std::string>& first) {
  CLI::App* const added = program.add_subcommand(command, description);
  added->prefix_command();
  added->set_help_flag();
  added->callback([=, &chosen] {
    chosen = [=]() -> ExitCode {
      std::vector<std::string> words = first;
      for (const std::string& word : added->remaining()) words.push_back(word);
      become(command, other_program, words);
    };
  });
}

}  // namespace softradial::program
