#include "ray_block.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/row_kernels.hpp"

namespace softradial {
namespace {

// The exponent e with 2^e <= max(|u_j|, |u0_j|) < 2^(e+1); false where u is not finite.
template <class T>
bool largest_exponent(std::span<const T> u, std::span<const T> u0, int& exponent) noexcept {
  T largest = 0;
  for (std::size_t j = 0; j < u.size(); ++j) {
    if (!std::isfinite(u[j])) return false;
    largest = std::max({largest, std::abs(u[j]), std::abs(u0[j])});
  }
  exponent = std::ilogb(largest);
  return true;
}

// Whether |d|^2 is neither too large nor too small to go on with. Below |d| of 2^-30 or 2^-300 squares of d underflow in the
// gauges, and a set may be as small as that.
template <class T>
bool is_ordinary(T rho) noexcept {
  return rho >= 1 / guard::kLargestRho<T> && rho < guard::kLargestRho<T>;
}

// Scales d to ordinary size and counts the scale in its exponent. d is small if u lies next to the anchor, or if the hull's
// projection has left little of a huge u; its squares would underflow.
template <class T>
void rescale(std::span<T> d, Ray<T>& ray) noexcept {
  T largest = 0;
  for (const T v : d) largest = std::max(largest, std::abs(v));
  if (!(largest > 0)) return;
  const int size = std::ilogb(largest);
  for (T& v : d) v = std::ldexp(v, -size);
  ray.exponent += size;
  ray.rho = kernels::dot(d.data(), d.data(), d.size());
}

}  // namespace

template <class T>
RayRows<T>::RayRows(const HullProjector<T>& hull, std::size_t max_rows)
    : dim_(hull.dim()),
      directions_(max_rows * dim_),
      numbers_(max_rows),
      cotangents_(max_rows),
      normals_(max_rows),
      rays_(max_rows),
      hull_scratch_(hull, max_rows) {}

template <class T>
RayBlock<T>::RayBlock(const AnchoredSet<T>& set, std::size_t max_rows)
    : RayRows<T>(set.hull, max_rows),
      spare_(set.dim()),
      states_(max_rows),
      at_(max_rows),
      gauge_scratch_(set.gauge->make_scratch(max_rows)) {}

namespace {

// Begins the ray of u in all of R^n, before the projection onto the hull.
template <class T>
Ray<T> begin_ray(std::span<const T> u, std::span<const T> anchor, std::span<T> d) noexcept {
  Ray<T> ray;
  ray.rho = kernels::subtract(u.data(), anchor.data(), d.data(), d.size());
  if (!(ray.rho < guard::kLargestRho<T>)) {
    ray.finite = largest_exponent(u, anchor, ray.exponent);
    for (std::size_t j = 0; j < d.size(); ++j) {
      d[j] = ray.finite ? std::ldexp(u[j], -ray.exponent) - std::ldexp(anchor[j], -ray.exponent) : T{0};
    }
    ray.rho = kernels::dot(d.data(), d.data(), d.size());
  } else if (!is_ordinary(ray.rho)) {
    rescale(d, ray);
  }
  return ray;
}

// Ends the ray on the hull: d has been projected there and has lost a part of length `off_hull`.
template <class T>
void end_ray(T off_hull, std::span<T> d, Ray<T>& ray) noexcept {
  ray.off_hull = std::ldexp(static_cast<double>(off_hull), ray.exponent);
  ray.rho = kernels::dot(d.data(), d.data(), d.size());
  if (ray.exponent != 0 || !is_ordinary(ray.rho)) rescale(d, ray);
}

}  // namespace

template <class T>
Ray<T> make_ray(std::span<const T> u, std::span<const T> anchor, const HullProjector<T>& hull,
                std::span<T> d) noexcept {
  Ray<T> ray = begin_ray(u, anchor, d);
  if (!hull.trivial()) end_ray(hull.project(d), d, ray);
  return ray;
}

// With one anchor for all, the rows go through one pass, except those of extreme size.
template <class T>
void RayRows<T>::load(Rows<const T> u, Rows<const T> anchor, const HullProjector<T>& hull) noexcept {
  const bool together = anchor.stride() == 0;
  if (together) kernels::subtract_rows(u, anchor.row(0), directions_.data(), numbers_.data());
  for (std::size_t i = 0; i < u.count(); ++i) {
    if (together && is_ordinary(numbers_[i])) {
      rays_[i] = {};
      rays_[i].rho = numbers_[i];
    } else {
      rays_[i] = begin_ray<T>(u[i], anchor[i], direction(i));
    }
  }
  if (hull.trivial()) return;
  hull.project({directions_.data(), u.count(), dim_}, hull_scratch_);
  for (std::size_t i = 0; i < u.count(); ++i) end_ray(hull_scratch_.removed[i], direction(i), rays_[i]);
}

template <class T>
void RayRows<T>::step(Rows<const T> anchor, Rows<T> x) const noexcept {
  if (anchor.stride() == 0) {
    kernels::step_rows(anchor.data(), numbers_.data(), directions_.data(), x);
    return;
  }
  for (std::size_t i = 0; i < x.count(); ++i) {
    kernels::step_rows(anchor.row(i), &numbers_[i], directions_.data() + i * dim_, x.slice(i, 1));
  }
}

template <class T>
void RayBlock<T>::load(const AnchoredSet<T>& set, Rows<const T> u, std::span<const RowState<T>> state) noexcept {
  RayRows<T>::load(u, set.anchors(u.count()), set.hull);
  if (state.empty()) {
    set.gauge->evaluate({this->directions(), u.count(), set.dim()}, {at_.data(), u.count()}, *gauge_scratch_);
  } else {
    for (std::size_t i = 0; i < u.count(); ++i) {
      const auto left = unpack<kernels::RayState>(state[i]);
      at_[i] = {left.gamma, left.active};
    }
  }
  for (std::size_t i = 0; i < u.count(); ++i) {
    Ray<T>& ray = this->ray(i);
    ray.at = at_[i];
    ray.gamma = at_[i].gamma + set.kappa * ray.norm();
  }
}

template Ray<float> make_ray(std::span<const float>, std::span<const float>, const HullProjector<float>&,
                             std::span<float>) noexcept;
template Ray<double> make_ray(std::span<const double>, std::span<const double>, const HullProjector<double>&,
                              std::span<double>) noexcept;
template class RayRows<float>;
template class RayRows<double>;
template class RayBlock<float>;
template class RayBlock<double>;

}  // namespace softradial
