#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "softradial/affine_hull.hpp"
#include "softradial/linear_system.hpp"
#include "softradial/set.hpp"

namespace softradial {

// How far an equality e.x = f may be off at a feasible point of numbers with this ulp:
//   4 n ulp (|f| + sum_j |e_j x_j|)
// The projection promises a few ulp times the dimension, and a sum of n rounded terms cannot be more exact than that.
[[nodiscard]] double equality_tolerance(const LinearSystem::Row& equality, std::span<const double> x, double ulp);

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
  // Both are NaN if x has a NaN.
  [[nodiscard]] Violation operator()(std::span<const double> x);

  // The largest violation: -slack of the inequalities, without a tolerance, and |residual| of the equalities that are off by
  // more than their tolerance at numbers with this ulp (2^-23, 2^-52). Inequalities that imply an equality count as equalities.
  // 0 for a feasible point, NaN if x has a NaN.
  [[nodiscard]] double beyond_rounding(std::span<const double> x, double ulp);

  // sum_i relu(-slack_i(x))^2 + sum_k (e_k.x - f_k)^2: what a soft constraint adds to the loss.
  [[nodiscard]] double penalty(std::span<const double> x);
  // out += scale grad penalty(x). Linear constraints in closed form; slacks of curved ones by central differences in double
  // precision, which leave an error of about 1e-10 of the gradient.
  void add_penalty_gradient(double scale, std::span<const double> x, std::span<double> out);

 private:
  std::span<const double> slacks_at(std::span<const double> x);
  // Whether a linear inequality holds with equality all over the set. The first call costs a search for an anchor.
  bool is_implicit_equality(const LinearSystem::Row& row);

  Set set_;
  LinearSystem linear_;
  std::vector<std::size_t> curved_;  // inequalities that linear_ does not have
  std::vector<double> slacks_;
  std::optional<AffineHull> hull_;  // found at its first use
};

}  // namespace softradial
