#include "models/dropout.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <cmath>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>

namespace softradial::study {
namespace {

// The finaliser of splitmix64: a bijection of 64 bits without visible structure.
uint64_t hash(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Writes the factors with numbers first, ..., first + count - 1 of a seed. One hash has the bits of two factors: its lower
// half serves an even number, its upper half the odd number after it.
template <class T>
void fill(T* out, int64_t first, int64_t count, double probability, uint64_t seed) {
  constexpr uint64_t kOddStep = 0x9e3779b97f4a7c15ULL;
  const auto threshold = static_cast<uint32_t>(std::lround(probability * 0x1p32 * (1 - 0x1p-32)));
  const T kept = static_cast<T>(1 / (1 - probability));
  const auto factor = [&](uint64_t bits) { return static_cast<uint32_t>(bits) < threshold ? T{0} : kept; };
  seed += kOddStep * static_cast<uint64_t>(first / 2);
  int64_t i = 0;
  if (first % 2 != 0 && count > 0) out[i++] = factor(hash(seed += kOddStep) >> 32);
  for (; i + 2 <= count; i += 2) {
    const uint64_t bits = hash(seed += kOddStep);
    out[i] = factor(bits);
    out[i + 1] = factor(bits >> 32);
  }
  if (i < count) out[i] = factor(hash(seed + kOddStep));
}

template <class T>
void fill_rows(const at::Tensor& factors, std::span<const int64_t> places, double probability, uint64_t seed) {
  T* const out = factors.data_ptr<T>();
  if (places.empty()) return fill(out, 0, factors.numel(), probability, seed);
  const int64_t width = factors.size(1);
  for (size_t i = 0; i < places.size(); ++i) {
    fill(out + static_cast<int64_t>(i) * width, places[i] * width, width, probability, seed);
  }
}

}  // namespace

Dropout::Dropout(double probability) : probability_(probability) {
  if (!(probability >= 0 && probability < 1)) {
    throw std::invalid_argument("dropout must be in [0, 1), not " + std::to_string(probability));
  }
}

void Dropout::draw(at::Generator& generator, at::Tensor& factors, std::span<const int64_t> places) const {
  uint64_t seed = 0;
  {
    const std::lock_guard<std::mutex> lock(generator.mutex());
    seed = at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
  }
  if (factors.scalar_type() == at::kFloat) {
    fill_rows<float>(factors, places, probability_, seed);
  } else {
    fill_rows<double>(factors, places, probability_, seed);
  }
}

}  // namespace softradial::study
