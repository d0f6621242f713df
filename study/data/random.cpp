#include "data/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace softradial::study {

namespace {

constexpr double kLogTwo = 0x1.62e42fefa39efp-1;

std::uint64_t splitmix(std::uint64_t& state) noexcept {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

// exp(x) = 2^k exp(f), |f| <= log(2) / 2, by its Taylor series to f^17 / 17!.
double portable_exp(double x) noexcept {
  const double k = std::floor(x / kLogTwo + 0.5);
  const double f = x - k * kLogTwo;
  double sum = 1;
  for (int n = 17; n >= 1; --n) sum = 1 + sum * f / n;
  return std::ldexp(sum, static_cast<int>(k));
}

// log(x) = k log(2) + 2 artanh(s), x = 2^k m, s = (m - 1) / (m + 1), |s| <= 0.172 with m in [sqrt(1/2), sqrt(2)).
double portable_log(double x) noexcept {
  int k = 0;
  double m = std::frexp(x, &k);
  if (m < 0.70710678118654752) {
    m *= 2;
    --k;
  }
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  double sum = 0;
  for (int n = 21; n >= 1; n -= 2) sum = sum * s2 + 1.0 / n;
  return k * kLogTwo + 2 * s * sum;
}

Random::Random(std::uint64_t seed, std::uint64_t stream) noexcept {
  std::uint64_t mixed = seed;
  mixed = splitmix(mixed) ^ stream;
  for (std::uint64_t& word : state_) word = splitmix(mixed);
}

std::uint64_t Random::bits() noexcept {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() noexcept { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }

double Random::normal() noexcept {
  while (true) {
    const double x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    const double square = x * x + y * y;
    if (square > 0 && square < 1) return x * std::sqrt(-2 * portable_log(square) / square);
  }
}

double Random::fat_tailed() noexcept {
  constexpr int kDegrees = 5;
  const double z = normal();
  double chi_square = 0;
  for (int i = 0; i < kDegrees; ++i) {
    const double n = normal();
    chi_square += n * n;
  }
  return z * std::sqrt((kDegrees - 2) / chi_square);
}

double Random::gamma_of_mean_one(double shape) noexcept {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (portable_log(uniform()) < x * x / 2 + d - d * v + d * portable_log(v)) return d * v / shape;
  }
}

double Random::poisson(double mean) noexcept {
  constexpr double kStep = 16;
  double count = 0;
  for (double left = mean; left > 0; left -= kStep) {
    const double limit = portable_exp(-std::min(left, kStep));
    for (double product = uniform(); product > limit; product *= uniform()) ++count;
  }
  return count;
}

}  // namespace softradial::study
