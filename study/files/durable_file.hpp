#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace softradial::study {

// Writes the file completely or not at all, and durably: the bytes go into a temporary file of a unique name beside it and
// reach the disk (fsync); then the temporary file is renamed, and the folder reaches the disk too. A process that is killed at
// any moment leaves either the old file or the new one. Devices, pipes and links are written to directly, because a rename
// would replace them. Throws DataError if the place cannot be written to (no such folder, no permission), WriteError for any
// later failure.
void write_file(const std::filesystem::path& file, std::string_view bytes);

// Appends to a log: one write, no temporary file. Returns false on failure: a log must never stop the work that it describes.
bool append_to_log(const std::filesystem::path& file, std::string_view line) noexcept;

// Makes the folder and its parents. Throws DataError if the place is wrong, WriteError if the disk is full or fails.
void make_folder(const std::filesystem::path& folder);

// Reads the whole file, which must be a regular file of at most `most` bytes. Throws DataError.
[[nodiscard]] std::string read_file(const std::filesystem::path& file, std::size_t most = std::size_t{1} << 32);

}  // namespace softradial::study
