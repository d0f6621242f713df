#include "data/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace softradial::study {

namespace {

char lower_letter(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Restricted Damerau-Levenshtein distance. edits[i][j] is that between the first i letters of a and the first j of b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) edits[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) edits[0][j] = j;
  const auto same = [&](std::size_t i, std::size_t j) { return lower_letter(a[i - 1]) == lower_letter(b[j - 1]); };
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, edits[i - 1][j - 1] + (same(i, j) ? 0U : 1U)});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j)) {
        edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
      }
    }
  }
  return edits[a.size()][b.size()];
}

// Longer words are not compared: they are no names, and comparing them would take long.
constexpr std::size_t kLongestName = 64;

}  // namespace

std::string_view nearest_name(std::string_view word, std::span<const std::string> names) {
  std::string_view nearest;
  if (word.size() > kLongestName) return nearest;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : names) {
    if (name.size() > kLongestName) continue;
    const std::size_t edits = edit_distance(word, name);
    // A name that shares no letter with the word is not what was meant.
    if (edits < fewest && edits < std::max(word.size(), name.size())) {
      fewest = edits;
      nearest = name;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  const std::string_view name = nearest_name(word, names);
  return name.empty() ? "" : ": did you mean " + std::string(name) + "?";
}

}  // namespace softradial::study
