#pragma once

#include <string>
#include <string_view>

namespace softradial::fuzz {

// Bytes as a file that has a path and no place on a disk.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string path() const;

 private:
  int descriptor_;
};

}  // namespace softradial::fuzz
