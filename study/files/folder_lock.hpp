#pragma once

#include <filesystem>

namespace softradial::study {

// Lets only one process write into a folder. The lock is the kernel's (flock on FOLDER/.lock) and ends with the process,
// however it ends: a killed process leaves no lock behind.
class FolderLock {
 public:
  // Throws DataError with the id of the other process if the folder is already locked.
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
