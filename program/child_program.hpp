#pragma once

#include <string>
#include <vector>

// Other programs that carry out a command.
namespace softradial::program {

// Replaces this process by `program`, which is looked up in PATH unless it has a slash, with these arguments. Throws
// InternalFailure, beginning with `command`, if that is not possible.
[[noreturn]] void become(const std::string& command, const std::string& program, std::vector<std::string> arguments);

// Runs `program` to its end, without input and output. True if it could be started and ended with code 0.
[[nodiscard]] bool succeeds(const std::string& program, std::vector<std::string> arguments);

// The exit code of a program that could not be started, as in a shell.
inline constexpr int kNotStarted = 127;

struct ProgramOutput {
  int exit_code = kNotStarted;
  std::string text;  // its output and its errors
};

// Runs `program` to its end, without input.
[[nodiscard]] ProgramOutput output_of(const std::string& program, std::vector<std::string> arguments);

}  // namespace softradial::program
