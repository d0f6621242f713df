#pragma once

#include "json/json_node.hpp"
#include "softradial/set.hpp"
#include "softradial/set_json.hpp"

namespace softradial::json {

// The set that an object of the document describes, anchor included; docs/set_json.md lists the types and their keys.
[[nodiscard]] Set build_set(const JsonNode& node);

// The set of the whole document, which may also name its coordinates.
[[nodiscard]] NamedSet build_named_set(const JsonNode& node);

}  // namespace softradial::json
