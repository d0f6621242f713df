#include "data/duckdb_session.hpp"

#include <algorithm>

namespace softradial::study {

class DuckDbSession::Result {
 public:
  Result(DuckDbSession& session, const std::string& sql) : library_(session.library_) {
    if (library_.query(session.connection_, sql.c_str(), &result_) == DuckDBSuccess) return;
    const char* text = library_.result_error(&result_);
    std::string message = text != nullptr ? text : "a query failed";
    library_.destroy_result(&result_);
    throw DataError("DuckDB: " + message.substr(0, message.find('\n')));
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  ~Result() { library_.destroy_result(&result_); }

  [[nodiscard]] std::vector<std::string> columns() {
    std::vector<std::string> names;
    for (idx_t i = 0; i < library_.column_count(&result_); ++i) names.emplace_back(library_.column_name(&result_, i));
    return names;
  }

  // Calls take(chunk, size) for each chunk of rows.
  template <class Take>
  void for_each_chunk(const Take& take) {
    while (duckdb_data_chunk chunk = library_.fetch_chunk(result_)) {
      const Chunk owner{library_, chunk};
      take(chunk, library_.chunk_size(chunk));
    }
  }

 private:
  struct Chunk {
    const DuckDbLibrary& library;
    duckdb_data_chunk chunk;

    ~Chunk() { library.destroy_data_chunk(&chunk); }
  };

  const DuckDbLibrary& library_;
  duckdb_result result_{};
};

DuckDbSession::DuckDbSession(std::size_t threads) : library_(DuckDbLibrary::open()) {
  if (library_.open_database(nullptr, &database_) != DuckDBSuccess) throw DataError("DuckDB cannot be started");
  if (library_.connect(database_, &connection_) != DuckDBSuccess) {
    library_.close_database(&database_);
    throw DataError("DuckDB cannot be started");
  }
  try {
    run("SET autoinstall_known_extensions = false");
    run("SET autoload_known_extensions = false");
    // Only counts are needed, and these do not depend on the order of rows.
    run("SET preserve_insertion_order = false");
    if (threads > 0) run("SET threads = " + std::to_string(threads));
  } catch (...) {
    library_.disconnect(&connection_);
    library_.close_database(&database_);
    throw;
  }
}

DuckDbSession::~DuckDbSession() {
  library_.disconnect(&connection_);
  library_.close_database(&database_);
}

void DuckDbSession::run(const std::string& sql) { const Result result(*this, sql); }

std::vector<std::string> DuckDbSession::columns(const std::string& sql) { return Result(*this, sql).columns(); }

std::vector<std::string> DuckDbSession::strings(const std::string& sql) {
  std::vector<std::string> values;
  Result(*this, sql).for_each_chunk([&](duckdb_data_chunk chunk, idx_t size) {
    auto* data = static_cast<duckdb_string_t*>(library_.vector_data(library_.chunk_vector(chunk, 0)));
    for (idx_t i = 0; i < size; ++i)
      values.emplace_back(library_.string_data(&data[i]), library_.string_length(data[i]));
  });
  return values;
}

std::vector<std::int64_t> DuckDbSession::integers(const std::string& sql, std::size_t width) {
  std::vector<std::int64_t> values;
  Result(*this, sql).for_each_chunk([&](duckdb_data_chunk chunk, idx_t size) {
    const std::size_t begin = values.size();
    values.resize(begin + size * width);
    for (std::size_t column = 0; column < width; ++column) {
      const auto* data = static_cast<const std::int64_t*>(library_.vector_data(library_.chunk_vector(chunk, column)));
      for (idx_t i = 0; i < size; ++i) values[begin + i * width + column] = data[i];
    }
  });
  return values;
}

Eigen::Index DuckDbSession::doubles(const std::string& sql, Table& out) {
  Eigen::Index rows = 0;
  Result(*this, sql).for_each_chunk([&](duckdb_data_chunk chunk, idx_t size) {
    const Eigen::Index kept = std::min(static_cast<Eigen::Index>(size), std::max<Eigen::Index>(out.rows() - rows, 0));
    for (Eigen::Index column = 0; column < out.cols(); ++column) {
      const auto* data =
          static_cast<const double*>(library_.vector_data(library_.chunk_vector(chunk, static_cast<idx_t>(column))));
      for (Eigen::Index i = 0; i < kept; ++i) out(rows + i, column) = data[i];
    }
    rows += static_cast<Eigen::Index>(size);
  });
  return rows;
}

std::string sql_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace softradial::study
