#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace softradial::study {

// Parses untrusted text as JSON. The result is discarded (is_discarded()) if the text is not JSON or is nested deeper than any
// of our files: copying and printing a value recurse, and a million brackets would use up the stack.
[[nodiscard]] nlohmann::json parse_json_text(std::string_view text);

}  // namespace softradial::study
