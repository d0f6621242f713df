#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace softradial::program {

// A file that is read from front to end: a descriptor, closed at the end if it was opened here.
class InputFile {
 public:
  [[nodiscard]] static InputFile standard_input();
  // Throws BadInput where the file cannot be opened.
  [[nodiscard]] static InputFile open(const std::string& path);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  // As error messages call it: "stdin" or the path.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  // The next bytes, at least one; 0 at the end. Throws BadInput where the file cannot be read.
  [[nodiscard]] std::size_t read(std::span<char> out);

 private:
  InputFile(int descriptor, bool owned, std::string name);

  int descriptor_;
  bool owned_;
  std::string name_;
};

}  // namespace softradial::program
