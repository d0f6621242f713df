#pragma once

#include <string>
#include <vector>

// Other programs that a command is done by.
namespace softradial::program {

// Replaces this process by `program`, which is looked up in PATH unless it has a slash, with these arguments. Throws
// InternalFailure, beginning with `command`, if that is not possible.
[[noreturn]] void become(const std::string& command, const std::string& program, std::vector<std::string> arguments);

// Runs `program` to its end, without input and output. True if it could be started and ended with code 0.
[[nodiscard]] bool succeeds(const std::string& program, std::vector<std::string> arguments);

}  // namespace softradial::program
