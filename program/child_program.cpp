#include "child_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "outcome.hpp"

namespace softradial::program {

namespace {

// The words of a command line in the form that the system takes. The pointers are valid as long as `words`.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The streams of a child: its input is /dev/null; its output and errors go to a descriptor, or to /dev/null too.
class Streams {
 public:
  explicit Streams(std::optional<int> output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDWR, 0);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      if (output) {
        posix_spawn_file_actions_adddup2(&actions_, *output, stream);
      } else {
        posix_spawn_file_actions_addopen(&actions_, stream, "/dev/null", O_RDWR, 0);
      }
    }
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams() { posix_spawn_file_actions_destroy(&actions_); }

  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// Starts a program. Returns nothing if it could not be started.
std::optional<pid_t> started(const std::string& program, std::vector<std::string> arguments, const Streams& streams) {
  arguments.insert(arguments.begin(), program);
  pid_t child = 0;
  if (posix_spawnp(&child, program.c_str(), streams.get(), nullptr, pointers_to(arguments).data(), environ) != 0) {
    return std::nullopt;
  }
  return child;
}

int exit_code_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return kNotStarted;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

void become(const std::string& command, const std::string& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program);
  execvp(program.c_str(), pointers_to(arguments).data());
  throw InternalFailure(command + ": " + program + ": " + std::generic_category().message(errno));
}

bool succeeds(const std::string& program, std::vector<std::string> arguments) {
  const auto child = started(program, std::move(arguments), Streams(std::nullopt));
  return child && exit_code_of(*child) == 0;
}

ProgramOutput output_of(const std::string& program, std::vector<std::string> arguments) {
  ProgramOutput output;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw InternalFailure(std::generic_category().message(errno));
  const auto child = started(program, std::move(arguments), Streams(ends[1]));
  close(ends[1]);
  std::array<char, 4096> piece{};
  while (child) {
    const ssize_t size = read(ends[0], piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    output.text.append(piece.data(), static_cast<std::size_t>(size));
  }
  close(ends[0]);
  if (child) output.exit_code = exit_code_of(*child);
  return output;
}

}  // namespace softradial::program
