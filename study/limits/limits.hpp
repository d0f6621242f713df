#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "softradial/set.hpp"

// What decisions must obey, by the names of assets and zones (docs/limits.md).
namespace softradial::study {

// The set, and the columns of the data in the order of its coordinates: the data are put into this order, not the set.
struct DecisionSet {
  Set set;
  std::vector<std::string> names;
  // One line for the user if a set without names depends on the order of the columns; empty otherwise.
  std::string note = {};
};

// The value of --set as JSON text: a file with a SET.json, a file with limits (TOML, or the same in JSON), or the JSON itself,
// which begins with "{". What does not depend on the data is checked. Throws DataError or InvalidSet, naming the file.
[[nodiscard]] std::string load_limits(const std::string& file_or_json);

struct LimitsRequest {
  std::string_view json = {};    // as load_limits gives it; empty: the simplex
  std::string_view origin = {};  // the file, for messages
  double cap = 1;                // largest share of one column, besides
  std::size_t left_out = 0;      // columns of the source that the data do not have
};

// The set for data with these columns. Unknown and missing names, limits that contradict each other, and sets without a
// point are refused in one line. Throws DataError.
[[nodiscard]] DecisionSet decision_set(const LimitsRequest& request, const std::vector<std::string>& columns);

}  // namespace softradial::study
