#pragma once

#include <bit>
#include <cstdint>

#include "data/price_table.hpp"

namespace softradial::test {

// A hash (FNV-1a over 64-bit words) of the numbers' bits, in the order of rows.
[[nodiscard]] inline std::uint64_t bit_sum(const study::Table& table) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (Eigen::Index i = 0; i < table.size(); ++i) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(table.data()[i])) * 0x100000001b3;
  }
  return hash;
}

}  // namespace softradial::test
