#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace softradial::program {

// The commands under `softradial data`; see add_data_command.
void add_data_summarize_command(CLI::App& data, Action& chosen);
void add_data_generate_command(CLI::App& data, Action& chosen);
void add_data_import_command(CLI::App& data, Action& chosen);

// What a reader repaired, one line each on stderr. Called at the end: with an error there is one line, the error.
void tell_warnings(const std::vector<std::string>& warnings);

}  // namespace softradial::program
