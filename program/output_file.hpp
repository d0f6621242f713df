#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace softradial::program {

// Standard output, held back at first: up to kHoldBack bytes nothing is written before the end of the input, so that an
// error on any line leaves no output behind. Beyond that the text streams out block by block, in constant memory.
class OutputFile {
 public:
  static constexpr std::size_t kHoldBack = std::size_t{16} << 20;

  explicit OutputFile(int descriptor) : descriptor_(descriptor) {}

  // Room for `size` bytes after the text so far; `commit` says where the text ends now.
  [[nodiscard]] char* reserve(std::size_t size);
  void commit(const char* end) noexcept { size_ = static_cast<std::size_t>(end - buffer_.data()); }
  void append(std::string_view text);

  // Between blocks: writes what there is, unless it is held back. Throws OutputClosed or InternalFailure.
  void end_block();
  // At the end: writes everything.
  void finish();

 private:
  int descriptor_;
  std::vector<char> buffer_;
  std::size_t size_ = 0;
  bool streaming_ = false;
};

}  // namespace softradial::program
