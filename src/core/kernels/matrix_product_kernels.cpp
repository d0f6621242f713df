#include "kernels/matrix_product_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix_product_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/simd_panels.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {

// One panel against kCount vectors; the results go to the `width` columns of `out` that belong to the panel.
template <std::size_t kCount, bool kSubtract, std::size_t kUsed, class T>
HWY_INLINE void tile_out(const T* HWY_RESTRICT panel, Rows<const T> d, std::size_t width, Rows<T> out) {
  const PanelTag<T> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(PanelTag<T>());
  hn::Vec<PanelTag<T>> acc[kCount][kUsed];
  tile_products<kCount, kUsed, T>(panel, d.data(), d.stride(), d.dim(), acc);
  if (width == kUsed * kLanes) {
#pragma GCC unroll 16
    for (std::size_t r = 0; r < kCount; ++r) {
#pragma GCC unroll 16
      for (std::size_t v = 0; v < kUsed; ++v) {
        T* const to = out.row(r) + v * kLanes;
        hn::StoreU(kSubtract ? hn::Sub(hn::LoadU(tag, to), acc[r][v]) : acc[r][v], tag, to);
      }
    }
    return;
  }
  // For the last panel of a matrix whose rows do not fill it.
  HWY_ALIGN T lanes[kCount * kUsed * kLanes];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kCount; ++r) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kUsed; ++v) hn::Store(acc[r][v], tag, lanes + (r * kUsed + v) * kLanes);
  }
  for (std::size_t r = 0; r < kCount; ++r) {
    const T* const from = lanes + r * kUsed * kLanes;
    T* const to = out.row(r);
    for (std::size_t j = 0; j < width; ++j) to[j] = kSubtract ? to[j] - from[j] : from[j];
  }
}

template <bool kSubtract, class T>
HWY_INLINE void product(const Panels<T>& w, Rows<const T> d, Rows<T> out) {
  for (std::size_t p = 0; p < w.num_panels(); ++p) {
    const std::size_t first_column = p * kPanelRows<T>;
    const std::size_t width = std::min(kPanelRows<T>, w.num_rows() - first_column);
    for (std::size_t first = 0, count = 0; first < d.count(); first += count) {
      count = tile_rows<T>(d.count() - first);
      const Rows<const T> from = d.slice(first, count);
      const Rows<T> to = out.slice(first, count).columns(first_column, width);
      const auto run = [&](auto used) HWY_ATTR {
        if (count == kTileRows<T>) {
          tile_out<kTileRows<T>, kSubtract, used.value, T>(w.panel(p), from, width, to);
        } else if (count == 1) {
          tile_out<1, kSubtract, used.value, T>(w.panel(p), from, width, to);
        } else {
          tile_out<tile_rows<T>(kTileRows<T> - 1), kSubtract, used.value, T>(w.panel(p), from, width, to);
        }
      };
      if (width <= kPanelRows<T> / 2) {
        run(std::integral_constant<std::size_t, kVectors<T> / 2>());
      } else {
        run(std::integral_constant<std::size_t, kVectors<T>>());
      }
    }
  }
}

template <class T>
void multiply_rows(const Panels<T>& w, Rows<const T> d, Rows<T> out) noexcept {
  product<false>(w, d, out);
}
template <class T>
void subtract_rows_product(const Panels<T>& w, Rows<const T> d, Rows<T> out) noexcept {
  product<true>(w, d, out);
}

template <class T>
constexpr MatrixProductKernels<T> kMatrixProductKernels{.multiply = multiply_rows<T>,
                                                        .subtract_product = subtract_rows_product<T>};
const MatrixProductKernels<float>& matrix_product_kernels_f32() { return kMatrixProductKernels<float>; }
const MatrixProductKernels<double>& matrix_product_kernels_f64() { return kMatrixProductKernels<double>; }

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(matrix_product_kernels_f32);
HWY_EXPORT(matrix_product_kernels_f64);
template <>
const MatrixProductKernels<float>& MatrixProductKernels<float>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(matrix_product_kernels_f32)();
}
template <>
const MatrixProductKernels<double>& MatrixProductKernels<double>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(matrix_product_kernels_f64)();
}

}  // namespace softradial::kernels
#endif  // HWY_ONCE
