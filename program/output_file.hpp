#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace softradial::program {

// Standard output. The first kHoldBack bytes are held back until the input has ended, so that an error on any line leaves
// no output behind. Longer text is written block by block, in constant memory.
class OutputFile {
 public:
  static constexpr std::size_t kHoldBack = std::size_t{16} << 20;

  explicit OutputFile(int descriptor) : descriptor_(descriptor) {}

  // `reserve` returns room for `size` more bytes; `commit` tells where the text now ends.
  [[nodiscard]] char* reserve(std::size_t size);
  void commit(const char* end) noexcept { size_ = static_cast<std::size_t>(end - buffer_.data()); }
  void append(std::string_view text);

  // Call it after each block: it writes the text unless it is held back. Throws OutputClosed or InternalFailure.
  void end_block();
  // Call it at the end: it writes everything.
  void finish();

 private:
  int descriptor_;
  std::vector<char> buffer_;
  std::size_t size_ = 0;
  bool streaming_ = false;
};

// The cells of a table. The first row is the header.
using TextTable = std::vector<std::vector<std::string>>;

// The table with aligned columns, or in Markdown.
[[nodiscard]] std::string table_text(const TextTable& table, bool markdown);

}  // namespace softradial::program
