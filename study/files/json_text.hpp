#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace softradial::study {

// A text from outside as JSON; discarded (is_discarded()) if it is none, or nested deeper than anything of ours: copies and
// prints of a value recurse, and a million brackets would take the whole stack.
[[nodiscard]] nlohmann::json parse_json_text(std::string_view text);

}  // namespace softradial::study
