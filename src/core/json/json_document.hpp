#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace softradial::json {

// Sets nest two levels each (the list and the object in it); no description by hand or by program comes near.
inline constexpr std::size_t kMaxDepth = 64;

// Parses one document. Beyond the grammar: no duplicate keys, no number outside the range of a double, at most
// kMaxDepth levels, so that whatever walks the tree may recurse. Throws InvalidSet, one line:
// `origin: line 3, column 8: ...` for a syntax error, `origin: sets[1].cap[3]: ...` otherwise.
[[nodiscard]] nlohmann::json parse_document(std::string_view text, std::string_view origin);

// Throws InvalidSet("origin: where: what"), without the parts that are empty.
[[noreturn]] void fail(std::string_view origin, std::string_view where, std::string_view what);

// A value as an error message quotes it: JSON, pure ASCII, one line, cut where it is long.
[[nodiscard]] std::string excerpt(const nlohmann::json& value);

}  // namespace softradial::json
