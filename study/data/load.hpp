#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "data/demand_zones.hpp"
#include "data/price_alignment.hpp"

namespace softradial::study {

// "synthetic:liquid", "synthetic:sectors", "synthetic:global", or a file or folder (price_reader.hpp). The seed is that of
// the generator. Throws DataError.
[[nodiscard]] PriceData load_prices(const std::string& source, std::uint64_t seed);

// "synthetic:taxi", or a file (demand_reader.hpp); the `max_zones` largest zones, 0 for all. Throws DataError.
[[nodiscard]] DemandData load_demand(const std::string& source, std::size_t max_zones, std::uint64_t seed);

}  // namespace softradial::study
