#pragma once

#include <string>
#include <vector>

namespace softradial::program {

// The words of a command line with the keys of the TOML file behind --config appended as flags; keys whose flag is given are left
// out. (CLI11 reads configuration files for the top of a program only, not for its commands.) Throws BadInput.
[[nodiscard]] std::vector<std::string> expand_config(std::vector<std::string> words);

}  // namespace softradial::program
