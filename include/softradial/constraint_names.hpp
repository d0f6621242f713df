#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "softradial/linear_system.hpp"

namespace softradial {

// Maps the name of each constraint on a single coordinate to the same name with the coordinate's name instead of its index:
// "cap 3" -> "cap AAPL", "sets[0]: upper bound 1" -> "sets[0]: upper bound gold". Rows of a polyhedron keep their names and
// are not in the map. `coordinates` holds one name for each column of the system.
[[nodiscard]] std::unordered_map<std::string, std::string> constraint_names(
    const LinearSystem& system, const std::vector<std::string>& coordinates);

}  // namespace softradial
