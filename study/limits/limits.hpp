#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "softradial/set.hpp"

// The limits that decisions must obey, by the names of assets and zones (docs/limits.md).
namespace softradial::study {

// The set, and the names of the data's columns in the order of its coordinates: the data are reordered, not the set.
struct DecisionSet {
  Set set;
  std::vector<std::string> names;
  // A note for the user, in one line, if a set without names depends on the order of the columns; empty otherwise.
  std::string note = {};
};

// Reads the value of --set as JSON text: a file with a SET.json, a file with limits (TOML, or the same in JSON), or the JSON
// itself, which begins with "{". Checks what does not depend on the data. Throws DataError or InvalidSet, naming the file.
[[nodiscard]] std::string load_limits(const std::string& file_or_json);

struct LimitsRequest {
  std::string_view json = {};    // result of load_limits; empty: the simplex
  std::string_view origin = {};  // name of the file, for messages
  double cap = 1;                // largest share of one column, in addition
  std::size_t left_out = 0;      // columns of the source that the data do not have
};

// The set for data with these columns. Throws DataError, in one line, for unknown and missing names, for limits that
// contradict each other, and for sets without a point.
[[nodiscard]] DecisionSet decision_set(const LimitsRequest& request, const std::vector<std::string>& columns);

}  // namespace softradial::study
