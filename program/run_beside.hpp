#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace softradial::program {

// A command that another program answers, one that lies beside this one and loads LibTorch: `project`, `anchor` and `check` start
// without it. The words behind the command are passed on, `first` before them.
void add_command_beside(CLI::App& program, Action& chosen, const std::string& command, const std::string& description,
                        const std::string& other_program, const std::vector<std::string>& first);

}  // namespace softradial::program
