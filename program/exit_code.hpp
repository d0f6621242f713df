#pragma once

namespace softradial::program {

// What the program tells the shell; docs/cli.md.
enum class ExitCode : int {
  done = 0,
  answer_is_no = 1,      // an infeasible point, a set without interior
  bad_input = 2,         // bad usage, a bad SET.json, a bad row
  internal_failure = 3,  // no memory, a full disk, a search that gave up, a bug
};

}  // namespace softradial::program
