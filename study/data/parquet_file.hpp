#pragma once

#include <string>
#include <string_view>

namespace softradial::study {

// Writes a table, given as CSV with a header line, to a Parquet file: completely or not at all. The types of the columns
// follow from their values. Throws DataError, also in a build without DuckDB.
void write_parquet(const std::string& file, std::string_view csv);

}  // namespace softradial::study
