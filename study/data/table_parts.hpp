#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/tables.hpp"

// Tables that are read in parts, so that no process has to hold a whole one.
namespace softradial::study {

template <class TableType>
class TableParts {
 public:
  virtual ~TableParts() = default;

  // The table without its numbers: the times and names of the whole table.
  [[nodiscard]] const TableType& outline() const { return outline_; }
  // Repairs and suspicious values, one line each.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  // Reads some rows of the columns with these names, in this order. Throws DataError.
  [[nodiscard]] virtual TableType read(RowRange rows, const std::vector<std::string>& columns) = 0;

 protected:
  TableType outline_;
  std::vector<std::string> warnings_;
};
using PriceParts = TableParts<PriceTable>;
using DemandParts = TableParts<DemandTable>;

// Open the sources of table_files.hpp. Of a Parquet file (parquet_table.hpp), only the requested rows are read; any other
// source is in memory as a whole while this object lives. `max_zones` needs the sums of all columns. Throw DataError.
[[nodiscard]] std::unique_ptr<PriceParts> open_prices(const std::string& source, std::uint64_t seed);
[[nodiscard]] std::unique_ptr<DemandParts> open_demand(const std::string& source, std::size_t max_zones,
                                                       std::uint64_t seed);

// Which zones of a source are used.
struct ZoneChoice {
  std::vector<std::string> zones;
  std::size_t left_out = 0;
};
// Opens the source for zones that were chosen before, so that no sums are needed.
[[nodiscard]] std::unique_ptr<DemandParts> open_demand(const std::string& source, const ZoneChoice& choice,
                                                       std::uint64_t seed);

}  // namespace softradial::study
