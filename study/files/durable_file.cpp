#include "files/durable_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "files/errors.hpp"

namespace softradial::study {
namespace {

// An open file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const noexcept { return number_; }
  // Closes now. A full disk on a network may be reported only here.
  [[nodiscard]] bool close() noexcept { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

std::string reason() { return std::generic_category().message(errno); }

bool write_all(int descriptor, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// The usual permissions of a new file: mkostemp gives access to the owner alone.
mode_t usual_mode() noexcept {
  // The umask can be read only by setting it, which other threads would notice for a moment. /proc shows it without that.
  constexpr mode_t kEveryone = 0666;
  mode_t mask = 022;
  const Descriptor status(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  char text[4096];
  const ssize_t size = status.number() < 0 ? -1 : ::read(status.number(), text, sizeof text);
  if (size > 0) {
    const std::string_view all(text, static_cast<std::size_t>(size));
    if (const auto at = all.find("Umask:\t"); at != std::string_view::npos) {
      mask = static_cast<mode_t>(std::stoul(std::string(all.substr(at + 7, 4)), nullptr, 8));
    }
  }
  return kEveryone & ~mask;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

void write_in_place(const std::filesystem::path& file, std::string_view bytes) {
  Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, usual_mode()));
  if (out.number() < 0) throw DataError(file.string() + ": cannot be opened: " + reason());
  if (!write_all(out.number(), bytes) || !out.close()) {
    throw WriteError(file.string() + ": cannot be written: " + reason());
  }
}

}  // namespace

void throw_unwritable(const std::string& place, int error, const char* what) {
  const std::string message = place + ": " + what + ": " + std::generic_category().message(error);
  if (error == ENOSPC || error == EDQUOT || error == EIO) throw WriteError(message);
  throw DataError(message);
}

void write_file(const std::filesystem::path& file, std::string_view bytes) {
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(file, ignored);
  if (std::filesystem::is_directory(status)) throw DataError(file.string() + ": cannot be written: it is a folder");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return write_in_place(file, bytes);

  std::string part = file.string() + ".XXXXXX";
  Descriptor out(::mkostemp(part.data(), O_CLOEXEC));
  if (out.number() < 0) throw_unwritable(file.string(), errno);
  const bool done = write_all(out.number(), bytes) && ::fchmod(out.number(), usual_mode()) == 0 &&
                    ::fsync(out.number()) == 0 && out.close() && ::rename(part.c_str(), file.c_str()) == 0;
  if (!done) {
    const std::string why = reason();
    ::unlink(part.c_str());
    throw WriteError(file.string() + ": cannot be written: " + why);
  }
  // The rename itself must survive a power loss. Some file systems cannot sync a folder; there it is as durable as it can
  // be.
  const Descriptor folder(::open(folder_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() >= 0) ::fsync(folder.number());
}

bool append_to_log(const std::filesystem::path& file, std::string_view line) noexcept {
  const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  return out.number() >= 0 && write_all(out.number(), line);
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw_unwritable(folder.string(), error.value(), "this folder cannot be made");
  if (!std::filesystem::is_directory(folder, error)) throw DataError(folder.string() + ": is a file, not a folder");
}

std::string read_file(const std::filesystem::path& file, std::size_t most) {
  const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.number() < 0) {
    throw DataError(file.string() + (errno == ENOENT ? ": no such file" : ": cannot be opened: " + reason()));
  }
  struct stat facts = {};
  if (::fstat(in.number(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    throw DataError(file.string() + ": is no regular file");
  }
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size > most) throw DataError(file.string() + ": is too large: " + std::to_string(size) + " bytes");
  std::string bytes(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const ssize_t count = ::read(in.number(), bytes.data() + got, size - got);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw DataError(file.string() + ": cannot be read: " + reason());
    if (count == 0) break;
    got += static_cast<std::size_t>(count);
  }
  bytes.resize(got);
  return bytes;
}

}  // namespace softradial::study
