#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace softradial::test {

struct ChildResult {
  int exit_code = -1;  // 128 + the signal where one ended it
  std::string out;
  std::string err;
  long peak_memory_kib = 0;
};

using Arguments = std::vector<std::string>;
using Source = std::function<std::string()>;              // the next piece of stdin; empty at the end
using Sink = std::function<bool(std::string_view text)>;  // takes a piece of stdout; false: no more is read

// Runs the program with a text as its stdin and collects what it prints.
[[nodiscard]] ChildResult run_softradial(const Arguments& arguments, std::string_view input = "");

// The same for streams that should not be in memory as a whole; `out` stays empty.
[[nodiscard]] ChildResult run_softradial(const Arguments& arguments, const Source& source, const Sink& sink);

// Runs the program with its stdout on a file instead.
[[nodiscard]] ChildResult run_softradial_into(const std::string& file, const Arguments& arguments,
                                              std::string_view input);

// Runs the program and sends it the signal as soon as `now` is true; not if it ends before.
[[nodiscard]] ChildResult run_softradial_until(const std::function<bool()>& now, int signal,
                                               const Arguments& arguments);

}  // namespace softradial::test
