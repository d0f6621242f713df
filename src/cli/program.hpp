#pragma once

#include "cli/exit_code.hpp"

namespace softradial::cli {

// The whole program: reads the command line, runs the command, reports what went wrong. Throws nothing.
[[nodiscard]] ExitCode run_program(int argc, const char* const* argv) noexcept;

}  // namespace softradial::cli
