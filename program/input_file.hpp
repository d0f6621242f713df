#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace softradial::program {

// A file that is read from beginning to end. Its descriptor is closed at the end if this class has opened it.
class InputFile {
 public:
  [[nodiscard]] static InputFile standard_input();
  // Throws BadInput if the file cannot be opened.
  [[nodiscard]] static InputFile open(const std::string& path);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  // The name in error messages: "stdin" or the path.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  // Reads at least one byte and returns their number; 0 at the end. Throws BadInput if the file cannot be read.
  [[nodiscard]] std::size_t read(std::span<char> out);

 private:
  InputFile(int descriptor, bool owned, std::string name);

  int descriptor_;
  bool owned_;
  std::string name_;
};

}  // namespace softradial::program
