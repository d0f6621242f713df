#pragma once

#include <duckdb.h>

#include <memory>

namespace softradial::study {

// The functions of DuckDB's C interface that we use. Its shared library is large, so it is opened at first use, not when
// the program starts.
class DuckDbLibrary {
 public:
  // Tries the file $SOFTRADIAL_DUCKDB if it is set, then ../lib/libduckdb.so relative to the program, then the system's
  // folders for libraries. Throws DataError.
  [[nodiscard]] static DuckDbLibrary open();

  decltype(&duckdb_open) open_database = nullptr;
  decltype(&duckdb_close) close_database = nullptr;
  decltype(&duckdb_connect) connect = nullptr;
  decltype(&duckdb_disconnect) disconnect = nullptr;
  decltype(&duckdb_query) query = nullptr;
  decltype(&duckdb_destroy_result) destroy_result = nullptr;
  decltype(&duckdb_result_error) result_error = nullptr;
  decltype(&duckdb_column_count) column_count = nullptr;
  decltype(&duckdb_column_name) column_name = nullptr;
  decltype(&duckdb_fetch_chunk) fetch_chunk = nullptr;
  decltype(&duckdb_destroy_data_chunk) destroy_data_chunk = nullptr;
  decltype(&duckdb_data_chunk_get_size) chunk_size = nullptr;
  decltype(&duckdb_data_chunk_get_vector) chunk_vector = nullptr;
  decltype(&duckdb_vector_get_data) vector_data = nullptr;
  decltype(&duckdb_string_t_data) string_data = nullptr;
  decltype(&duckdb_string_t_length) string_length = nullptr;

 private:
  explicit DuckDbLibrary(std::shared_ptr<void> handle);

  std::shared_ptr<void> handle_;
};

}  // namespace softradial::study
