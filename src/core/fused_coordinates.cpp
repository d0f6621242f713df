#include "fused_coordinates.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace softradial {
namespace {

template <class T>
bool all_equal(std::span<const T> values) noexcept {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

}  // namespace

template <class T>
std::optional<FusedCoordinates<T>> FusedCoordinates<T>::of(const AnchoredSet<T>& set) {
  const auto sides = set.gauge->coordinate_sides();
  if (sides.up.empty()) return std::nullopt;
  if (!set.hull.trivial() && !set.hull.is_sum()) return std::nullopt;
  const double total = std::accumulate(set.anchor.begin(), set.anchor.end(), 0.0);
  return FusedCoordinates({.dim = set.dim(),
                           .sum = set.hull.is_sum(),
                           .uniform = all_equal<T>(set.anchor) && all_equal(sides.up) && all_equal(sides.down),
                           .anchor = set.anchor.data(),
                           .up = sides.up.data(),
                           .down = sides.down.data(),
                           .anchor_mean = static_cast<T>(total / static_cast<double>(set.dim()))});
}

template <class T>
std::size_t FusedCoordinates<T>::block_rows() const noexcept {
  constexpr std::size_t kBytes = 16 * 1024;
  constexpr std::size_t kMostRows = 32;
  return std::clamp<std::size_t>(kBytes / (data_.dim * sizeof(T)), 1, kMostRows);
}

template class FusedCoordinates<float>;
template class FusedCoordinates<double>;

}  // namespace softradial
