#pragma once

#include <string>

#include "data/price_alignment.hpp"

namespace softradial::study {

// Prices from a file or a folder of files (*.csv, *.csv.gz, *.txt, in the order of their names); see price_series.hpp for
// the formats, price_alignment.hpp for what is repaired. Throws DataError.
[[nodiscard]] PriceData read_prices(const std::string& path);

}  // namespace softradial::study
