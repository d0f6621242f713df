#pragma once

#include <span>
#include <string>
#include <string_view>

namespace softradial::study {

// The name that a misspelt word was probably meant to be: the first with the fewest edits (letters that are inserted,
// dropped, changed or swapped with their neighbour, in any case), if these are at most a third of the word. Otherwise empty.
[[nodiscard]] std::string_view nearest_name(std::string_view word, std::span<const std::string> names);

// ": did you mean NAME?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace softradial::study
