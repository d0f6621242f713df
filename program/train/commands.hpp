#pragma once

#include "command.hpp"

// The commands that load LibTorch: train, backtest, predict, table.
namespace softradial::program {

void add_train_command(CLI::App& program, Action& chosen);
void add_backtest_command(CLI::App& program, Action& chosen);
void add_predict_command(CLI::App& program, Action& chosen);
void add_table_command(CLI::App& program, Action& chosen);

}  // namespace softradial::program
