#include "kernels/row_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/row_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {

// The sum of term(lanes), which is zero behind the end of the row. After the last group of four vectors, the rest go to the
// first chain and the tail to the second, unlike in for_each_lanes: the bits of every gauge depend on this order.
template <class T, class Term>
HWY_INLINE T sum_terms(std::size_t n, const Term& term) {
  const std::size_t count = hn::Lanes(RowTag<T>());
  Sum4<T> sum;
  const auto add = [&](int k, auto lanes) SOFTRADIAL_LANES { sum.s[k] = hn::Add(sum.s[k], term(lanes)); };
  std::size_t j = 0;
  for (; j + 4 * count <= n; j += 4 * count) {
    add(0, FullLanes<T>{j});
    add(1, FullLanes<T>{j + count});
    add(2, FullLanes<T>{j + 2 * count});
    add(3, FullLanes<T>{j + 3 * count});
  }
  for (; j + count <= n; j += count) add(0, FullLanes<T>{j});
  if (j < n) add(1, TailLanes<T>{j, n - j});
  return sum.total();
}

template <class T>
HWY_INLINE T subtract_row(const T* u, const T* u0, T* d, std::size_t n) noexcept {
  return sum_terms<T>(n, [=](auto lanes) SOFTRADIAL_LANES {
    const auto v = hn::Sub(lanes.load(u), lanes.load(u0));
    lanes.store(v, d);
    return hn::Mul(v, v);
  });
}

template <class T>
HWY_INLINE T dot_row(const T* a, const T* b, std::size_t n) noexcept {
  return sum_terms<T>(n, [=](auto lanes) SOFTRADIAL_LANES { return hn::Mul(lanes.load(a), lanes.load(b)); });
}

template <class T>
HWY_INLINE T dot_of_sizes_row(const T* a, const T* b, std::size_t n) noexcept {
  return sum_terms<T>(n, [=](auto lanes) SOFTRADIAL_LANES { return hn::Abs(hn::Mul(lanes.load(a), lanes.load(b))); });
}

template <class T>
HWY_INLINE T largest_row(const T* x, std::size_t n) noexcept {
  Sum4<T> most;
  for_each_lanes<T>(
      n, [&](int k, auto lanes) SOFTRADIAL_LANES { most.s[k] = hn::Max(most.s[k], hn::Abs(lanes.load(x))); });
  const auto all = hn::Max(hn::Max(most.s[0], most.s[1]), hn::Max(most.s[2], most.s[3]));
  return hn::GetLane(hn::MaxOfLanes(RowTag<T>(), all));
}

template <class T>
HWY_INLINE void combine_row(T a, const T* x, T b, const T* y, T* out, std::size_t n) noexcept {
  const RowTag<T> tag;
  const auto va = hn::Set(tag, a);
  const auto vb = hn::Set(tag, b);
  for_each_lanes<T>(n, [&](int, auto lanes) SOFTRADIAL_LANES {
    lanes.store(hn::MulAdd(vb, lanes.load(y), hn::Mul(va, lanes.load(x))), out);
  });
}

template <class T>
HWY_INLINE void add_scaled_row(T a, const T* x, T* y, std::size_t n) noexcept {
  const auto va = hn::Set(RowTag<T>(), a);
  for_each_lanes<T>(
      n, [&](int, auto lanes) SOFTRADIAL_LANES { lanes.store(hn::MulAdd(va, lanes.load(x), lanes.load(y)), y); });
}

template <class T>
HWY_INLINE void cotangent_row(const CotangentRow<T>& terms, const T* d, const T* g, T* out, std::size_t n) noexcept {
  const RowTag<T> tag;
  const auto phi = hn::Set(tag, terms.phi);
  const auto radial = hn::Set(tag, terms.radial);
  const auto normal = hn::Set(tag, terms.normal);
  for_each_lanes<T>(n, [&](int, auto lanes) SOFTRADIAL_LANES {
    const auto value = hn::MulAdd(radial, lanes.load(d), hn::Mul(phi, lanes.load(g)));
    lanes.store(terms.row == nullptr ? value : hn::MulAdd(normal, lanes.load(terms.row), value), out);
  });
}

template <class T>
void subtract_rows(Rows<const T> u, const T* u0, T* d, T* squares) noexcept {
  for (std::size_t i = 0; i < u.count(); ++i) squares[i] = subtract_row(u.row(i), u0, d + i * u.dim(), u.dim());
}
template <class T>
void dot_rows(const T* d, Rows<const T> g, T* out) noexcept {
  for (std::size_t i = 0; i < g.count(); ++i) out[i] = dot_row(d + i * g.dim(), g.row(i), g.dim());
}
template <class T>
void step_rows(const T* u0, const T* step, const T* d, Rows<T> x) noexcept {
  for (std::size_t i = 0; i < x.count(); ++i) combine_row(T{1}, u0, step[i], d + i * x.dim(), x.row(i), x.dim());
}
template <class T>
void cotangent_rows(const CotangentRow<T>* terms, const T* d, Rows<const T> g, Rows<T> out) noexcept {
  for (std::size_t i = 0; i < g.count(); ++i) cotangent_row(terms[i], d + i * g.dim(), g.row(i), out.row(i), g.dim());
}

template <class T>
constexpr RowKernels<T> kRowKernels{.subtract = subtract_row<T>,
                                    .dot = dot_row<T>,
                                    .dot_of_sizes = dot_of_sizes_row<T>,
                                    .largest = largest_row<T>,
                                    .add_scaled = add_scaled_row<T>,
                                    .combine = combine_row<T>,
                                    .subtract_rows = subtract_rows<T>,
                                    .dot_rows = dot_rows<T>,
                                    .step_rows = step_rows<T>,
                                    .cotangent_rows = cotangent_rows<T>};
const RowKernels<float>& row_kernels_f32() { return kRowKernels<float>; }
const RowKernels<double>& row_kernels_f64() { return kRowKernels<double>; }

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(row_kernels_f32);
HWY_EXPORT(row_kernels_f64);
template <>
const RowKernels<float>& RowKernels<float>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(row_kernels_f32)();
}
template <>
const RowKernels<double>& RowKernels<double>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(row_kernels_f64)();
}

}  // namespace softradial::kernels
#endif  // HWY_ONCE
