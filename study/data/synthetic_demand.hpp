#pragma once

#include <cstdint>

#include "data/tables.hpp"

namespace softradial::study {

inline constexpr std::size_t kSyntheticZones = 150;

// Generates the hourly requests of a city, 2024-01-01T00 .. 2024-06-30T23, 150 zones; a seed gives the same data on every
// machine. The clocks of this city do not change.
//
//   count_zt ~ Poisson(lambda_zt Gamma_zt),  Gamma with mean 1 and shape 12: variance = mean + mean^2 / 12
//   lambda_zt = A_z (w_z work(hour, weekend) + (1 - w_z) leisure(hour, weekend)) exp(0.10 c_t + 0.15 y_zt)
//
//   A_z        requests per hour, proportional to (rank + 5)^-1.2, 4300 over all zones
//   w_z        between 0 and 1: offices or bars
//   work, leisure   24 weights for weekdays and 24 for weekends, mean 1 over the week; Friday and Saturday nights are
//              those of the weekend
//   c_t, y_zt  standard normal, c_t = 0.99 c_t-1 + ..., y_zt = 0.95 y_z,t-1 + ...: the city and the zone have busier and
//              quieter spells, which the hours before show
[[nodiscard]] DemandTable generate_demand(std::uint64_t seed);

}  // namespace softradial::study
