#pragma once

#include <cstdint>

#include "data/tables.hpp"
#include "data/universe.hpp"

namespace softradial::study {

// The strength of the signal g in generate_prices. Per unit of g, an asset's expected return rises by kSignalReturn times its
// own volatility, and its own shocks shrink by the fraction kSignalCalm.
inline constexpr double kSignalReturn = 0.12;
inline constexpr double kSignalCalm = 0.4;

struct SyntheticPrices {
  PriceTable table;
  // (dates, assets): g at the close of each day. It drives the next day's return and cannot be read off the prices alone.
  Table signal;
};

// Generates daily prices from 2010-01-04 to 2025-12-31, Monday to Friday; a seed gives the same prices on every machine.
//
//   r_it = drift_i + s q_i (b_i F_t + sqrt(1 - b_i^2) ((1 - kSignalCalm g_i,t-1) E_it + kSignalReturn h_i,t-1))
//
//   drift_i    the span's mean return times q_i / mean(q): equal expected return per risk
//   q_i        relative volatility, evenly spaced in its logarithm, mean of q^2 = 1
//   b_i        loading, evenly spaced; the mean of b_i b_j over pairs is the span's correlation
//   F_t        the market: v_t (z_t + theta z_t-1), less 0.3 in turbulent times: drawdowns, and a median above the mean;
//              theta such that the assets' lag-1 autocorrelation is the span's
//   E_it       the asset's own shocks, sqrt(v_t) z_it
//   z          Student's t with 5 degrees of freedom, cut at 7 standard deviations
//   v_t        1 in calm and 2.2 in turbulent times: a Markov chain, 120 and 30 days on average
//   x_it       0.98 x_i,t-1 + sqrt(1 - 0.98^2) n_it, standard normal: the hidden state, half of it gone in 34 days
//   g_it       x_it / (1 + |x_it|), between -1 and 1;  h_it = g_it - mean over assets
//
// So an asset with a high x is calmer and earns more than the others for some weeks: past volatility shows it, past
// returns hint at it. Within each span F and (1 - kSignalCalm g) E_i are brought to mean 0 and variance 1 and E_i made
// orthogonal to F, and then s and a shift common to all assets make the mean return and the volatility those of the
// targets, for every seed; correlation and autocorrelation vary a little.
[[nodiscard]] SyntheticPrices generate_prices(const Universe& universe, std::uint64_t seed);

}  // namespace softradial::study
