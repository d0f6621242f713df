#pragma once

#include <string>
#include <string_view>

namespace softradial::study {

// The whole file as text; a gzip-compressed one is decompressed, whatever its name. Throws DataError.
[[nodiscard]] std::string read_text_file(const std::string& path);

// Writes the file as a whole, compressed where the name ends in .gz: into a file beside it that takes its name at the
// end, so that a full disk leaves no half-written file behind. Devices, pipes and links are written to directly. Throws DataError where it cannot be opened, std::runtime_error where it
// cannot be written.
void write_text_file(const std::string& path, std::string_view text);

}  // namespace softradial::study
