#pragma once

#include <string>
#include <string_view>

namespace softradial::study {

// Writes a table that is given as CSV with a head as a Parquet file, completely or not at all; columns get the types that
// their values have. Throws DataError, also in a build without DuckDB.
void write_parquet(const std::string& file, std::string_view csv);

}  // namespace softradial::study
