#include "data/demand_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "data/calendar.hpp"
#include "data/csv_file.hpp"
#include "data/tables.hpp"
#include "files/utf8.hpp"

namespace softradial::study {

namespace {

// The largest count. Counts are whole numbers, which a double holds exactly up to here, and the sum of two stays finite.
constexpr double kLargestCount = 0x1p53;

bool is_nowhere(const std::string& zone) { return zone == "264" || zone == "265"; }

std::string count(double requests) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", requests);
  return text;
}

using std::chrono::hours;
using std::chrono::local_seconds;

struct Row {
  local_seconds hour;
  std::size_t line = 0;
  Eigen::RowVectorXd demand;
};

std::vector<std::string> read_header(const std::string& path, CsvText& csv) {
  if (!csv.next()) throw DataError(path + ": is empty");
  if (parse_date(csv.fields().front())) {
    throw DataError(at_line(path, csv.line(), "a header is missing: the first line begins with a date"));
  }
  if (csv.fields().size() < 2) {
    throw DataError(at_line(path, csv.line(), "expected an hour and at least one zone, separated by commas"));
  }
  std::vector<std::string> zones(csv.fields().begin() + 1, csv.fields().end());
  std::set<std::string> seen;
  for (const std::string& zone : zones) {
    if (zone.empty()) throw DataError(at_line(path, csv.line(), "a zone has no name"));
    if (!is_utf8(zone)) throw DataError(at_line(path, csv.line(), "the zone " + quoted_field(zone) + " is not UTF-8"));
    if (!seen.insert(zone).second) throw DataError(at_line(path, csv.line(), "the zone " + zone + " occurs twice"));
  }
  return zones;
}

Row read_row(const std::string& path, const CsvText& csv, const std::vector<std::string>& zones) {
  const auto fail = [&](const std::string& what) { throw DataError(at_line(path, csv.line(), what)); };
  if (csv.fields().size() != zones.size() + 1) {
    fail(std::to_string(csv.fields().size()) + " columns, but the header has " + std::to_string(zones.size() + 1));
  }
  const std::string_view field = csv.fields().front();
  const std::optional<local_seconds> hour = parse_hour(field);
  if (!hour) fail(quoted_field(field) + " is not a full hour of local time (expected 2024-01-01T00)");
  Row row{*hour, csv.line(), Eigen::RowVectorXd(static_cast<Eigen::Index>(zones.size()))};
  for (std::size_t j = 0; j < zones.size(); ++j) {
    const std::string_view cell = csv.fields()[j + 1];
    const std::optional<double> count = parse_number(cell);
    if (!count) fail("zone " + zones[j] + ": " + quoted_field(cell) + " is not a count");
    if (*count < 0) fail("zone " + zones[j] + ": the count " + quoted_field(cell) + " is negative");
    if (*count > kLargestCount) fail("zone " + zones[j] + ": the count " + quoted_field(cell) + " is too large");
    row.demand(static_cast<Eigen::Index>(j)) = *count;
  }
  return row;
}

// Sorts the rows and merges those of the same hour.
std::vector<Row> merge_rows(const std::string& path, std::vector<Row> rows, std::vector<std::string>& warnings) {
  std::ranges::stable_sort(rows, {}, &Row::hour);
  std::vector<Row> merged;
  merged.reserve(rows.size());
  for (Row& row : rows) {
    if (merged.empty() || merged.back().hour != row.hour) {
      merged.push_back(std::move(row));
    } else if (is_repeated_hour(row.hour)) {
      merged.back().demand += row.demand;
      warnings.push_back(path + ": " + format_hour(row.hour) + " happens twice (end of daylight saving): added");
    } else if (merged.back().demand != row.demand) {
      throw DataError(
          at_line(path, row.line, format_hour(row.hour) + " differs from line " + std::to_string(merged.back().line)));
    }
  }
  return merged;
}

// Fills the hour that the clocks skip; refuses any other gap.
std::vector<Row> close_gaps(const std::string& path, std::vector<Row> rows, std::vector<std::string>& warnings) {
  std::vector<Row> complete;
  complete.reserve(rows.size() + 1);
  for (Row& row : rows) {
    if (!complete.empty() && row.hour != complete.back().hour + hours(1)) {
      const local_seconds missing = complete.back().hour + hours(1);
      if (!is_skipped_hour(missing) || row.hour != missing + hours(1)) {
        throw DataError(
            at_line(path, row.line,
                    "hours are missing before " + format_hour(row.hour) + ": expected " + format_hour(missing)));
      }
      complete.push_back({missing, row.line, skipped_hour_demand(complete.back().demand, row.demand)});
      warnings.push_back(path + ": " + format_hour(missing) +
                         " does not exist (start of daylight saving): filled with the mean of its neighbours");
    }
    complete.push_back(std::move(row));
  }
  return complete;
}

}  // namespace

std::vector<Eigen::Index> kept_zones(const std::vector<std::string>& zones, const Eigen::RowVectorXd& totals,
                                     std::size_t max_zones, std::vector<std::string>& warnings) {
  std::vector<Eigen::Index> kept;
  for (std::size_t j = 0; j < zones.size(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    if (!is_nowhere(zones[j])) {
      kept.push_back(column);
      continue;
    }
    warnings.push_back("zone " + zones[j] + " (unknown or outside the city) dropped, with " + count(totals(column)) +
                       " requests");
  }
  if (kept.empty()) throw DataError("no zone is left: the data have the zones 264 and 265 only");
  if (max_zones > kept.size()) {
    warnings.push_back(std::to_string(max_zones) + " zones asked for, but the data have " +
                       std::to_string(kept.size()));
  }
  if (max_zones > 0 && max_zones < kept.size()) {
    std::ranges::stable_sort(kept, [&totals](Eigen::Index a, Eigen::Index b) { return totals(a) > totals(b); });
    kept.resize(max_zones);
    std::ranges::sort(kept);
  }
  return kept;
}

void select_zones(DemandData& data, std::size_t max_zones) {
  DemandTable& table = data.table;
  const std::vector<Eigen::Index> kept =
      kept_zones(table.zones, table.demand.colwise().sum(), max_zones, data.warnings);
  table.zones_left_out += table.zones.size() - kept.size();

  std::vector<std::string> zones;
  zones.reserve(kept.size());
  for (const Eigen::Index j : kept) zones.push_back(table.zones[static_cast<std::size_t>(j)]);
  table.demand = Table(table.demand(Eigen::indexing::all, kept));
  table.zones = std::move(zones);
}

Eigen::RowVectorXd skipped_hour_demand(const Eigen::RowVectorXd& before, const Eigen::RowVectorXd& after) {
  return ((before + after) / 2).array().round();
}

DemandData read_demand(const std::string& path, std::size_t max_zones) {
  const std::string text = read_text_file(path);
  CsvText csv(text);
  DemandData data;
  data.table.zones = read_header(path, csv);
  std::vector<Row> rows;
  while (csv.next()) rows.push_back(read_row(path, csv, data.table.zones));
  if (rows.empty()) throw DataError(path + ": has no hours");
  rows = close_gaps(path, merge_rows(path, std::move(rows), data.warnings), data.warnings);

  data.table.demand.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(data.table.zones.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    data.table.hours.push_back(rows[i].hour);
    data.table.demand.row(static_cast<Eigen::Index>(i)) = rows[i].demand;
  }
  select_zones(data, max_zones);
  return data;
}

}  // namespace softradial::study
