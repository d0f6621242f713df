#pragma once

#include "command.hpp"

// The commands that show pictures and pages.
namespace softradial::program {

void add_figures_command(CLI::App& program, Action& chosen);
void add_report_command(CLI::App& program, Action& chosen);
void add_serve_command(CLI::App& program, Action& chosen);

// Adds --zones, for pages about dispatch runs.
void add_zone_places(CLI::App& command, std::string& file);

}  // namespace softradial::program
