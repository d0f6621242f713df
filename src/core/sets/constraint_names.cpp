#include "softradial/constraint_names.hpp"

#include <string_view>

namespace softradial {

std::unordered_map<std::string, std::string> constraint_names(const LinearSystem& system,
                                                              const std::vector<std::string>& coordinates) {
  std::unordered_map<std::string, std::string> names;
  for (const auto* rows : {&system.inequalities(), &system.equalities()}) {
    for (const LinearSystem::Row& row : *rows) {
      if (row.entries.size() != 1) continue;
      for (const std::string_view word : {"lower bound ", "upper bound ", "cap ", "fixed coordinate "}) {
        const std::size_t at = row.name.rfind(word);
        if (at == std::string::npos) continue;
        names.emplace(row.name, row.name.substr(0, at + word.size()) + coordinates[row.entries.front().column]);
        break;
      }
    }
  }
  return names;
}

}  // namespace softradial
