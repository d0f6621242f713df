#pragma once

#include "command.hpp"
#include "train/sweep_run.hpp"

namespace softradial::program {

void add_sweep_command(CLI::App& program, Action& chosen);
void add_results_command(CLI::App& program, Action& chosen);

// Adds CONFIG.toml, --store, --data, --random, --random-seed: which sweep, and where its data and results are.
void add_sweep_choice(CLI::App& command, SweepArguments& arguments);

}  // namespace softradial::program
