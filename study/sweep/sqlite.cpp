#include "sweep/sqlite.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "files/errors.hpp"
#include "files/utf8.hpp"

namespace softradial::study {

namespace {

constexpr int kPrimaryCode = 0xFF;  // the low byte of an extended code

// A reader that meets the writer between two pages waits this long.
constexpr int kWaitMilliseconds = 10'000;

// Whether the file may be written, and other files made beside it.
bool is_right_place(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  return ::access(folder.c_str(), W_OK | X_OK) == 0 &&
         (::access(file.c_str(), F_OK) != 0 || ::access(file.c_str(), W_OK) == 0);
}

}  // namespace

void SqliteFile::Close::operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

SqliteFile::SqliteFile(std::filesystem::path file, Access access) : file_(std::move(file)), access_(access) {
  if (access == Access::read && !std::filesystem::exists(file_)) throw DataError(file_.string() + ": no such file");
  if (std::filesystem::is_directory(file_)) throw DataError(file_.string() + ": is a folder, not a file");
  sqlite3* opened = nullptr;
  const int flags = access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(file_.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(opened, 1);
  sqlite3_busy_timeout(opened, kWaitMilliseconds);
  if (access == Access::write) {
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA synchronous = FULL");
    run("PRAGMA foreign_keys = ON");
  }
}

SqliteFile::~SqliteFile() {
  if (access_ != Access::write) return;
  // While somebody reads, the log stays, which does no harm.
  sqlite3_busy_timeout(database_.get(), 0);
  sqlite3_exec(database_.get(), "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr);
}

void SqliteFile::fail(int code) const {
  const std::string why = database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code);
  switch (code & kPrimaryCode) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
      throw WriteError(file_.string() + ": cannot be written: " + why);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw DataError(file_.string() + ": another process holds this file");
    case SQLITE_CANTOPEN:
      // SQLite does not keep the system's error. If the place is right, the disk is full or fails.
      if (access_ == Access::write && is_right_place(file_)) {
        throw WriteError(file_.string() + ": cannot be written: " + why);
      }
      throw DataError(file_.string() + ": " + why);
    case SQLITE_NOTADB:
      throw DataError(file_.string() + ": is no store of results");
    default:
      throw DataError(file_.string() + ": " + why);
  }
}

void SqliteFile::run(const std::string& sql) {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

SqliteStatement SqliteFile::prepare(std::string_view sql) { return {*this, database_.get(), sql}; }

std::int64_t SqliteFile::last_id() const { return sqlite3_last_insert_rowid(database_.get()); }

std::int64_t SqliteFile::number(std::string_view sql) {
  SqliteStatement statement = prepare(sql);
  return statement.run() ? statement.integer(0) : 0;
}

SqliteStatement::SqliteStatement(const SqliteFile& file, sqlite3* database, std::string_view sql) : file_(&file) {
  sqlite3_stmt* made = nullptr;
  const int code = sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &made, nullptr);
  statement_.reset(made);
  if (code != SQLITE_OK) file.fail(code);
}

void SqliteStatement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

bool SqliteStatement::next() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  // A statement keeps its locks until it is reset.
  sqlite3_reset(statement_.get());
  if (code != SQLITE_DONE) file_->fail(code);
  return false;
}

void SqliteStatement::bind(int place, std::int64_t value) { sqlite3_bind_int64(statement_.get(), place, value); }
void SqliteStatement::bind(int place, double value) {
  if (std::isfinite(value)) sqlite3_bind_double(statement_.get(), place, value);
}
void SqliteStatement::bind(int place, std::string_view value) {
  sqlite3_bind_text64(statement_.get(), place, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}
void SqliteStatement::bind(int place, Blob value) {
  sqlite3_bind_blob64(statement_.get(), place, value.bytes.data(), value.bytes.size(), SQLITE_TRANSIENT);
}

std::int64_t SqliteStatement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
bool SqliteStatement::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }
double SqliteStatement::number(int column) const {
  return is_null(column) ? std::numeric_limits<double>::quiet_NaN() : sqlite3_column_double(statement_.get(), column);
}
std::string SqliteStatement::text(int column) const {
  const unsigned char* const text = sqlite3_column_text(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (text == nullptr) return {};
  std::string out(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
  if (!is_utf8(out)) throw DataError(file_->path().string() + ": is damaged: a text is not UTF-8");
  return out;
}

std::string SqliteStatement::blob(int column) const {
  const void* const bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

// Takes the write lock at once, so that a second writer waits here and not halfway through.
SqliteTransaction::SqliteTransaction(SqliteFile& file) : file_(file) { file_.run("BEGIN IMMEDIATE"); }

SqliteTransaction::~SqliteTransaction() {
  if (!open_) return;
  try {
    file_.run("ROLLBACK");
  } catch (const std::exception&) {  // a failed statement has rolled back by itself
    return;
  }
}

void SqliteTransaction::commit() {
  file_.run("COMMIT");
  open_ = false;
}

}  // namespace softradial::study
