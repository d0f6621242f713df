#pragma once

#include <string>

#include "softradial/set_json.hpp"

namespace softradial::program {

// Reads the set of --set, for commands without data. Limits by name mean nothing without columns: they are a BadInput.
[[nodiscard]] NamedSet load_set_file(const std::string& file);

}  // namespace softradial::program
