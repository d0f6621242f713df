#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

// How a command ends, and what it tells the user.
namespace softradial::program {

// The exit codes of docs/cli.md.
enum class ExitCode : int {
  done = 0,
  answer_is_no = 1,      // an infeasible point, a set without interior
  bad_input = 2,         // bad usage, a bad SET.json, a bad row
  internal_failure = 3,  // no memory, a full disk, a search that gave up, a bug
  interrupted = 4,       // a signal ended a training early; the work done is saved
};

// Input that cannot be used. The message names file, line and value.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A failure that the user did not cause: a full disk, a search that gave up.
class InternalFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A signal ended the work early. `what` follows the word "interrupted".
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown when the reader of our output has left. This is no error: the program ends quietly.
class OutputClosed : public std::exception {};

// Runs `work` and returns the exit code for main. An exception becomes one line on stderr.
[[nodiscard]] ExitCode guarded(const std::function<ExitCode()>& work) noexcept;

// Prints "softradial: <message>" as one line on stderr. If stderr is closed, nothing happens.
void tell(const std::string& message) noexcept;

// Input bytes as an error message shows them: in quotes, in printable ASCII, cut if they are long.
[[nodiscard]] std::string quoted(std::string_view bytes);

}  // namespace softradial::program
