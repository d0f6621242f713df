#include "sets/coordinates/fixed_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "guard.hpp"
#include "sets/coordinates/bounds.hpp"

namespace softradial {
namespace {

// What fixes coordinates of row i: equal bounds, or a total that all lower or all upper bounds use up.
template <class T>
class Fixing {
 public:
  Fixing(const SampleBounds<T>& bounds, std::size_t i) noexcept {
    if (!bounds.total.given()) return;
    const std::span<const T> lower = bounds.lower[i];
    const std::span<const T> upper = bounds.upper[i];
    const T total = *bounds.total.row(i);
    std::size_t num_open = 0;
    for (std::size_t j = 0; j < lower.size(); ++j) num_open += lower[j] < upper[j] ? 1 : 0;
    all_high_ = use_up(total, upper);
    all_low_ = !all_high_ && use_up(total, lower);
    const auto ends = all_high_ ? upper : lower;
    exact_ = num_open == 1 || std::all_of(ends.begin(), ends.end(), [](T end) { return end == 0; });
  }

  [[nodiscard]] bool fixes(T low, T high) const noexcept {
    if (are_equal(low, high)) return true;
    if (!(low < high)) return false;
    const T at = value(low, high);
    return (all_high_ || all_low_) && (exact_ || (at > low && at < high));
  }
  [[nodiscard]] T value(T low, T high) const noexcept {
    if (are_equal(low, high)) return low;
    const T end = all_high_ ? high : low;
    const T inward = bounds::step_inside(end, exact_, guard::kUlp<T>);
    return all_high_ ? high - inward : low + inward;
  }
  // The part of the cotangent of its value that the lower bound gets.
  [[nodiscard]] T lower_share(T low, T high) const noexcept {
    return are_equal(low, high) ? T{1} / 2 : all_high_ ? T{0} : T{1};
  }

 private:
  static bool are_equal(T low, T high) noexcept { return low == high && std::isfinite(low); }
  static bool use_up(T total, std::span<const T> ends) noexcept {
    double sum = 0;
    double size = 0;
    for (const T end : ends) {
      sum += static_cast<double>(end);
      size += std::abs(static_cast<double>(end));
    }
    return bounds::use_up(sum, size, static_cast<double>(total));
  }

  bool all_high_ = false;
  bool all_low_ = false;
  bool exact_ = false;  // whether the point is known to the last bit
};

}  // namespace

template <class T>
bool FixedCoordinates<T>::in_row(const SampleBounds<T>& bounds, std::size_t i) noexcept {
  const auto lower = bounds.lower[i];
  const auto upper = bounds.upper[i];
  const Fixing<T> fixing(bounds, i);
  return !std::equal(lower.begin(), lower.end(), upper.begin(), upper.end(),
                     [&](T low, T high) { return !fixing.fixes(low, high); });
}

template <class T>
FixedCoordinates<T>::FixedCoordinates(const SampleBounds<T>& bounds, std::size_t i, std::span<const T> u)
    : has_total_(bounds.total.given()), has_anchor_(bounds.anchor.given()) {
  const std::span<const T> lower = bounds.lower[i];
  const std::span<const T> upper = bounds.upper[i];
  const Fixing<T> fixing(bounds, i);
  double taken = 0;
  double size = 0;
  for (std::size_t j = 0; j < u.size(); ++j) {
    finite_ = finite_ && std::isfinite(u[j]);
    if (fixing.fixes(lower[j], upper[j])) {
      fixed_.push_back({j, fixing.value(lower[j], upper[j]), fixing.lower_share(lower[j], upper[j])});
      taken += static_cast<double>(fixed_.back().value);
      size += std::abs(static_cast<double>(fixed_.back().value));
      continue;
    }
    free_.push_back(j);
    u_.push_back(u[j]);
    lower_.push_back(lower[j]);
    upper_.push_back(upper[j]);
    if (has_anchor_) anchor_.push_back(bounds.anchor[i][j]);
  }
  if (!has_total_) return;
  const auto total = static_cast<double>(*bounds.total.row(i));
  total_ = static_cast<T>(total - taken);
  // The bounds and the total are rounded numbers, each off by up to half an ulp, and values may be an ulp inside.
  rounding_ = 2 * guard::kUlp<T> * static_cast<T>(size + std::abs(total));
}

template <class T>
SampleBounds<T> FixedCoordinates<T>::view() const noexcept {
  const std::size_t dim = free_.size();
  SampleBounds<T> bounds{{lower_.data(), 1, dim, 0}, {upper_.data(), 1, dim}, {}, {}};
  if (has_total_) bounds.total = {&total_, 1, 1};
  if (has_anchor_) bounds.anchor = {anchor_.data(), 1, dim};
  return bounds;
}

template <class T>
RowStatus FixedCoordinates<T>::project_free(const Method& method, std::vector<T>& x,
                                            std::vector<RowState<T>>& state) const {
  x.resize(free_.size());
  state.resize(1);
  if (!finite_) return RowStatus::not_finite;
  if (free_.empty()) return !has_total_ || std::abs(total_) <= rounding_ ? RowStatus::ok : RowStatus::no_interior;
  if (is_decided()) {
    x[0] = total_;
    return lower_[0] < total_ && total_ < upper_[0] ? RowStatus::ok : RowStatus::no_interior;
  }
  RowStatus status = RowStatus::ok;
  BoundsMap<T>(free_.size(), method)
      .project(view(), {u_.data(), 1, u_.size()}, {x.data(), 1, x.size()}, {&status, 1}, state);
  return status;
}

template <class T>
RowStatus FixedCoordinates<T>::project(const Method& method, std::span<T> x) {
  std::vector<T> free_x;
  std::vector<RowState<T>> state;
  const RowStatus status = project_free(method, free_x, state);
  if (status != RowStatus::ok) {
    std::fill(x.begin(), x.end(), std::numeric_limits<T>::quiet_NaN());
    return status;
  }
  for (std::size_t k = 0; k < free_.size(); ++k) x[free_[k]] = free_x[k];
  for (const Fixed& fixed : fixed_) x[fixed.coordinate] = fixed.value;
  return status;
}

// With c_j the value of a fixed coordinate and h the cotangent of the total that is left, c_j gets grad_x_j - h.
template <class T>
void FixedCoordinates<T>::project_vjp(const Method& method, std::span<const T> grad_x, std::size_t i,
                                      std::span<T> grad_u, const SampleBoundsGradient<T>& gradient) {
  const std::size_t dim = free_.size();
  std::vector<T> free_x;
  std::vector<RowState<T>> state;
  const RowStatus status = project_free(method, free_x, state);
  std::vector<T> g(dim);
  for (std::size_t k = 0; k < dim; ++k) g[k] = grad_x[free_[k]];
  std::vector<T> grad_free_u(dim), grad_lower(dim), grad_upper(dim), grad_anchor(has_anchor_ ? dim : 0);
  T grad_total = 0;
  if (is_decided()) {
    if (dim == 1) grad_total = g[0];
  } else if (dim > 0) {
    BoundsMap<T>(dim, method)
        .project_vjp(view(), {u_.data(), 1, dim}, {g.data(), 1, dim}, {&status, 1}, state, {grad_free_u.data(), 1, dim},
                     {{grad_lower.data(), 1, dim},
                      {grad_upper.data(), 1, dim},
                      has_total_ ? Rows<T>(&grad_total, 1, 1) : Rows<T>(),
                      has_anchor_ ? Rows<T>(grad_anchor.data(), 1, dim) : Rows<T>()});
  }

  const auto spread = [&](std::span<T> out, const std::vector<T>& of_free, auto share) {
    for (std::size_t k = 0; k < dim; ++k) out[free_[k]] = of_free[k];
    for (const Fixed& fixed : fixed_) {
      out[fixed.coordinate] = share(fixed.lower_share) * (grad_x[fixed.coordinate] - grad_total);
    }
  };
  const auto none = [](T) { return T{0}; };
  spread(grad_u, grad_free_u, none);
  if (gradient.lower.given()) spread(gradient.lower[i], grad_lower, [](T lower_share) { return lower_share; });
  if (gradient.upper.given()) spread(gradient.upper[i], grad_upper, [](T lower_share) { return 1 - lower_share; });
  if (gradient.anchor.given()) spread(gradient.anchor[i], grad_anchor, none);
  if (gradient.total.given()) *gradient.total.row(i) = grad_total;
}

template class FixedCoordinates<float>;
template class FixedCoordinates<double>;

}  // namespace softradial
