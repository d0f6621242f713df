#include "child_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "outcome.hpp"

namespace softradial::program {

namespace {

// The words of a command line as the system takes them. The pointers are valid as long as `words`.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Standard input, output and errors of a child, all of them /dev/null.
class NoStreams {
 public:
  NoStreams() {
    posix_spawn_file_actions_init(&actions_);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      posix_spawn_file_actions_addopen(&actions_, stream, "/dev/null", O_RDWR, 0);
    }
  }
  NoStreams(const NoStreams&) = delete;
  NoStreams& operator=(const NoStreams&) = delete;
  ~NoStreams() { posix_spawn_file_actions_destroy(&actions_); }

  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

void become(const std::string& command, const std::string& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program);
  execvp(program.c_str(), pointers_to(arguments).data());
  throw InternalFailure(command + ": " + program + ": " + std::generic_category().message(errno));
}

bool succeeds(const std::string& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program);
  const NoStreams streams;
  pid_t child = 0;
  if (posix_spawnp(&child, program.c_str(), streams.get(), nullptr, pointers_to(arguments).data(), environ) != 0) {
    return false;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace softradial::program
