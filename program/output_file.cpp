#include "output_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include "outcome.hpp"

namespace softradial::program {

namespace {

// Columns of numbers are aligned to the right.
bool holds_numbers(const TextTable& table, std::size_t column) {
  return std::all_of(table.begin() + 1, table.end(), [column](const auto& row) {
    const std::string& cell = row[column];
    return cell.empty() || cell[0] == '-' || (cell[0] >= '0' && cell[0] <= '9');
  });
}

std::string in_columns(const TextTable& table) {
  std::vector<std::size_t> widths(table[0].size());
  for (const auto& row : table) {
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  std::vector<bool> right;
  for (std::size_t k = 0; k < widths.size(); ++k) right.push_back(holds_numbers(table, k));
  std::string text;
  for (const auto& row : table) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string blanks(widths[k] - row[k].size(), ' ');
      line += (right[k] ? blanks + row[k] : row[k] + blanks) + "  ";
    }
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

char* OutputFile::reserve(std::size_t size) {
  // The buffer grows by half its size. Growing it block by block would copy the text again for every block.
  if (buffer_.size() < size_ + size) buffer_.resize(std::max(size_ + size, buffer_.size() + buffer_.size() / 2));
  return buffer_.data() + size_;
}

void OutputFile::append(std::string_view text) { commit(std::copy(text.begin(), text.end(), reserve(text.size()))); }

void OutputFile::end_block() {
  streaming_ = streaming_ || size_ >= kHoldBack;
  if (streaming_) finish();
}

void OutputFile::finish() {
  std::size_t written = 0;
  while (written < size_) {
    const ssize_t count = ::write(descriptor_, buffer_.data() + written, size_ - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno == EPIPE) {
      throw OutputClosed();
    } else if (errno != EINTR) {
      throw InternalFailure("stdout: cannot be written: " + std::generic_category().message(errno));
    }
  }
  size_ = 0;
}

std::string table_text(const TextTable& table, bool markdown) {
  return markdown ? as_markdown(table) : in_columns(table);
}

}  // namespace softradial::program
