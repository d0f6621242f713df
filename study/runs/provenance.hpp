#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

// Which program made a result, on which machine, and when. All records use the same words for it.
namespace softradial::study {

[[nodiscard]] std::string program_version();
// {"processor", "cores", "system"}
[[nodiscard]] nlohmann::json this_machine();
// "2026-03-01T12:00:00Z"
[[nodiscard]] std::string utc_now();

}  // namespace softradial::study
