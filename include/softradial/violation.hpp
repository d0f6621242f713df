#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "softradial/linear_system.hpp"
#include "softradial/set.hpp"

namespace softradial {

// How far points break the constraints of a set, in the units of each constraint. Each thread needs
// a meter of its own, because it holds buffers.
class ViolationMeter {
 public:
  explicit ViolationMeter(const Set& set);

  struct Violation {
    double inequality = 0;  // max_i relu(-slack_i(x))
    double equality = 0;    // max_k |e_k.x - f_k|
    double rounding = 0;    // sum of the sizes of the terms of that equality, for its rounding
    [[nodiscard]] double worst() const noexcept { return inequality > equality ? inequality : equality; }
  };
  // NaN in both where x has one.
  [[nodiscard]] Violation operator()(std::span<const double> x);

  // sum_i relu(-slack_i(x))^2 + sum_k (e_k.x - f_k)^2: what a soft constraint adds to the loss.
  [[nodiscard]] double penalty(std::span<const double> x);
  // out += scale grad penalty(x). Linear constraints in closed form; the slacks of curved ones by central differences in double
  // precision, which leave an error of about 1e-10 of the gradient.
  void add_penalty_gradient(double scale, std::span<const double> x, std::span<double> out);

 private:
  std::span<const double> slacks_at(std::span<const double> x);

  Set set_;
  LinearSystem linear_;
  std::vector<std::size_t> curved_;  // inequalities that linear_ does not have
  std::vector<double> slacks_;
};

}  // namespace softradial
