#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "data/price_table.hpp"

namespace softradial::program {

// A saved policy and the prices that it is to decide on.
struct PolicyFlags {
  std::string model;
  std::string prices;
  std::uint64_t data_seed = 0;
};

void add_policy_flags(CLI::App& command, PolicyFlags& flags);

// The prices; what was repaired in them is told on stderr.
[[nodiscard]] study::PriceTable told_prices(const std::string& source, std::uint64_t seed);

}  // namespace softradial::program
