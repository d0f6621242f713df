#include "data/csv_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <system_error>
#include <type_traits>

#include "files/durable_file.hpp"
#include "files/errors.hpp"
#include "files/gzip.hpp"

namespace softradial::study {

namespace {

struct CloseGzip {
  void operator()(gzFile file) const noexcept { gzclose(file); }
};
using GzipFile = std::unique_ptr<std::remove_pointer_t<gzFile>, CloseGzip>;

constexpr unsigned kBlock = 1U << 20;

// A compressed file of kilobytes may be made to fill the memory: gzip expands up to 1032 times. Tables, even of zeros, stay
// below kMostExpansion; texts of up to kAlwaysTaken bytes do no harm.
constexpr std::size_t kMostExpansion = 300;
constexpr std::size_t kAlwaysTaken = std::size_t{64} << 20;

std::string system_message() { return std::generic_category().message(errno); }

std::string gzip_message(gzFile file) {
  int code = Z_OK;
  const char* message = gzerror(file, &code);
  return code == Z_ERRNO ? system_message() : std::string(message);
}

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

std::string read_text_file(const std::string& path) {
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    throw DataError(path + ": is a folder, not a file");
  }
  errno = 0;
  const GzipFile file(gzopen(path.c_str(), "rb"));
  if (!file) throw DataError(path + ": cannot be opened: " + system_message());
  gzbuffer(file.get(), kBlock);
  std::string text;
  std::size_t size = 0;
  while (true) {
    text.resize(size + kBlock);
    const int count = gzread(file.get(), text.data() + size, kBlock);
    if (count < 0) throw DataError(path + ": cannot be read: " + gzip_message(file.get()));
    size += static_cast<std::size_t>(count);
    if (count == 0) break;
    if (size > kAlwaysTaken && size / kMostExpansion > static_cast<std::size_t>(gzoffset(file.get()))) {
      throw DataError(path + ": expands to more than " + std::to_string(kMostExpansion) + " times its size: this is no table");
    }
  }
  // gzread reports no error if a compressed file was cut off; only gzerror does.
  int code = Z_OK;
  gzerror(file.get(), &code);
  if (code == Z_BUF_ERROR) throw DataError(path + ": cannot be read: the compressed file is cut off");
  text.resize(size);
  return text;
}

void write_text_file(const std::string& path, std::string_view text) {
  constexpr int kLevel = 6;
  write_file(path, path.ends_with(".gz") ? gzipped(text, kLevel) : std::string(text));
}

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

std::optional<double> parse_number(std::string_view field) noexcept {
  double value = 0;
  const char* end = field.data() + field.size();
  if (field.starts_with('+')) field.remove_prefix(1);
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_missing(std::string_view field) noexcept {
  constexpr std::array<std::string_view, 7> kWords = {"", "null", "nan", "na", "n/a", "none", "-"};
  return std::ranges::any_of(kWords, [field](std::string_view word) {
    return std::ranges::equal(word, field, [](char a, char b) {
      const char lower = b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b;
      return a == lower;
    });
  });
}

}  // namespace softradial::study
