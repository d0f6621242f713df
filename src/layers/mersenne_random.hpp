#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace softradial::layers {

// The library's random numbers: the Mersenne Twister, with uniforms and Box-Muller normals written out, because the
// standard fixes the bits of the engine but not those of its distributions. HP's networks and the measured comparisons
// depend on these bits.
class MersenneRandom {
 public:
  explicit MersenneRandom(std::uint64_t seed) : engine_(seed) {}

  // A uniform number strictly between 0 and 1.
  [[nodiscard]] double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  [[nodiscard]] double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace softradial::layers
