#include "report/zone_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "data/csv_file.hpp"
#include "files/errors.hpp"
#include "report/run_record.hpp"

namespace softradial::study {
namespace {

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// The column, after the first, whose head is one of these.
std::optional<std::size_t> column_of(const std::vector<std::string_view>& head,
                                     std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    for (std::size_t k = 1; k < head.size(); ++k) {
      if (same_word(head[k], word)) return k;
    }
  }
  return std::nullopt;
}

double degrees(const std::string& file, const CsvText& csv, std::size_t column, double most) {
  const std::string_view field = csv.fields()[column];
  const auto number = parse_number(field);
  if (!number || *number < -most || *number > most) {
    throw DataError(
        at_line(file, csv.line(), fmt::format("{} is no number from -{} to {}", quoted_field(field), most, most)));
  }
  return *number;
}

}  // namespace

ZonePlaces read_zone_places(const std::filesystem::path& path) {
  ZonePlaces places{.file = path.string(), .by_zone = {}};
  const std::string& file = places.file;
  const std::string text = read_text_file(file);
  CsvText csv(text);
  if (!csv.next()) throw DataError(file + ": is empty");
  const auto lon = column_of(csv.fields(), {"lon", "longitude"});
  const auto lat = column_of(csv.fields(), {"lat", "latitude"});
  const auto name = column_of(csv.fields(), {"zone", "name"});
  if (!lon || !lat) {
    throw DataError(
        fmt::format("{}: has no column {} (expected zone, name, lon, lat: the first column names the zones)", file,
                    lon ? "lat" : "lon"));
  }
  const std::size_t columns = csv.fields().size();
  while (csv.next()) {
    const auto& fields = csv.fields();
    if (fields.size() != columns)
      throw DataError(at_line(file, csv.line(), fmt::format("{} fields, expected {}", fields.size(), columns)));
    if (is_missing(fields[*lon]) && is_missing(fields[*lat])) continue;
    const std::string zone(fields[0]);
    const ZonePlace place{.name = name && !is_missing(fields[*name]) ? std::string(fields[*name]) : zone,
                          .lon = degrees(file, csv, *lon, 180),
                          .lat = degrees(file, csv, *lat, 90)};
    if (!places.by_zone.emplace(zone, place).second)
      throw DataError(at_line(file, csv.line(), "the zone " + quoted_field(zone) + " has a place already"));
  }
  if (places.by_zone.empty()) throw DataError(file + ": no zone has coordinates");
  return places;
}

std::vector<std::string> zones_without_place(const std::vector<RunRecord>& runs, const ZonePlaces& places) {
  std::vector<std::string> missing;
  for (const RunRecord& run : runs) {
    for (const std::string& zone : run.names) {
      if (!places.by_zone.contains(zone) && std::ranges::find(missing, zone) == missing.end()) missing.push_back(zone);
    }
  }
  return missing;
}

}  // namespace softradial::study
