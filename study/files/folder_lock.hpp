#pragma once

#include <filesystem>

namespace softradial::study {

// Only one process writes into a folder. The lock is the kernel's (flock on FOLDER/.lock) and ends with the process,
// however it ends: a lock that is left behind by a killed process does not exist.
class FolderLock {
 public:
  // Throws DataError, with the number of the other process, if the folder is locked already.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  int descriptor_;
};

}  // namespace softradial::study
