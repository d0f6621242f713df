#include "output_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include "failure.hpp"

namespace softradial::program {

char* OutputFile::reserve(std::size_t size) {
  // Grown by halves: a block at a time would copy what is held back again and again.
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

}  // namespace softradial::program
