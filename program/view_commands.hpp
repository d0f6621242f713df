#pragma once

#include "command.hpp"

// The commands that show: pictures and pages.
namespace softradial::program {

void add_figures_command(CLI::App& program, Action& chosen);
void add_report_command(CLI::App& program, Action& chosen);
void add_serve_command(CLI::App& program, Action& chosen);

}  // namespace softradial::program
