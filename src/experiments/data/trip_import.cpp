#include "data/trip_import.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>

#include "data/data_error.hpp"
#include "data/duckdb_session.hpp"
#include "data/trip_grid.hpp"

namespace softradial::experiments {

namespace {

// Yellow, green, high-volume for-hire; compared without regard to case.
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

// CSV as text throughout: a value that is not a time or a number becomes NULL and is counted.
std::string scan_of(const std::string& files, bool is_parquet) {
  return is_parquet ? "read_parquet(" + files + ")" : "read_csv(" + files + ", header = true, all_varchar = true)";
}

std::string quoted_name(const std::string& column) { return "\"" + column + "\""; }

// Files that one scan can read together.
struct Kind {
  bool is_parquet;
  std::string pickup;
  std::string zone;

  auto operator<=>(const Kind&) const = default;
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

// zone, hour, trips; where the time or the zone cannot be read, zone and hour are -1.
std::string count_query(const std::map<Kind, std::vector<std::string>>& files) {
  constexpr std::string_view kMicrosecondsPerHour = "3600000000";
  std::string parts;
  for (const auto& [kind, paths] : files) {
    std::string list;
    for (const std::string& path : paths) list += (list.empty() ? "[" : ", ") + sql_text(path);
    const std::string time = quoted_name(kind.pickup);
    const std::string zone = quoted_name(kind.zone);
    if (!parts.empty()) parts += " UNION ALL ";
    parts += "SELECT TRY_CAST(" + zone + " AS BIGINT) AS zone, epoch_us(TRY_CAST(" + time +
             " AS TIMESTAMP)) AS time FROM " + scan_of(list + "]", kind.is_parquet);
  }
  // Floor division for times before 1970 too: // truncates.
  const std::string hour = "(time - (((time % " + std::string(kMicrosecondsPerHour) + ") + " +
                           std::string(kMicrosecondsPerHour) + ") % " + std::string(kMicrosecondsPerHour) + ")) // " +
                           std::string(kMicrosecondsPerHour);
  return "SELECT zone, hour, count(*)::BIGINT FROM (SELECT "
         "CASE WHEN zone IS NULL OR time IS NULL THEN -1 ELSE zone END AS zone, "
         "CASE WHEN zone IS NULL OR time IS NULL THEN -1 ELSE " +
         hour + " END AS hour FROM (" + parts + ")) GROUP BY zone, hour ORDER BY zone, hour";
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

}  // namespace softradial::experiments
