#pragma once

#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "data/tables.hpp"

namespace softradial::study {

// Random walks with a common factor, from 2010-01-01 on, one date a day.
inline PriceTable random_prices(int days, int assets, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  PriceTable table;
  table.prices = Table(days, assets);
  for (int i = 0; i < assets; ++i) table.tickers.push_back(std::string("A").append(std::to_string(i)));
  const std::chrono::sys_days first = std::chrono::year(2010) / 1 / 1;
  for (int t = 0; t < days; ++t) {
    table.dates.push_back(first + std::chrono::days(t));
    const double market = 0.01 * normal(random);
    for (int i = 0; i < assets; ++i) {
      const double before = t == 0 ? 50 + i : table.prices(t - 1, i);
      table.prices(t, i) = before * std::exp(market + 0.01 * normal(random));
    }
  }
  return table;
}

// Which of two halves of the assets does well changes every `period` days: yesterday's returns tell today's.
inline PriceTable prices_with_signal(int days, int assets, int period, unsigned seed) {
  PriceTable table = random_prices(days, assets, seed);
  std::mt19937_64 random(seed + 1);
  std::normal_distribution<double> normal;
  for (int t = 1; t < days; ++t) {
    for (int i = 0; i < assets; ++i) {
      const bool good = (t / period + i) % 2 == 0;
      table.prices(t, i) = table.prices(t - 1, i) * std::exp((good ? 0.01 : -0.01) + 0.005 * normal(random));
    }
  }
  return table;
}

// Poisson requests from a Monday's midnight on; where they come from turns with the hour of the day.
inline DemandTable random_demand(int hours, int zones, unsigned seed) {
  std::mt19937_64 random(seed);
  DemandTable table;
  table.demand = Table(hours, zones);
  for (int i = 0; i < zones; ++i) table.zones.push_back(std::to_string(i));
  const std::chrono::local_days monday(std::chrono::year(2024) / 1 / 1);
  for (int t = 0; t < hours; ++t) {
    table.hours.push_back(monday + std::chrono::hours(t));
    for (int i = 0; i < zones; ++i) {
      const double phase = 2 * std::numbers::pi * (t / 24.0 + static_cast<double>(i) / zones);
      table.demand(t, i) = std::poisson_distribution<int>(20 * (1.1 + std::cos(phase)))(random);
    }
  }
  return table;
}

}  // namespace softradial::study
