#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "softradial/set.hpp"

namespace softradial {

// A set and the names of its coordinates ("names" in SET.json). The names differ from each other; the list may be empty.
struct NamedSet {
  Set set;
  std::vector<std::string> names;
  bool operator==(const NamedSet&) const = default;
};

// Read SET.json (docs/set_json.md). Errors are InvalidSet, one line that names the place: "sets[1].cap[3]: expected a number".
// Every message begins with `origin`, the file's name.
[[nodiscard]] NamedSet parse_named_set(std::string_view json, std::string_view origin = "");
[[nodiscard]] NamedSet load_named_set(const std::filesystem::path& file);

// Read the set alone. Names in the file are checked, then dropped; coordinates keep the order of the file.
[[nodiscard]] Set parse_set(std::string_view json, std::string_view origin = "");
[[nodiscard]] Set load_set(const std::filesystem::path& file);

// Write SET.json: parse_set(to_json(set)) == set. Level sets of callables have no such form and throw InvalidSet.
[[nodiscard]] std::string to_json(const Set& set);
[[nodiscard]] std::string to_json(const NamedSet& set);

// The table of set types (softradial/set_type.hpp) as JSON. Other languages make their constructors from it.
//   [{"name", "title", "formula", "fields": [{"name", "kind", "required", "otherwise"}]}]
// "kind" is the name of a FieldKind. "otherwise" is the value of a number that is left out; only fields with one have it.
[[nodiscard]] std::string set_types_json();

}  // namespace softradial
