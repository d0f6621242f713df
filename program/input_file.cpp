#include "input_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "outcome.hpp"

namespace softradial::program {

namespace {

std::string error_text() { return std::generic_category().message(errno); }

}  // namespace

InputFile::InputFile(int descriptor, bool owned, std::string name)
    : descriptor_(descriptor), owned_(owned), name_(std::move(name)) {}

InputFile InputFile::standard_input() { return {STDIN_FILENO, false, "stdin"}; }

InputFile InputFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw BadInput(path + ": cannot be opened: " + error_text());
  return {descriptor, true, path};
}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(other.descriptor_), owned_(std::exchange(other.owned_, false)), name_(std::move(other.name_)) {}

InputFile::~InputFile() {
  if (owned_) ::close(descriptor_);
}

std::size_t InputFile::read(std::span<char> out) {
  while (true) {
    const ssize_t count = ::read(descriptor_, out.data(), out.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) throw BadInput(name_ + ": cannot be read: " + error_text());
  }
}

}  // namespace softradial::program
