#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "softradial/set.hpp"

namespace softradial {

// A set and the names of its coordinates ("names" in SET.json), all different; none where they have no names.
struct NamedSet {
  Set set;
  std::vector<std::string> names;
  bool operator==(const NamedSet&) const = default;
};

// SET.json (docs/set_json.md). Errors are InvalidSet, one line, naming where: "sets[1].cap[3]: expected a number".
// `origin` stands in front of every message: the file's name.
[[nodiscard]] NamedSet parse_named_set(std::string_view json, std::string_view origin = "");
[[nodiscard]] NamedSet load_named_set(const std::filesystem::path& file);

// The same without the names: they are checked, and the coordinates stand in their order.
[[nodiscard]] Set parse_set(std::string_view json, std::string_view origin = "");
[[nodiscard]] Set load_set(const std::filesystem::path& file);

// The inverse: parse_set(to_json(set)) == set. Level sets of callables have no such form: InvalidSet.
[[nodiscard]] std::string to_json(const Set& set);
[[nodiscard]] std::string to_json(const NamedSet& set);

// The table of set types (softradial/set_type.hpp) as JSON: what other languages make their constructors from.
//   [{"name", "title", "formula", "fields": [{"name", "kind", "required", "otherwise"}]}]
// "kind" is FieldKind's word; "otherwise", the value of a number that is left out, is there where the field has one.
[[nodiscard]] std::string set_types_json();

}  // namespace softradial
