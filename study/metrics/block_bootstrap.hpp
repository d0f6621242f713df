#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace softradial::study {

// How sure a number is that was computed from days or hours in a row.
struct Interval {
  double value = 0;  // from the rows as they are
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

struct BootstrapOptions {
  int64_t block = 20;  // consecutive rows that stay together: longer than what they remember of each other
  int resamples = 1000;
  double level = 0.95;
  uint64_t seed = 0;
};

// Numbers that are computed from some rows, given by their indices; a row may come several times.
using RowStatistics = std::function<std::vector<double>(std::span<const int64_t> rows)>;

// The circular block bootstrap (Politis and Romano 1992): blocks that begin at random rows, the last row followed by the
// first, are put together until there are as many rows as before; the interval has the `level` of the numbers of all such
// samples in its middle. One interval for each number. The same seed gives the same intervals on every machine.
std::vector<Interval> block_bootstrap(int64_t rows, const RowStatistics& statistics,
                                      const BootstrapOptions& options = {});

}  // namespace softradial::study
