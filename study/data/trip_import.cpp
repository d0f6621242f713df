#include "data/trip_import.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <tuple>

#include "data/duckdb_session.hpp"
#include "data/tables.hpp"
#include "data/trip_grid.hpp"

namespace softradial::study {

namespace {

// Column names in yellow, green and high-volume for-hire records. Case does not matter.
constexpr std::array<std::string_view, 3> kPickupColumns = {"tpep_pickup_datetime", "lpep_pickup_datetime",
                                                            "pickup_datetime"};
constexpr std::string_view kZoneColumn = "pulocationid";

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::vector<std::string> expand(DuckDbSession& session, const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (std::error_code ignored; std::filesystem::exists(path, ignored)) {
      files.push_back(path);
      continue;
    }
    const std::vector<std::string> matches =
        session.strings("SELECT file FROM glob(" + sql_text(path) + ") ORDER BY file");
    if (matches.empty()) throw DataError(path + ": no such file");
    files.insert(files.end(), matches.begin(), matches.end());
  }
  std::vector<std::string> sorted = files;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    throw DataError(*twice + ": is named twice");
  }
  return files;
}

// CSV is read as text: a value that is not a time or a number then becomes NULL and is counted as unreadable.
std::string scan_of(const std::string& files, bool is_parquet) {
  return is_parquet ? "read_parquet(" + files + ")" : "read_csv(" + files + ", header = true, all_varchar = true)";
}

std::string quoted_name(const std::string& column) { return "\"" + column + "\""; }

// Files that one scan can read together.
struct Kind {
  bool is_parquet;
  std::string pickup;
  std::string zone;

  friend bool operator<(const Kind& a, const Kind& b) {
    return std::tie(a.is_parquet, a.pickup, a.zone) < std::tie(b.is_parquet, b.pickup, b.zone);
  }
};

Kind kind_of(DuckDbSession& session, const std::string& file) {
  const bool is_parquet = lower_case(file).ends_with(".parquet");
  std::vector<std::string> columns;
  try {
    columns = session.columns("SELECT * FROM " + scan_of(sql_text(file), is_parquet) + " LIMIT 0");
  } catch (const DataError& error) {
    throw DataError(file + ": " + error.what());
  }
  Kind kind{is_parquet, "", ""};
  for (const std::string_view wanted : kPickupColumns) {
    for (const std::string& column : columns) {
      if (kind.pickup.empty() && lower_case(column) == wanted) kind.pickup = column;
    }
  }
  for (const std::string& column : columns) {
    if (lower_case(column) == kZoneColumn) kind.zone = column;
  }
  if (kind.pickup.empty() || kind.zone.empty()) {
    throw DataError(
        file + ": has no column " +
        (kind.pickup.empty() ? "tpep_pickup_datetime, lpep_pickup_datetime or pickup_datetime" : "PULocationID") +
        ": not a trip record of the Taxi and Limousine Commission since 2016?");
  }
  return kind;
}

std::string list_of(const std::vector<std::string>& files) {
  std::string list = "[";
  for (const std::string& file : files) {
    if (list.size() > 1) list += ", ";
    list += sql_text(file);
  }
  list += "]";
  return list;
}

// A query for the zone of each trip and its time in microseconds; NULL if they cannot be read.
std::string select_trips(const Kind& kind, const std::vector<std::string>& files) {
  std::string sql = "SELECT TRY_CAST(";
  sql += quoted_name(kind.zone);
  sql += " AS BIGINT) AS zone, epoch_us(TRY_CAST(";
  sql += quoted_name(kind.pickup);
  sql += " AS TIMESTAMP)) AS time FROM ";
  sql += scan_of(list_of(files), kind.is_parquet);
  return sql;
}

// A query for zone, hour and number of trips; zone and hour are -1 if either of them cannot be read. Hours are rounded down.
// Before 1970 the operator // would round up; subtracting a remainder that is never negative rounds down.
std::string count_query(const std::map<Kind, std::vector<std::string>>& files) {
  std::string all;
  for (const auto& [kind, paths] : files) {
    if (!all.empty()) all += " UNION ALL ";
    all += select_trips(kind, paths);
  }
  std::string sql =
      "WITH trips AS (SELECT zone, time, zone IS NULL OR time IS NULL AS unreadable, "
      "(time % 3600000000 + 3600000000) % 3600000000 AS within_hour FROM (";
  sql += all;
  sql +=
      ")) SELECT CASE WHEN unreadable THEN -1 ELSE zone END AS z, "
      "CASE WHEN unreadable THEN -1 ELSE (time - within_hour) // 3600000000 END AS h, "
      "count(*)::BIGINT FROM trips GROUP BY z, h ORDER BY z, h";
  return sql;
}

}  // namespace

TripImport import_trips(const std::vector<std::string>& paths, const TripImportOptions& options) {
  if (paths.empty()) throw DataError("no trip records: name at least one file");
  if (options.from && options.to && *options.from > *options.to) throw DataError("the first day is after the last");
  DuckDbSession session(options.threads);
  std::map<Kind, std::vector<std::string>> files;
  for (const std::string& file : expand(session, paths)) files[kind_of(session, file)].push_back(file);

  const std::vector<std::int64_t> rows = session.integers(count_query(files), 3);
  std::vector<TripCount> counts;
  std::int64_t unreadable = 0;
  for (std::size_t i = 0; i < rows.size(); i += 3) {
    if (rows[i] < 0) {
      unreadable += rows[i + 2];
    } else {
      counts.push_back({rows[i], rows[i + 1], rows[i + 2]});
    }
  }
  TripImport result = grid_of_trips(counts, options);
  result.unreadable = unreadable;
  if (unreadable > 0) {
    result.data.warnings.push_back(std::to_string(unreadable) + " trips without a time or a zone dropped");
  }
  return result;
}

}  // namespace softradial::study
