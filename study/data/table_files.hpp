#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "data/demand_reader.hpp"
#include "data/price_reader.hpp"
#include "data/tables.hpp"

namespace softradial::study {

// Loads "synthetic:liquid", "synthetic:sectors", "synthetic:global", a file or folder (price_reader.hpp), or a wide table in a
// Parquet file (parquet_table.hpp). The seed is for the generator. Throws DataError.
[[nodiscard]] PriceData load_prices(const std::string& source, std::uint64_t seed);

// "synthetic:taxi", a file (demand_reader.hpp), or a wide table in a Parquet file; the `max_zones` largest zones, 0 for all. Throws DataError.
[[nodiscard]] DemandData load_demand(const std::string& source, std::size_t max_zones, std::uint64_t seed);

// ",AAA,BBB": the header of the columns after the first. A name with a comma is written in quotes, which CsvText removes
// again.
[[nodiscard]] std::string csv_names(std::span<const std::string> names);
// ",0.25,0.5": each number with the fewest digits that read back as the same double.
[[nodiscard]] std::string csv_numbers(const Eigen::Ref<const Eigen::RowVectorXd>& values);

// Write wide tables, "date,AAA,BBB" and "hour,161,237": as CSV, gzip-compressed if the name ends in .gz, or as Parquet if it
// ends in .parquet. Throw DataError.
void write_prices(const std::string& path, const PriceTable& table);
void write_demand(const std::string& path, const DemandTable& table);

}  // namespace softradial::study
