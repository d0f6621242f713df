#pragma once

#include <cstdint>

namespace softradial::study {

// Rows [begin, end) of a table.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
  bool operator==(const RowRange&) const = default;
  int64_t size() const { return end - begin; }
};

// Chronological: train, then validation, then test.
struct Splits {
  RowRange train;
  RowRange validation;
  RowRange test;
  bool operator==(const Splits&) const = default;
};

}  // namespace softradial::study
