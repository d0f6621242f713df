#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

// By what, on what and when a result came about: every record says so in the same words.
namespace softradial::study {

[[nodiscard]] std::string program_version();
// {"processor", "cores", "system"}
[[nodiscard]] nlohmann::json this_machine();
// "2026-03-01T12:00:00Z"
[[nodiscard]] std::string utc_now();

}  // namespace softradial::study
