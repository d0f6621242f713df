#include "data/parquet_table.hpp"

#include <utility>

#include "data/duckdb_session.hpp"

namespace softradial::study {
namespace {

// The name as an SQL identifier, in double quotes.
std::string sql_name(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

struct ParquetTable::State {
  DuckDbSession session{1};
  std::string source;  // "read_parquet('...')"
  std::string time;    // name of the column of times
  std::string type;    // its type
};

ParquetTable::ParquetTable(const std::string& path) : path_(path), state_(std::make_unique<State>()) {
  state_->source = "read_parquet(" + sql_text(path_) + ")";
  const auto fail = [&](const std::string& what) { throw DataError(path_ + ": " + what); };
  std::vector<std::string> names;
  try {
    names = state_->session.columns("SELECT * FROM " + state_->source + " LIMIT 0");
  } catch (const DataError& error) {
    fail(error.what());
  }
  if (names.size() < 2) fail("expected a column of times and at least one of numbers");
  state_->time = sql_name(names.front());
  columns_.assign(names.begin() + 1, names.end());
  times_ = state_->session.strings("SELECT COALESCE(CAST(" + state_->time + " AS VARCHAR), '') FROM " + state_->source +
                                   " ORDER BY " + state_->time);
  if (times_.empty()) fail("has no rows");
  state_->type = state_->session.strings("SELECT typeof(" + state_->time + ") FROM " + state_->source + " LIMIT 1")[0];
}

ParquetTable::~ParquetTable() = default;

Table ParquetTable::read(RowRange rows, const std::vector<std::string>& columns) {
  Table out(rows.size(), static_cast<Eigen::Index>(columns.size()));
  if (out.size() == 0) return out;
  std::string sql = "SELECT ";
  for (const std::string& name : columns) {
    sql += (&name == columns.data() ? "" : ", ") + ("COALESCE(CAST(" + sql_name(name) + " AS DOUBLE), 'nan'::DOUBLE)");
  }
  const auto time = [&](std::int64_t row) {
    return "CAST(" + sql_text(times_[static_cast<std::size_t>(row)]) + " AS " + state_->type + ")";
  };
  // Row groups store their first and last time, so DuckDB reads only those that have rows in the range.
  sql += " FROM " + state_->source + " WHERE " + state_->time + " BETWEEN " + time(rows.begin) + " AND " +
         time(rows.end - 1) + " ORDER BY " + state_->time;
  const Eigen::Index found = state_->session.doubles(sql, out);
  if (found != out.rows()) {
    throw DataError(
        path_ + ": " + std::to_string(found) + " rows from " + times_[static_cast<std::size_t>(rows.begin)] + " to " +
        times_[static_cast<std::size_t>(rows.end - 1)] + ", where there were " + std::to_string(out.rows()));
  }
  return out;
}

Eigen::RowVectorXd ParquetTable::totals() {
  std::string sql = "SELECT ";
  for (const std::string& name : columns_) {
    sql += (&name == columns_.data() ? "" : ", ") + ("CAST(COALESCE(sum(" + sql_name(name) + "), 0) AS DOUBLE)");
  }
  Table out(1, static_cast<Eigen::Index>(columns_.size()));
  static_cast<void>(state_->session.doubles(sql + " FROM " + state_->source, out));
  return out.row(0);
}

}  // namespace softradial::study
