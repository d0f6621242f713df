#include "files/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "files/errors.hpp"

namespace softradial::study {

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / ".lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw_unwritable(folder.string(), errno);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    char owner[32] = {};
    const ssize_t size = ::read(descriptor_, owner, sizeof owner - 1);
    ::close(descriptor_);
    throw DataError(folder.string() + ": another process" +
                    (size > 0 ? " (" + std::string(owner, static_cast<std::size_t>(size)) + ")" : std::string()) +
                    " writes into this folder");
  }
  // The process id is written only for the message above.
  const std::string owner = std::to_string(::getpid());
  if (::ftruncate(descriptor_, 0) == 0) [[maybe_unused]]
    const ssize_t n = ::write(descriptor_, owner.data(), owner.size());
}

FolderLock::FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace softradial::study
