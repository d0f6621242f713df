#include "sets/coordinates/fused_coordinates.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

namespace softradial {
namespace {

template <class T>
bool all_equal(std::span<const T> values) noexcept {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

}  // namespace

template <class T>
std::optional<kernels::CoordinateMap<T>> fuse_coordinates(const AnchoredSet<T>& set, const Method& method) {
  const auto sides = set.gauge->coordinate_sides();
  if (sides.up.empty()) return std::nullopt;
  if (!set.hull.trivial() && !set.hull.is_sum()) return std::nullopt;
  const double total = std::accumulate(set.anchor.begin(), set.anchor.end(), 0.0);
  const kernels::CoordinateData<T> data{
      .dim = set.dim(),
      .sum = set.hull.is_sum(),
      .uniform = all_equal<T>(set.anchor) && all_equal(sides.up) && all_equal(sides.down),
      .anchor = set.anchor.data(),
      .up = sides.up.data(),
      .down = sides.down.data(),
      .anchor_mean = static_cast<T>(total / static_cast<double>(set.dim())),
      .inverse_dim = T{1} / static_cast<T>(set.dim())};
  return kernels::CoordinateMap<T>{data, method, profile_function<T>(method)};
}

template std::optional<kernels::CoordinateMap<float>> fuse_coordinates(const AnchoredSet<float>&, const Method&);
template std::optional<kernels::CoordinateMap<double>> fuse_coordinates(const AnchoredSet<double>&, const Method&);

}  // namespace softradial
