#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "softradial/affine_hull.hpp"
#include "softradial/anchor.hpp"
#include "softradial/linear_system.hpp"
#include "softradial/set.hpp"

namespace softradial {

// Whether rounding explains that a linear constraint of a set is broken at a point which one of its layers returned.
//
// An equality e.x = f may be off by
//   4 n ulp (|f| + sum_j |e_j| max(|x_j|, |u0_j|))
// The projection promises a few ulp times the dimension, and a sum of n rounded terms cannot be more exact than that. The anchor
// u0 counts because x = u0 + phi d is rounded as its parts are, which may be large beside x. An inequality may be off by as much
// if it holds with equality all over the set, and by nothing otherwise.
//
// The anchor is searched for at the first constraint that x alone does not decide. Each thread needs an object of its own.
class LinearRounding {
 public:
  explicit LinearRounding(const Set& set) : set_(set) {}

  // For constraints that are broken by `off` at a point of numbers with this ulp (2^-23, 2^-52).
  [[nodiscard]] bool explains_equality(const LinearSystem::Row& row, double off, std::span<const double> x, double ulp);
  [[nodiscard]] bool explains_inequality(const LinearSystem::Row& row, double off, std::span<const double> x,
                                         double ulp);

 private:
  struct Found {
    explicit Found(Anchor of_set) : anchor(std::move(of_set)), reach(anchor.hull) {}
    Anchor anchor;
    HullReach reach;
  };
  const Found& found();

  Set set_;
  std::shared_ptr<const Found> found_;  // copies share it
};

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
  // more than rounding explains at numbers with this ulp (LinearRounding).
  // 0 for a feasible point, NaN if x has a NaN.
  [[nodiscard]] double beyond_rounding(std::span<const double> x, double ulp);

  // sum_i relu(-slack_i(x))^2 + sum_k (e_k.x - f_k)^2: what a soft constraint adds to the loss.
  [[nodiscard]] double penalty(std::span<const double> x);
  // out += scale grad penalty(x). Linear constraints in closed form; slacks of curved ones by central differences in double
  // precision, which leave an error of about 1e-10 of the gradient.
  void add_penalty_gradient(double scale, std::span<const double> x, std::span<double> out);

 private:
  std::span<const double> slacks_at(std::span<const double> x);

  Set set_;
  LinearSystem linear_;
  std::vector<std::size_t> curved_;  // inequalities that linear_ does not have
  std::vector<double> slacks_;
  LinearRounding rounding_;
};

}  // namespace softradial
