#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "command_line.hpp"

namespace softradial::program {

// Prints what summary_of gives: the chosen configuration of every group, with its results on test.
void print_summary(const std::vector<nlohmann::json>& groups, Format format);

}  // namespace softradial::program
