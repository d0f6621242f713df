#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace softradial::study {

// The uncertainty of a number that was computed from consecutive days or hours.
struct Interval {
  double value = 0;  // computed from the rows as they are
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

struct BootstrapOptions {
  int64_t block = 20;  // consecutive rows that stay together: longer than rows depend on each other
  int resamples = 1000;
  double level = 0.95;
  uint64_t seed = 0;
};

// Computes numbers from some rows, which are given by their indices; a row may occur several times.
using RowStatistics = std::function<std::vector<double>(std::span<const int64_t> rows)>;

// The circular block bootstrap (Politis and Romano 1992). Blocks that begin at random rows, with the last row followed by the
// first, are joined until there are as many rows as before. The interval contains the middle `level` of the numbers from all
// such samples. Returns one interval for each number. The same seed gives the same intervals on every machine.
std::vector<Interval> block_bootstrap(int64_t rows, const RowStatistics& statistics,
                                      const BootstrapOptions& options = {});

}  // namespace softradial::study
