#include "softradial/sample_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <variant>
#include <vector>

#include "kernels/row_kernels.hpp"
#include "ray_block.hpp"
#include "sets/coordinates/bounds.hpp"
#include "sets/coordinates/bounds_kernels.hpp"
#include "sets/coordinates/coordinate_kernels.hpp"
#include "sets/coordinates/fixed_coordinates.hpp"
#include "sets/coordinates/share_kernels.hpp"

namespace softradial {
namespace {

AffineHull sum_hull(std::size_t dim) {
  const auto n = static_cast<Eigen::Index>(dim);
  return {Eigen::MatrixXd::Constant(1, n, 1 / std::sqrt(static_cast<double>(n))), Eigen::VectorXd::Zero(1)};
}

// Whether the sets are capped simplices from their closed-form anchors: the fused passes for shares serve these.
template <class T>
bool are_shares(const SampleBounds<T>& bounds) noexcept {
  return bounds.total.given() && !bounds.anchor.given() && bounds.lower.stride() == 0 && bounds.lower.count() > 0 &&
         std::all_of(bounds.lower.row(0), bounds.lower.row(0) + bounds.lower.dim(), [](T v) { return v == 0; });
}

// The set of one row at a time, in the form that the fused passes take, and the buffers for it.
template <class T>
class RowSetup {
 public:
  RowSetup(std::size_t dim, const Method& method, const SampleBounds<T>& bounds)
      : bounds_(bounds),
        anchor_(dim),
        up_(dim),
        down_(dim),
        direction_(dim),
        zeros_(dim),
        anchor_cotangent_(dim),
        hull_(bounds.total.given() ? sum_hull(dim) : AffineHull::whole_space(dim)),
        map_{{.dim = dim,
              .sum = bounds.total.given(),
              .anchor = anchor_.data(),
              .up = up_.data(),
              .down = down_.data(),
              .inverse_dim = T{1} / static_cast<T>(dim)},
             method,
             profile_function<T>(method)} {
    const bool shared_lower = bounds.lower.stride() == 0 && bounds.lower.count() > 0;
    if (bounds.total.given() && shared_lower) shared_lower_sum_ = kernels::sum(bounds.lower.data(), dim);
  }

  // Places the anchor of row i. False where the closed form finds no interior point.
  bool place_anchor(std::size_t i) noexcept {
    row_ = {dim(), bounds_.lower.row(i), bounds_.upper.row(i), 0};
    if (bounds_.anchor.given()) {
      map_.data.anchor = bounds_.anchor.row(i);
    } else if (bounds_.total.given()) {
      row_.spare = *bounds_.total.row(i) - lower_sum(i);
      reach_total_ = kernels::reach_sum(row_);
      theta_ = row_.spare / reach_total_;
      if (!(row_.spare > 0 && theta_ < 1)) return false;
      kernels::reach_anchor(row_, theta_, anchor_.data());
    } else {
      for (std::size_t j = 0; j < dim(); ++j) anchor_[j] = bounds::middle(row_.lower[j], row_.upper[j]);
    }
    if (map_.data.sum) map_.data.anchor_mean = kernels::sum(map_.data.anchor, dim()) * map_.data.inverse_dim;
    return true;
  }

  // Reciprocal slacks of every side; false where the anchor is not inside by more than rounding.
  bool place_sides() noexcept { return kernels::guarded_sides(row_, map_.data.anchor, up_.data(), down_.data()); }

  // Writes x of the row that was placed; false if u is not finite.
  bool project(Rows<const T> u, Rows<T> x, RowState<T>* state) noexcept {
    if (kernels::project(map_, u, x, state) == 1) return true;
    const Ray<T> ray = extreme_ray(u[0]);
    if (!ray.finite) return false;
    const T step = std::visit([&](const auto& m) { return scale_ray<T>(m, ray, direction_).step; }, map_.method);
    kernels::combine(T{1}, map_.data.anchor, step, direction_.data(), x.data(), dim());
    // An infinite rho sends the backward pass the same way.
    constexpr T kExtreme = std::numeric_limits<T>::infinity();
    if (state != nullptr) {
      *state = pack(kernels::CoordinateState<T>{.rho = kExtreme, .gamma = ray.at.gamma, .active = ray.at.active});
    }
    return true;
  }

  // The state that `project` would save, for the row whose anchor was placed.
  kernels::CoordinateState<T> reduce(Rows<const T> u) noexcept {
    place_sides();
    kernels::CoordinateState<T> state;
    kernels::reduce(map_.data, u, &state);
    return state;
  }

  // Writes grad_u of the row whose anchor was placed; returns q, the cotangent of the active side's slack s, gamma = |d_a| / s:
  //   q = phi (d.g) e_gamma / gamma * (-gamma / s) = -phi (d.g) e_gamma / s.
  T vjp(Rows<const T> u, Rows<const T> grad_x, const kernels::CoordinateState<T>& state, Rows<T> grad_u) noexcept {
    return state.rho < guard::kLargestRho<T> ? ordinary_vjp(u, grad_x, state, grad_u)
                                             : extreme_vjp(u[0], grad_x[0], grad_u[0]);
  }

  // Computes the cotangents of row i's data. x = u0 + phi d with d = P (u - u0), so that the cotangent of u0 is
  //   h = grad_x - grad_u - q e_j,  slack upper_j - u0_j,     or     grad_x - grad_u + q e_j,  slack u0_j - lower_j.
  void data_vjp(std::size_t i, const T* grad_x, const T* grad_u, std::int32_t active, T q,
                const SampleBoundsGradient<T>& gradient) noexcept {
    const Side side = side_of(active);
    const T pull = side.is_upper ? q : -q;
    kernels::combine(T{1}, grad_x, T{-1}, grad_u, anchor_cotangent_.data(), dim());
    anchor_cotangent_[side.coordinate] -= pull;
    if (bounds_.anchor.given()) {
      if (gradient.anchor.given())
        std::copy(anchor_cotangent_.begin(), anchor_cotangent_.end(), gradient.anchor.row(i));
      for (const Rows<T>& out : {gradient.lower, gradient.upper, gradient.total}) {
        if (out.given()) std::fill_n(out.row(i), out.dim(), T{0});
      }
    } else {
      closed_form_vjp(i, gradient);
    }
    const Rows<T>& moved = side.is_upper ? gradient.upper : gradient.lower;
    if (moved.given()) moved.row(i)[side.coordinate] += pull;
  }

 private:
  struct Side {
    std::size_t coordinate;
    bool is_upper;
  };

  [[nodiscard]] std::size_t dim() const noexcept { return anchor_.size(); }
  [[nodiscard]] Side side_of(std::int32_t active) const noexcept {
    const auto a = static_cast<std::size_t>(active);
    return a < dim() ? Side{a, true} : Side{a - dim(), false};
  }
  [[nodiscard]] T reciprocal_slack(Side side) const noexcept {
    return side.is_upper ? up_[side.coordinate] : down_[side.coordinate];
  }
  [[nodiscard]] T lower_sum(std::size_t i) const noexcept {
    return shared_lower_sum_ ? *shared_lower_sum_ : kernels::sum(bounds_.lower.row(i), dim());
  }

  // The ray of a row that the fused passes leave out because it is of extreme size or not finite.
  Ray<T> extreme_ray(std::span<const T> u) noexcept {
    Ray<T> ray = make_ray<T>(u, {map_.data.anchor, dim()}, hull_, direction_);
    kernels::CoordinateState<T> state;
    kernels::reduce<T>({.dim = dim(), .anchor = zeros_.data(), .up = up_.data(), .down = down_.data()},
                       {direction_.data(), 1, dim()}, &state);
    ray.at = {state.gamma, state.active};
    ray.gamma = state.gamma;
    return ray;
  }

  T ordinary_vjp(Rows<const T> u, Rows<const T> grad_x, const kernels::CoordinateState<T>& state,
                 Rows<T> grad_u) noexcept {
    // A cotangent needs the active side alone.
    const Side side = side_of(state.active);
    const std::size_t j = side.coordinate;
    kernels::guarded_sides({1, row_.lower + j, row_.upper + j, 0}, map_.data.anchor + j, &up_[j], &down_[j]);
    T along = 0;
    const RowState<T> packed = pack(state);
    kernels::project_vjp(map_, u, grad_x, &packed, grad_u, &along);
    const Scale<T> scale = map_.profile(map_.method, state.rho, state.gamma);
    return slack_cotangent(scale, state.gamma, along, reciprocal_slack(side));
  }

  T extreme_vjp(std::span<const T> u, std::span<const T> grad_x, std::span<T> grad_u) noexcept {
    place_sides();
    const Ray<T> ray = extreme_ray(u);
    const Side side = side_of(ray.at.active);
    const T reciprocal = reciprocal_slack(side);
    const T along = kernels::dot(direction_.data(), grad_x.data(), dim());
    const RayCotangent<T> at =
        std::visit([&](const auto& m) { return cotangent_of<T>(m, ray, direction_, along, T{0}); }, map_.method);
    kernels::combine(at.phi, grad_x.data(), at.radial, direction_.data(), grad_u.data(), dim());
    grad_u[side.coordinate] += at.normal * (side.is_upper ? reciprocal : -reciprocal);
    hull_.project(grad_u);
    return -at.pull * reciprocal;
  }

  // The cotangents of the bounds and of the total through the closed-form anchor.
  void closed_form_vjp(std::size_t i, const SampleBoundsGradient<T>& gradient) const noexcept {
    const std::vector<T>& h = anchor_cotangent_;
    T* const grad_lower = gradient.lower.given() ? gradient.lower.row(i) : nullptr;
    T* const grad_upper = gradient.upper.given() ? gradient.upper.row(i) : nullptr;
    if (bounds_.total.given()) {
      const T mean = kernels::reach_dot(row_, h.data()) / reach_total_;
      const T spare = mean + kernels::reach_vjp(row_, h.data(), theta_, mean, grad_lower, grad_upper);
      if (gradient.total.given()) *gradient.total.row(i) = spare;
      if (grad_lower == nullptr) return;
      for (std::size_t j = 0; j < dim(); ++j) grad_lower[j] -= spare;
      return;
    }
    for (std::size_t j = 0; j < dim(); ++j) {
      const bounds::MiddleSlopes<T> slopes = bounds::middle_slopes(row_.lower[j], row_.upper[j]);
      if (grad_lower != nullptr) grad_lower[j] = h[j] * slopes.low;
      if (grad_upper != nullptr) grad_upper[j] = h[j] * slopes.high;
    }
  }

  const SampleBounds<T>& bounds_;
  std::vector<T> anchor_;
  std::vector<T> up_;
  std::vector<T> down_;
  std::vector<T> direction_;         // direction of an extreme row
  std::vector<T> zeros_;             // an anchor of zeros, for passes over that direction
  std::vector<T> anchor_cotangent_;  // h
  HullProjector<T> hull_;
  kernels::CoordinateMap<T> map_;
  kernels::BoundsRow<T> row_{};
  std::optional<T> shared_lower_sum_;
  T theta_ = 0;
  T reach_total_ = 0;
};

}  // namespace

template <class T>
BoundsMap<T>::BoundsMap(std::size_t dim, Method method) : dim_(dim), method_(method) {}

template <class T>
void BoundsMap<T>::project(const SampleBounds<T>& bounds, Rows<const T> u, Rows<T> x, std::span<RowStatus> status,
                           std::span<RowState<T>> state) const {
  std::optional<RowSetup<T>> setup_of_row;  // the passes for shares need none
  const auto setup = [&]() -> RowSetup<T>& {
    return setup_of_row ? *setup_of_row : setup_of_row.emplace(dim_, method_, bounds);
  };
  // Rows with fixed coordinates have no interior until these coordinates are left out.
  const auto project_fixed = [&](std::size_t i) {
    if (!FixedCoordinates<T>::in_row(bounds, i)) return false;
    status[i] = FixedCoordinates<T>(bounds, i, u[i]).project(method_, x[i]);
    if (!state.empty()) state[i] = {.rho = std::numeric_limits<T>::infinity()};  // not for the fused backward passes
    return true;
  };
  const kernels::ShareMap<T> shares{dim_, method_, profile_function<T>(method_)};
  const bool by_shares = are_shares(bounds);
  for (std::size_t i = 0; i < u.count(); ++i) {
    if (by_shares) {
      const std::size_t first = i;
      const std::size_t rest = u.count() - i;
      i += kernels::project_shares(shares, {bounds.upper.slice(i, rest), bounds.total.slice(i, rest)}, u.slice(i, rest),
                                   x.slice(i, rest), &status[i], state.empty() ? nullptr : &state[i]);
      for (std::size_t k = first; k < i; ++k) {
        if (status[k] == RowStatus::no_interior) project_fixed(k);
      }
      if (i == u.count()) break;
    }
    if (!setup().place_anchor(i) || !setup().place_sides()) {
      if (project_fixed(i)) continue;
      status[i] = RowStatus::no_interior;
    } else if (!setup().project(u.slice(i, 1), x.slice(i, 1), state.empty() ? nullptr : &state[i])) {
      status[i] = RowStatus::not_finite;
    } else {
      status[i] = RowStatus::ok;
      // The backward passes for shares cannot use the state that the general passes saved.
      if (by_shares && !state.empty()) state[i].rho = std::numeric_limits<T>::infinity();
      continue;
    }
    std::fill_n(x.row(i), x.dim(), std::numeric_limits<T>::quiet_NaN());
  }
}

template <class T>
void BoundsMap<T>::project_vjp(const SampleBounds<T>& bounds, Rows<const T> u, Rows<const T> grad_x,
                               std::span<const RowStatus> status, std::span<const RowState<T>> state, Rows<T> grad_u,
                               const SampleBoundsGradient<T>& gradient) const {
  std::optional<RowSetup<T>> setup_of_row;  // the passes for shares need none
  const auto setup = [&]() -> RowSetup<T>& {
    return setup_of_row ? *setup_of_row : setup_of_row.emplace(dim_, method_, bounds);
  };
  const std::array data_gradients{gradient.lower, gradient.upper, gradient.total, gradient.anchor};
  const bool wants_data = std::any_of(std::begin(data_gradients), std::end(data_gradients),
                                      [](const Rows<T>& rows) { return rows.given(); });
  const kernels::ShareMap<T> shares{dim_, method_, profile_function<T>(method_)};
  const bool by_shares = are_shares(bounds);
  for (std::size_t i = 0; i < u.count(); ++i) {
    if (by_shares && !gradient.lower.given()) {
      const std::size_t rest = u.count() - i;
      i += kernels::shares_vjp(shares, {bounds.upper.slice(i, rest), bounds.total.slice(i, rest)}, u.slice(i, rest),
                               grad_x.slice(i, rest), &status[i], &state[i], grad_u.slice(i, rest),
                               gradient.upper.slice(i, rest), gradient.total.slice(i, rest));
      if (i == u.count()) break;
    }
    if (status[i] != RowStatus::ok) {
      std::fill_n(grad_u.row(i), grad_u.dim(), T{0});
      for (const Rows<T>& out : data_gradients) {
        if (out.given()) std::fill_n(out.row(i), out.dim(), T{0});
      }
      continue;
    }
    if (FixedCoordinates<T>::in_row(bounds, i)) {
      FixedCoordinates<T>(bounds, i, u[i]).project_vjp(method_, grad_x[i], i, grad_u[i], gradient);
      continue;
    }
    setup().place_anchor(i);
    // Lower bounds that are 0 but need a cotangent: the general passes cannot use the state that the passes for shares saved.
    const auto at = by_shares && state[i].rho < guard::kLargestRho<T> ? setup().reduce(u.slice(i, 1))
                                                                      : unpack<kernels::CoordinateState>(state[i]);
    const T q = setup().vjp(u.slice(i, 1), grad_x.slice(i, 1), at, grad_u.slice(i, 1));
    if (wants_data) setup().data_vjp(i, grad_x.row(i), grad_u.row(i), at.active, q, gradient);
  }
}

template class BoundsMap<float>;
template class BoundsMap<double>;

}  // namespace softradial
