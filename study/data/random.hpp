#pragma once

#include <array>
#include <cstdint>

namespace softradial::study {

// exp and log computed with +, -, * and / alone, to about 1e-15. Those of the C library differ in the last digit between
// systems, but generated data must not. Domains: |x| < 700 for exp; x positive and normal for log.
[[nodiscard]] double portable_exp(double x) noexcept;
[[nodiscard]] double portable_log(double x) noexcept;

// Random numbers that are the same on every machine: xoshiro256** (Blackman and Vigna 2018), its state filled by
// splitmix64 from a seed and a stream. Different streams of one seed may be taken as independent.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) noexcept;

  [[nodiscard]] std::uint64_t bits() noexcept;
  // Strictly between 0 and 1.
  [[nodiscard]] double uniform() noexcept;
  // Standard normal: Marsaglia's polar method (Box-Muller without sine and cosine).
  [[nodiscard]] double normal() noexcept;
  // Student's t with 5 degrees of freedom, scaled to unit variance.
  [[nodiscard]] double fat_tailed() noexcept;
  // Gamma with the given shape >= 1 and mean 1 (Marsaglia and Tsang 2000).
  [[nodiscard]] double gamma_of_mean_one(double shape) noexcept;
  // Poisson, by products of uniforms, in steps with a mean of at most 16: the time grows with the mean.
  [[nodiscard]] double poisson(double mean) noexcept;

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace softradial::study
