#pragma once

#include "data/price_table.hpp"

namespace softradial::study {

// y[t] = prices[t + 1] / prices[t], shape (dates - 1, tickers). Throws for a price that is not positive and finite,
// naming date and ticker.
Table price_relatives(const PriceTable& prices);

// For returns r (days, N) and m_t their mean over assets, with the window of the last `lookback` days up to t (fewer at
// the beginning):
//   [ r | vol | cor ]   (days, 3N),   vol = std of r_i,   cor = correlation of r_i with m      (population moments)
// A window of one day has vol = cor = 0; cor = 0 where std(r_i) std(m) <= 1e-12.
// Row t depends on days up to t only. O(days N), whatever the lookback.
Table portfolio_features(const Table& returns, int64_t lookback);

}  // namespace softradial::study
