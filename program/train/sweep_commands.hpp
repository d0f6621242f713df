#pragma once

#include "command.hpp"

namespace softradial::program {

void add_sweep_command(CLI::App& program, Action& chosen);
void add_results_command(CLI::App& program, Action& chosen);

}  // namespace softradial::program
