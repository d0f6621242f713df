#pragma once

#include "json/json_node.hpp"
#include "softradial/set.hpp"

namespace softradial::json {

// The set that an object of the document describes, anchor included; docs/set_json.md lists the types and their keys.
[[nodiscard]] Set build_set(const JsonNode& node);

}  // namespace softradial::json
