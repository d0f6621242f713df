#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "softradial/linear_system.hpp"

namespace softradial {

// For the constraints of a single coordinate that are called by its index: their names with that of the coordinate in its place,
// "cap 3" -> "cap AAPL", "sets[0]: upper bound 1" -> "sets[0]: upper bound gold". Rows of a polyhedron keep their names and are
// not in it. `coordinates`: one name for each of the system's columns.
[[nodiscard]] std::unordered_map<std::string, std::string> constraint_names(
    const LinearSystem& system, const std::vector<std::string>& coordinates);

}  // namespace softradial
