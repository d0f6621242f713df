// Stands in for trip_import.cpp in a build without DuckDB.
#include "data/tables.hpp"
#include "data/trip_import.hpp"

namespace softradial::study {

TripImport import_trips(const std::vector<std::string>&, const TripImportOptions&) {
  throw DataError(
      "trip records are read with DuckDB, and this program was built without it: `./dev build` fetches and uses it");
}

}  // namespace softradial::study
