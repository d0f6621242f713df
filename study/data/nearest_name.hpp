#pragma once

#include <span>
#include <string>
#include <string_view>

namespace softradial::study {

// The name that a misspelt word probably means: the first with the fewest edits (letters inserted, dropped, changed or swapped
// with their neighbour, ignoring case), if these are at most one or a third of the word's letters. Otherwise empty.
[[nodiscard]] std::string_view nearest_name(std::string_view word, std::span<const std::string> names);

// Returns ": did you mean NAME?", or an empty text.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace softradial::study
