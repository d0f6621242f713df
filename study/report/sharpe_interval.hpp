#pragma once

#include <cstdint>
#include <vector>

namespace softradial::study {

// How much the Sharpe ratio of one series of daily returns exceeds that of another, and where 95 % of the differences lie when
// the days are drawn again: blocks of 21 days on a circle (a month, so that what follows each other stays together), the same
// days for both series, 1000 times, with a fixed generator.
struct SharpeDifference {
  double difference = 0;
  double low = 0;
  double high = 0;
};
// `ours` may be several series over the same days, one for each seed: their Sharpe ratios are averaged, in every draw.
[[nodiscard]] SharpeDifference sharpe_difference(const std::vector<std::vector<double>>& ours,
                                                 const std::vector<double>& other);

}  // namespace softradial::study
