#include "data/csv_text.hpp"

namespace softradial::study {

namespace {

std::string_view without_blanks(std::string_view text) noexcept {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

std::string_view without_quotes(std::string_view field) noexcept {
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"') return field.substr(1, field.size() - 2);
  return field;
}

}  // namespace

CsvText::CsvText(std::string_view text) noexcept : rest_(text) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
}

bool CsvText::next() {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (without_blanks(line).empty()) continue;

    fields_.clear();
    bool in_quotes = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= line.size(); ++i) {
      if (i < line.size() && line[i] == '"') in_quotes = !in_quotes;
      if (i < line.size() && (line[i] != ',' || in_quotes)) continue;
      fields_.push_back(without_quotes(without_blanks(line.substr(begin, i - begin))));
      begin = i + 1;
    }
    return true;
  }
  return false;
}

std::string at_line(const std::string& file, std::size_t line, std::string_view what) {
  return file + ": line " + std::to_string(line) + ": " + std::string(what);
}

std::string quoted_field(std::string_view field) {
  constexpr std::size_t kMaxShown = 40;
  std::string text = "\"";
  for (const char c : field.substr(0, kMaxShown)) text += c >= ' ' && c <= '~' ? c : '?';
  if (field.size() > kMaxShown) text += "...";
  return text + "\"";
}

}  // namespace softradial::study
