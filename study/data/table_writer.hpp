#pragma once

#include <string>

#include "data/demand_table.hpp"
#include "data/price_table.hpp"

namespace softradial::study {

// Wide CSV, "date,AAA,BBB" and "hour,161,237", gzip-compressed where the name ends in .gz. Each number has the fewest
// digits that read back as the same double. Throws DataError.
void write_prices(const std::string& path, const PriceTable& table);
void write_demand(const std::string& path, const DemandTable& table);

}  // namespace softradial::study
