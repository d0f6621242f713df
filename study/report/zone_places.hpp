#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace softradial::study {

struct RunRecord;

// The centroid of a zone, in degrees.
struct ZonePlace {
  std::string name;  // name for readers; the zone's id if the file has no names
  double lon = 0;
  double lat = 0;
};

struct ZonePlaces {
  std::string file;  // file name for messages
  std::map<std::string, ZonePlace> by_zone;
};

// A CSV file with a head: the first column has the zones as demand tables call them, `lon` and `lat` their centroids, and `zone` or
// `name`, if there is one, names for readers. Case does not count. A line without coordinates is skipped. Throws DataError.
[[nodiscard]] ZonePlaces read_zone_places(const std::filesystem::path& file);

// The zones of the runs for which no place is given.
[[nodiscard]] std::vector<std::string> zones_without_place(const std::vector<RunRecord>& runs,
                                                           const ZonePlaces& places);

}  // namespace softradial::study
