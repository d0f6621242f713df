#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace softradial::study {

// Statistics of the generated prices in one span of years; annualised, as in the paper's table of summary statistics.
struct MarketTargets {
  std::chrono::sys_days last_day;
  double mean = 0;
  double volatility = 0;
  double correlation = 0;
  double autocorrelation = 0;
};

// A kind of market: the numbers behind generate_prices.
struct Universe {
  std::string name;
  std::string ticker_prefix;
  std::size_t assets = 0;
  double volatility_spread = 0;  // volatilities lie within exp(-spread) .. exp(spread), relative to each other
  double loading_spread = 0;     // in (0, 1): loadings on the market lie within mean -+ spread (1 - mean)
  std::array<MarketTargets, 3> targets;
};

[[nodiscard]] Universe liquid_universe();   // 50 assets
[[nodiscard]] Universe sectors_universe();  // 9 assets
[[nodiscard]] Universe global_universe();   // 11 assets

// "liquid", "sectors", "global". Throws DataError.
[[nodiscard]] Universe find_universe(std::string_view name);

}  // namespace softradial::study
