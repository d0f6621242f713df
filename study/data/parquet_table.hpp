#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/tables.hpp"

namespace softradial::study {

[[nodiscard]] bool is_parquet(std::string_view path);

// A wide table in a Parquet file: a column of times in increasing order, then columns of numbers. DuckDB reads any rows and
// columns of it and skips the rest, so the file may be larger than memory.
class ParquetTable {
 public:
  // Reads the names and the times. Throws DataError, also in a build without DuckDB.
  explicit ParquetTable(const std::string& path);
  ~ParquetTable();
  ParquetTable(const ParquetTable&) = delete;
  ParquetTable& operator=(const ParquetTable&) = delete;

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }  // without the column of times
  [[nodiscard]] const std::vector<std::string>& times() const { return times_; }      // as text

  // Shape (rows, columns). A missing number is NaN. Throws DataError.
  [[nodiscard]] Table read(RowRange rows, const std::vector<std::string>& columns);
  // The sums of all columns over all rows.
  [[nodiscard]] Eigen::RowVectorXd totals();

 private:
  struct State;

  std::string path_;
  std::unique_ptr<State> state_;
  std::vector<std::string> columns_;
  std::vector<std::string> times_;
};

}  // namespace softradial::study
