#pragma once

#include <cmath>

#include "guard.hpp"
#include "numbers.hpp"
#include "softradial/tensor.hpp"

// Formulas of bounds lower <= x <= upper, with or without sum(x) = total, that fixed sets, sets for each sample and tensors
// share. An open side has an infinite bound.
namespace softradial::bounds {

#include "sets/coordinates/bounds_formulas.inc"

// The middle of an interval; an open side counts as a distance of max(1, |bound|); 0 if both are open.
template <class N>
[[nodiscard]] N middle(const N& low, const N& high) {
  using std::abs;
  using std::isfinite;
  const auto low_closed = isfinite(low);
  const auto high_closed = isfinite(high);
  const N l = where_else(low_closed, low, 0);
  const N h = where_else(high_closed, high, 0);
  const N one_sided = choose(low_closed, l + larger(abs(l), 1), where_else(high_closed, h - larger(abs(h), 1), 0));
  return choose(low_closed && high_closed, l / 2 + h / 2, one_sided);
}

// The derivatives of `middle` by its two bounds. Its kinks, at bounds of size 1, belong to the piece around 0.
template <class T>
struct MiddleSlopes {
  T low;
  T high;
};
template <class T>
[[nodiscard]] MiddleSlopes<T> middle_slopes(T low, T high) noexcept {
  if (std::isfinite(low) && std::isfinite(high)) return {T{0.5}, T{0.5}};
  if (std::isfinite(low)) return {low > 1 ? T{2} : low < -1 ? T{0} : T{1}, 0};
  if (std::isfinite(high)) return {0, high < -1 ? T{2} : high > 1 ? T{0} : T{1}};
  return {0, 0};
}

// Whether bounds with this sum, and this sum of sizes, use up the total: all lower bounds, or all upper ones. Then x has no
// choice. In double, and up to its rounding alone: a set that single precision merely cannot resolve has an interior.
template <class N>
[[nodiscard]] auto use_up(const N& sum, const N& size, const N& total) {
  using std::abs;
  using std::isfinite;
  return isfinite(sum) && isfinite(total) && abs(total - sum) <= guard::kUlp<double> * (size + abs(total));
}

// How far inside its bound `end` a coordinate is put that the total fixes there: an ulp, or the smallest normal number, because
// the bounds may leave room that sums do not resolve. Not at all where the point is exact: one coordinate alone is open, or all
// ends are 0.
template <class N, class Condition>
[[nodiscard]] N step_inside(const N& end, const Condition& exact, double ulp) {
  using std::abs;
  return where_else(!exact, static_cast<N>(ulp * abs(end) + 4 / largest_number(end)), 0);
}

// Bounds of each sample, (..., dim), with or without a total, (..., 1).
struct TensorBounds {
  Tensor lower;
  Tensor upper;
  Tensor total;  // undefined without a sum constraint
};

// Which coordinates have no room: lower_j = upper_j, or the total is that of all upper or of all lower bounds. These are fixed,
// and their d is 0.
[[nodiscard]] Tensor fixed_in_tensors(const TensorBounds& given);

// The anchor in closed form (`middle`, or on the reach), and whether it exists, (..., 1). Fixed coordinates have their value,
// the others share what is left of the total. `ulp` is that of the precision of the bounds.
struct TensorAnchor {
  Tensor point;
  Tensor found;
};
[[nodiscard]] TensorAnchor anchor_in_tensors(const TensorBounds& given, double ulp);

// The gauge from an anchor for each sample: gamma(d) = max_j max(d_j up_j, -d_j down_j, 0). Each side is guarded by itself;
// sides of fixed coordinates do not count.
[[nodiscard]] TensorGaugeAt gauge_in_tensors(const TensorBounds& given, const Tensor& anchor, const TensorSpace& space);

// The same gauge from guarded reciprocal slacks, (dim) or (..., dim).
[[nodiscard]] Tensor sides_gauge(const Tensor& d, const Tensor& up, const Tensor& down);

}  // namespace softradial::bounds
