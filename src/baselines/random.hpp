#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace softradial::baselines {

// The standard fixes the engine bit by bit, but not its distributions: they are written out. Normals by Box and Muller.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // Strictly between 0 and 1.
  [[nodiscard]] double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  [[nodiscard]] double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace softradial::baselines
