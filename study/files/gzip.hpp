#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace softradial::study {

// Compresses the text into a gzip file. `level`: 1 is fast, 9 is small.
[[nodiscard]] std::string gzipped(std::string_view text, int level);

// Unpacks a gzip file whose text must have `size` bytes; it never takes more. Throws DataError if the file is damaged.
[[nodiscard]] std::string gunzipped(std::string_view bytes, std::size_t size);

}  // namespace softradial::study
