#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

namespace softradial::study {

// Draws the factors by which training multiplies units: 0 with probability p, else 1 / (1 - p). One number is drawn from the
// generator and hashed into all others: 2 us for 64 x 32 units, where drawing them one by one takes 30 us.
class Dropout {
 public:
  explicit Dropout(double probability);  // in [0, 1)

  double probability() const { return probability_; }
  // Draws for the rows of a whole batch, or only for its rows at `places`. The factors of a row depend on its place alone, and
  // one number is drawn either way.
  void draw(at::Generator& generator, at::Tensor& factors, std::span<const int64_t> places = {}) const;

 private:
  double probability_;
};

}  // namespace softradial::study
