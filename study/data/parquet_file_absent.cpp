// Stands in for parquet_file.cpp in a build without DuckDB.
#include "data/parquet_file.hpp"
#include "data/tables.hpp"

namespace softradial::study {

void write_parquet(const std::string& file, std::string_view) {
  throw DataError(file +
                  ": Parquet is written with DuckDB, and this program was built without it: `./dev build` fetches and "
                  "uses it");
}

}  // namespace softradial::study
