#include "data/parquet_file.hpp"

#include <unistd.h>

#include <filesystem>

#include "data/duckdb_session.hpp"
#include "files/durable_file.hpp"

namespace softradial::study {
namespace {

// A file that is deleted at the end of its scope.
class PassingFile {
 public:
  explicit PassingFile(std::string name) : name_(std::move(name)) {}
  ~PassingFile() {
    std::error_code ignored;
    std::filesystem::remove(name_, ignored);
  }
  PassingFile(const PassingFile&) = delete;
  PassingFile& operator=(const PassingFile&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace

void write_parquet(const std::string& file, std::string_view csv) {
  const std::string own = file + "." + std::to_string(::getpid());
  const PassingFile text(own + ".csv");
  const PassingFile table(own + ".part");
  write_file(text.name(), csv);
  DuckDbSession session(1);
  // DuckDB reads all rows before it chooses a type.
  session.run("COPY (SELECT * FROM read_csv(" + sql_text(text.name()) + ", header = true, sample_size = -1)) TO " +
              sql_text(table.name()) + " (FORMAT parquet)");
  write_file(file, read_file(table.name()));
}

}  // namespace softradial::study
