#pragma once

#include <functional>

#include "exit_code.hpp"

namespace softradial::program {

// The whole program: reads the command line, runs the command, reports what went wrong. Throws nothing.
[[nodiscard]] ExitCode run_program(int argc, const char* const* argv) noexcept;

// What a main function returns for `work`: exceptions become one line on stderr and the exit code that fits.
[[nodiscard]] ExitCode guarded(const std::function<ExitCode()>& work) noexcept;

}  // namespace softradial::program
