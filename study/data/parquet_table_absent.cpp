#include "data/parquet_table.hpp"

// Stands in for parquet_table.cpp in a build without DuckDB.
namespace softradial::study {

struct ParquetTable::State {};

ParquetTable::ParquetTable(const std::string& path) {
  throw DataError(path + ": this program was built without DuckDB, which reads Parquet; ./dev build fetches it");
}

ParquetTable::~ParquetTable() = default;
Table ParquetTable::read(RowRange /*rows*/, const std::vector<std::string>& /*columns*/) { return {}; }
Eigen::RowVectorXd ParquetTable::totals() { return {}; }

}  // namespace softradial::study
