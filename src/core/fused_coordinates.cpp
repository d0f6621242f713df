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
  FusedCoordinates fused;
  fused.dim_ = set.dim();
  fused.sum_ = set.hull.is_sum();
  fused.uniform_ = all_equal<T>(set.anchor) && all_equal(sides.up) && all_equal(sides.down);
  const double total = std::accumulate(set.anchor.begin(), set.anchor.end(), 0.0);
  fused.anchor_mean_ = static_cast<T>(total / static_cast<double>(set.dim()));
  return fused;
}

template <class T>
std::size_t FusedCoordinates<T>::block_rows() const noexcept {
  constexpr std::size_t kBytes = 16 * 1024;
  constexpr std::size_t kMostRows = 32;
  return std::clamp<std::size_t>(kBytes / (dim_ * sizeof(T)), 1, kMostRows);
}

template <class T>
kernels::CoordinateData<T> FusedCoordinates<T>::data(const AnchoredSet<T>& set) const noexcept {
  const auto sides = set.gauge->coordinate_sides();
  return {dim_, sum_, uniform_, set.anchor.data(), sides.up.data(), sides.down.data(), anchor_mean_};
}

template <class T>
void FusedCoordinates<T>::reduce(const AnchoredSet<T>& set, Rows<const T> u, std::span<RowState<T>> state,
                                 bool find_active) const noexcept {
  kernels::reduce(data(set), u, state.data(), find_active);
}

template class FusedCoordinates<float>;
template class FusedCoordinates<double>;

}  // namespace softradial
