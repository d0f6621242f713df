// Included once for every vector target, inside foreach_target: no include guard of the usual kind.
#if defined(SOFTRADIAL_KERNELS_SIMD_PANELS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SOFTRADIAL_KERNELS_SIMD_PANELS_HPP
#undef SOFTRADIAL_KERNELS_SIMD_PANELS_HPP
#else
#define SOFTRADIAL_KERNELS_SIMD_PANELS_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "kernels/panels.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A tile holds as many accumulators as the register file can: 14 x 2 vectors of 512 bits, 3 x 4 of 256, 1 x 8 of 128.
template <class T>
using PanelTag = hn::CappedTag<T, kPanelRows<T>>;
template <class T>
inline constexpr std::size_t kVectors = kPanelRows<T> / hn::MaxLanes(PanelTag<T>());
template <class T>
inline constexpr std::size_t kTileRows = kVectors<T> <= 2   ? kMaxTileRows
                                         : kVectors<T> <= 4 ? 3
                                                            : 1;

// One panel against kCount vectors that lie `stride` apart: acc[r][v] = sum_k w[k][v] d[r][k], one chain of fused
// multiply-adds over the columns in order. Only kUsed of the panel's vectors are used: the last panel may be half empty.
template <std::size_t kCount, std::size_t kUsed, class T>
HWY_INLINE void tile_products(const T* HWY_RESTRICT panel, const T* HWY_RESTRICT rows, std::ptrdiff_t stride,
                              std::size_t num_columns, hn::Vec<PanelTag<T>> (&acc)[kCount][kUsed]) {
  const PanelTag<T> tag;
  using V = hn::Vec<PanelTag<T>>;
  constexpr std::size_t kLanes = hn::MaxLanes(PanelTag<T>());

#pragma GCC unroll 16
  for (std::size_t r = 0; r < kCount; ++r) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kUsed; ++v) acc[r][v] = hn::Zero(tag);
  }
  // Every third row has a pointer of its own: its two neighbours are reached from it by an index register, so that the
  // pointers of a tile fit the register file.
  constexpr std::size_t kPointers = (kCount + 2) / 3;
  const T* at[kPointers];
#pragma GCC unroll 16
  for (std::size_t q = 0; q < kPointers; ++q) at[q] = rows + static_cast<std::ptrdiff_t>(3 * q) * stride;
  for (std::size_t k = 0; k < num_columns; ++k) {
    V w[kUsed];
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kUsed; ++v) w[v] = hn::Load(tag, panel + k * kPanelRows<T> + v * kLanes);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < kCount; ++r) {
      const V d = hn::Set(tag, at[r / 3][static_cast<std::ptrdiff_t>(r % 3) * stride]);
#pragma GCC unroll 16
      for (std::size_t v = 0; v < kUsed; ++v) acc[r][v] = hn::MulAdd(w[v], d, acc[r][v]);
    }
#pragma GCC unroll 16
    for (std::size_t q = 0; q < kPointers; ++q) ++at[q];
  }
}

// Rows of the tile that is cut next from `rest` rows: the full height, then fours, then single ones. A row's arithmetic is
// the same in all of them. Every height that exists costs compile time in every variant of the kernel.
template <class T>
constexpr std::size_t tile_rows(std::size_t rest) {
  constexpr std::size_t kSmall = 4;
  if (rest >= kTileRows<T>) return kTileRows<T>;
  return rest >= kSmall && kSmall < kTileRows<T> ? kSmall : 1;
}

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
