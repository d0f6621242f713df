#pragma once

#include <cstdint>

namespace softradial {

// What became of one row of a batch. A row that is not ok comes out as NaN and gets gradient 0; other rows are not affected.
enum class RowStatus : std::int8_t {
  ok = 0,
  not_finite = 1,   // u has a NaN or an infinity
  no_interior = 2,  // the row's set has no interior, or its anchor is not inside by more than rounding
};

}  // namespace softradial
