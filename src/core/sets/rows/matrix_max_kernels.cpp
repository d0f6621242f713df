#include "sets/rows/matrix_max_kernels.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sets/rows/matrix_max_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/simd_panels.hpp"
#include "kernels/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One panel against kCount vectors: their products, times the rows' scales if there are any, then the running maxima.
template <std::size_t kCount, bool kScaled, std::size_t kUsed, class T>
HWY_INLINE void tile_max(const T* HWY_RESTRICT panel, const T* HWY_RESTRICT rows, std::ptrdiff_t stride,
                         std::size_t num_columns, T panel_index, Rows<const T> scales, T* HWY_RESTRICT best,
                         T* HWY_RESTRICT best_panel) {
  const PanelTag<T> tag;
  using V = hn::Vec<PanelTag<T>>;
  constexpr std::size_t kLanes = hn::MaxLanes(PanelTag<T>());

  V acc[kCount][kUsed];
  tile_products<kCount, kUsed, T>(panel, rows, stride, num_columns, acc);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kCount; ++r) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kUsed; ++v) {
      T* const value_at = best + r * kPanelRows<T> + v * kLanes;
      T* const panel_at = best_panel + r * kPanelRows<T> + v * kLanes;
      if constexpr (kScaled) acc[r][v] = hn::Mul(acc[r][v], hn::LoadU(tag, scales.row(r) + v * kLanes));
      const V value = hn::LoadU(tag, value_at);
      const auto larger = hn::Gt(acc[r][v], value);
      hn::StoreU(hn::IfThenElse(larger, acc[r][v], value), tag, value_at);
      hn::StoreU(hn::IfThenElse(larger, hn::Set(tag, panel_index), hn::LoadU(tag, panel_at)), tag, panel_at);
    }
  }
}

template <bool kScaled, std::size_t kUsed, class T, class... Rest>
HWY_INLINE void tile_max_of(std::size_t count, Rest... rest) {
  if (count == kTileRows<T>) {
    tile_max<kTileRows<T>, kScaled, kUsed, T>(rest...);
  } else if (count == 1) {
    tile_max<1, kScaled, kUsed, T>(rest...);
  } else {
    tile_max<tile_rows<T>(kTileRows<T> - 1), kScaled, kUsed, T>(rest...);
  }
}

template <class T>
struct Best {
  T value;
  std::int32_t index;
};

// The largest of a row's lanes and, among equal ones, the smallest index. Indices are numbers of type T: exact, since
// panels hold fewer than 2^24 rows in all.
template <class T>
HWY_INLINE Best<T> best_of_lanes(const T* HWY_RESTRICT values, const T* HWY_RESTRICT panels) {
  const PanelTag<T> tag;
  constexpr std::size_t kStep = hn::MaxLanes(PanelTag<T>());
  auto largest = hn::LoadU(tag, values);
  for (std::size_t lane = kStep; lane < kPanelRows<T>; lane += kStep) {
    largest = hn::Max(largest, hn::LoadU(tag, values + lane));
  }
  const T value = hn::GetLane(hn::MaxOfLanes(tag, largest));
  if (!(value > 0)) return {T{0}, -1};
  const auto width = hn::Set(tag, static_cast<T>(kPanelRows<T>));
  const auto step = hn::Set(tag, static_cast<T>(kStep));
  auto numbers = lane_numbers(tag);
  auto first = hn::Set(tag, hwy::HighestValue<T>());
  for (std::size_t lane = 0; lane < kPanelRows<T>; lane += kStep) {
    const auto index = hn::MulAdd(hn::LoadU(tag, panels + lane), width, numbers);
    numbers = hn::Add(numbers, step);
    const auto equal = hn::Eq(hn::LoadU(tag, values + lane), hn::Set(tag, value));
    first = hn::Min(first, hn::IfThenElse(equal, index, hn::Set(tag, hwy::HighestValue<T>())));
  }
  return {value, static_cast<std::int32_t>(hn::GetLane(hn::MinOfLanes(tag, first)))};
}

template <bool kScaled, class T>
HWY_INLINE void matrix_max_impl(const Panels<T>& w, Rows<const T> d, Rows<const T> scales, T* HWY_RESTRICT best,
                                std::int32_t* HWY_RESTRICT index, MatrixMaxScratch<T>& scratch) {
  constexpr std::size_t kLanes = kPanelRows<T>;
  const std::size_t n = w.num_columns();
  const std::size_t rows = d.count();
  for (std::size_t i = 0; i < d.count() * kLanes; ++i) scratch.best[i] = 0;
  for (std::size_t i = 0; i < d.count() * kLanes; ++i) scratch.panel[i] = -1;

  for (std::size_t p = 0; p < w.num_panels(); ++p) {
    const bool half_empty = w.num_rows() - p * kLanes <= kLanes / 2;
    for (std::size_t first = 0, count = 0; first < rows; first += count) {
      count = tile_rows<T>(rows - first);
      const Rows<const T> scales_here =
          kScaled ? scales.slice(first, count).columns(p * kLanes, kLanes) : Rows<const T>();
      const auto run = [&](auto used) HWY_ATTR {
        tile_max_of<kScaled, used.value, T>(count, w.panel(p), d.row(first), d.stride(), n, static_cast<T>(p),
                                            scales_here, scratch.best.data() + first * kLanes,
                                            scratch.panel.data() + first * kLanes);
      };
      if (half_empty) {
        run(std::integral_constant<std::size_t, kVectors<T> / 2>());
      } else {
        run(std::integral_constant<std::size_t, kVectors<T>>());
      }
    }
  }
  for (std::size_t r = 0; r < d.count(); ++r) {
    const Best<T> found = best_of_lanes(scratch.best.data() + r * kLanes, scratch.panel.data() + r * kLanes);
    best[r] = found.value;
    index[r] = found.index;
  }
}

template <class T>
void plain_max(const Panels<T>& w, Rows<const T> d, T* best, std::int32_t* index,
               MatrixMaxScratch<T>& scratch) noexcept {
  matrix_max_impl<false>(w, d, {}, best, index, scratch);
}
template <class T>
void scaled_max(const Panels<T>& w, Rows<const T> d, Rows<const T> scales, T* best, std::int32_t* index,
                MatrixMaxScratch<T>& scratch) noexcept {
  matrix_max_impl<true>(w, d, scales, best, index, scratch);
}

template <class T>
constexpr MatrixMaxKernels<T> kMatrixMaxKernels{.matrix_max = plain_max<T>, .scaled_matrix_max = scaled_max<T>};
const MatrixMaxKernels<float>& matrix_max_kernels_f32() { return kMatrixMaxKernels<float>; }
const MatrixMaxKernels<double>& matrix_max_kernels_f64() { return kMatrixMaxKernels<double>; }

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

template <class T>
MatrixMaxScratch<T>::MatrixMaxScratch(std::size_t max_rows)
    : best(max_rows * kPanelRows<T>), panel(max_rows * kPanelRows<T>) {}

template struct MatrixMaxScratch<float>;
template struct MatrixMaxScratch<double>;

HWY_EXPORT(matrix_max_kernels_f32);
HWY_EXPORT(matrix_max_kernels_f64);
template <>
const MatrixMaxKernels<float>& MatrixMaxKernels<float>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(matrix_max_kernels_f32)();
}
template <>
const MatrixMaxKernels<double>& MatrixMaxKernels<double>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(matrix_max_kernels_f64)();
}

}  // namespace softradial::kernels
#endif  // HWY_ONCE
