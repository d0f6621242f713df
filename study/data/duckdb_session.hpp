#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/duckdb_library.hpp"
#include "data/tables.hpp"

namespace softradial::study {

// A database in memory and one connection to it. Offline: it installs and loads no extensions.
class DuckDbSession {
 public:
  explicit DuckDbSession(std::size_t threads);
  DuckDbSession(const DuckDbSession&) = delete;
  DuckDbSession& operator=(const DuckDbSession&) = delete;
  ~DuckDbSession();

  // These five functions throw DataError with the first line of DuckDB's message.
  void run(const std::string& sql);
  // The names of the columns of a query's result.
  [[nodiscard]] std::vector<std::string> columns(const std::string& sql);
  // The only column of a query, which must be text without NULL.
  [[nodiscard]] std::vector<std::string> strings(const std::string& sql);
  // The numbers of a query with `width` columns, all BIGINT without NULL: row by row in one list.
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& sql, std::size_t width);
  // Runs a query whose columns are DOUBLE without NULL. Writes its first rows to `out`, as many as `out` has, and returns the
  // number of rows of the query.
  [[nodiscard]] Eigen::Index doubles(const std::string& sql, Table& out);

 private:
  class Result;

  DuckDbLibrary library_;
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

// The text as an SQL literal, in single quotes.
[[nodiscard]] std::string sql_text(const std::string& text);

}  // namespace softradial::study
