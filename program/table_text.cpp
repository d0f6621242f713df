#include "table_text.hpp"

#include <algorithm>

namespace softradial::program {
namespace {

std::string in_columns(const TextTable& table) {
  std::vector<std::size_t> widths(table[0].size());
  for (const auto& row : table) {
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  std::string text;
  for (const auto& row : table) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) line += row[k] + std::string(widths[k] - row[k].size() + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string as_markdown(const TextTable& table) {
  std::string text;
  for (std::size_t i = 0; i < table.size(); ++i) {
    text += "|";
    for (const auto& cell : table[i]) text += " " + cell + " |";
    text += "\n";
    if (i > 0) continue;
    text += "|";
    for (std::size_t k = 0; k < table[0].size(); ++k) text += "---|";
    text += "\n";
  }
  return text;
}

}  // namespace

std::string table_text(const TextTable& table, bool markdown) {
  return markdown ? as_markdown(table) : in_columns(table);
}

}  // namespace softradial::program
