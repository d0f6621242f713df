#include "metrics/block_bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "data/random.hpp"

namespace softradial::study {
namespace {

// A quantile of sorted numbers, with linear interpolation between neighbours.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

std::vector<Interval> block_bootstrap(int64_t rows, const RowStatistics& statistics, const BootstrapOptions& options) {
  if (rows < 1 || options.block < 1 || options.resamples < 1) {
    throw std::invalid_argument("block bootstrap: rows, block and resamples must be positive");
  }
  std::vector<int64_t> chosen(static_cast<size_t>(rows));
  std::iota(chosen.begin(), chosen.end(), int64_t{0});
  const std::vector<double> values = statistics(chosen);
  std::vector<std::vector<double>> drawn(values.size());
  Random random(options.seed, 0);
  for (int k = 0; k < options.resamples; ++k) {
    for (int64_t i = 0; i < rows; i += options.block) {
      const auto first = static_cast<int64_t>(random.uniform() * static_cast<double>(rows));
      const int64_t length = std::min(options.block, rows - i);
      for (int64_t j = 0; j < length; ++j) chosen[static_cast<size_t>(i + j)] = (first + j) % rows;
    }
    const std::vector<double> sample = statistics(chosen);
    for (size_t s = 0; s < values.size(); ++s) drawn[s].push_back(sample[s]);
  }
  std::vector<Interval> out;
  const double tail = (1 - options.level) / 2;
  for (size_t s = 0; s < values.size(); ++s) {
    std::ranges::sort(drawn[s]);
    out.push_back({values[s], quantile(drawn[s], tail), quantile(drawn[s], 1 - tail)});
  }
  return out;
}

}  // namespace softradial::study
