#pragma once

#include <string>
#include <vector>

namespace softradial::program {

// Cells of a table; the first row is its head.
using TextTable = std::vector<std::vector<std::string>>;

// In columns, or as Markdown.
[[nodiscard]] std::string table_text(const TextTable& table, bool markdown);

}  // namespace softradial::program
