#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "data/tables.hpp"

namespace softradial::test {

// A hash (FNV-1a over 64-bit words) of the numbers' bits, in the order of rows.
[[nodiscard]] inline std::uint64_t bit_sum(const study::Table& table) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (Eigen::Index i = 0; i < table.size(); ++i) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(table.data()[i])) * 0x100000001b3;
  }
  return hash;
}

// The message of the DataError that `act` throws.
template <class Act>
[[nodiscard]] std::string failure_text(const Act& act) {
  try {
    act();
  } catch (const study::DataError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace softradial::test
