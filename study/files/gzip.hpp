#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace softradial::study {

// The text as a gzip file. `level`: 1 is fast, 9 is small.
[[nodiscard]] std::string gzipped(std::string_view text, int level);

// The text of a gzip file, which must have `size` bytes; no more are ever taken. Throws DataError if it is damaged.
[[nodiscard]] std::string gunzipped(std::string_view bytes, std::size_t size);

}  // namespace softradial::study
