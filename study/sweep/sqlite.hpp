#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace softradial::study {

class SqliteStatement;

// An open SQLite file, for one thread at a time.
class SqliteFile {
 public:
  enum class Access { read, write };

  // Reading needs an existing file; writing makes one. Committed data have reached the disk (write-ahead log with full
  // syncs). Throws DataError if the place or the file is wrong, WriteError if the disk is full or fails; so do all other
  // functions.
  SqliteFile(std::filesystem::path file, Access access);
  // A writer that ends normally leaves one file, without a log beside it.
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  void run(const std::string& sql);
  [[nodiscard]] SqliteStatement prepare(std::string_view sql);
  [[nodiscard]] std::int64_t last_id() const;
  [[nodiscard]] std::int64_t number(std::string_view sql);  // the only number of a query
  [[nodiscard]] const std::filesystem::path& path() const { return file_; }

  [[noreturn]] void fail(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const noexcept;
  };
  std::filesystem::path file_;
  Access access_;
  std::unique_ptr<sqlite3, Close> database_;
};

// A statement that can be run many times with different values. Numbers that are not finite are stored as NULL, and NULL is
// read as NaN.
class SqliteStatement {
 public:
  // Binds the values to the places ?1, ?2, ... and goes to the first row. Returns false if there is none.
  template <class... Values>
  bool run(const Values&... values) {
    reset();
    int place = 0;
    (bind(++place, values), ...);
    return next();
  }
  bool next();

  // Binary data, bound as a BLOB.
  struct Blob {
    std::string_view bytes;
  };

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double number(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::string blob(int column) const;
  [[nodiscard]] bool is_null(int column) const;

 private:
  friend class SqliteFile;
  SqliteStatement(const SqliteFile& file, sqlite3* database, std::string_view sql);

  void reset();
  void bind(int place, std::int64_t value);
  void bind(int place, int value) { bind(place, std::int64_t{value}); }
  void bind(int place, std::uint64_t value) { bind(place, static_cast<std::int64_t>(value)); }
  void bind(int place, double value);
  void bind(int place, std::string_view value);
  void bind(int place, Blob value);
  void bind(int place, const std::string& value) { bind(place, std::string_view(value)); }
  void bind(int place, const char* value) { bind(place, std::string_view(value)); }
  template <class Value>
  void bind(int place, const std::optional<Value>& value) {
    if (value) bind(place, *value);  // a place without a value is NULL
  }

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  const SqliteFile* file_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// Everything until commit() takes effect, or nothing does.
class SqliteTransaction {
 public:
  explicit SqliteTransaction(SqliteFile& file);
  ~SqliteTransaction();
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;

  void commit();

 private:
  SqliteFile& file_;
  bool open_ = true;
};

}  // namespace softradial::study
