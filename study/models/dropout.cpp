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

template <class T>
void fill(T* out, int64_t count, double probability, uint64_t seed) {
  constexpr uint64_t kOddStep = 0x9e3779b97f4a7c15ULL;
  const auto threshold = static_cast<uint32_t>(std::lround(probability * 0x1p32 * (1 - 0x1p-32)));
  const T kept = static_cast<T>(1 / (1 - probability));
  int64_t i = 0;
  for (; i + 2 <= count; i += 2) {
    const uint64_t bits = hash(seed += kOddStep);
    out[i] = static_cast<uint32_t>(bits) < threshold ? T{0} : kept;
    out[i + 1] = static_cast<uint32_t>(bits >> 32) < threshold ? T{0} : kept;
  }
  if (i < count) out[i] = static_cast<uint32_t>(hash(seed + kOddStep)) < threshold ? T{0} : kept;
}

}  // namespace

Dropout::Dropout(double probability) : probability_(probability) {
  if (!(probability >= 0 && probability < 1)) {
    throw std::invalid_argument("dropout must be in [0, 1), not " + std::to_string(probability));
  }
}

void Dropout::draw(at::Generator& generator, at::Tensor& factors) const {
  uint64_t seed = 0;
  {
    const std::lock_guard<std::mutex> lock(generator.mutex());
    seed = at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
  }
  if (factors.scalar_type() == at::kFloat) {
    fill(factors.data_ptr<float>(), factors.numel(), probability_, seed);
  } else {
    fill(factors.data_ptr<double>(), factors.numel(), probability_, seed);
  }
}

}  // namespace softradial::study
