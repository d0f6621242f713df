#include "kernels/row_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/row_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {

// sum over j of term(j, lanes), in four interleaved chains; term(j, count) gives the lanes at j, zero beyond count.
template <class T, class Term>
HWY_INLINE T sum_terms(std::size_t n, const Term& term) {
  const RowTag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  auto s0 = hn::Zero(tag);
  auto s1 = hn::Zero(tag);
  auto s2 = hn::Zero(tag);
  auto s3 = hn::Zero(tag);
  std::size_t j = 0;
  for (; j + 4 * lanes <= n; j += 4 * lanes) {
    s0 = hn::Add(s0, term(j, lanes));
    s1 = hn::Add(s1, term(j + lanes, lanes));
    s2 = hn::Add(s2, term(j + 2 * lanes, lanes));
    s3 = hn::Add(s3, term(j + 3 * lanes, lanes));
  }
  for (; j + lanes <= n; j += lanes) s0 = hn::Add(s0, term(j, lanes));
  if (j < n) s1 = hn::Add(s1, term(j, n - j));
  return hn::GetLane(hn::SumOfLanes(tag, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}

template <class T>
HWY_INLINE RowVec<T> load(const T* HWY_RESTRICT p, std::size_t count) {
  const RowTag<T> tag;
  return count == hn::Lanes(tag) ? hn::LoadU(tag, p) : load_first(p, count);
}

template <class T>
HWY_INLINE void store(RowVec<T> v, T* HWY_RESTRICT p, std::size_t count) {
  const RowTag<T> tag;
  if (count == hn::Lanes(tag)) {
    hn::StoreU(v, tag, p);
  } else {
    store_first(v, p, count);
  }
}

template <class T>
HWY_INLINE T subtract_row(const T* u, const T* u0, T* d, std::size_t n) {
  return sum_terms<T>(n, [=](std::size_t j, std::size_t count) HWY_ATTR {
    const auto v = hn::Sub(load(u + j, count), load(u0 + j, count));
    store(v, d + j, count);
    return hn::Mul(v, v);
  });
}

template <class T>
HWY_INLINE T dot_row(const T* a, const T* b, std::size_t n) {
  return sum_terms<T>(
      n, [=](std::size_t j, std::size_t count) HWY_ATTR { return hn::Mul(load(a + j, count), load(b + j, count)); });
}

template <class T>
HWY_INLINE void combine_row(T a, const T* x, T b, const T* y, T* out, std::size_t n) {
  const RowTag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto va = hn::Set(tag, a);
  const auto vb = hn::Set(tag, b);
  for (std::size_t j = 0; j < n; j += lanes) {
    const std::size_t count = n - j < lanes ? n - j : lanes;
    store(hn::MulAdd(vb, load(y + j, count), hn::Mul(va, load(x + j, count))), out + j, count);
  }
}

template <class T>
HWY_INLINE void add_scaled_row(T a, const T* x, T* y, std::size_t n) {
  const RowTag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto va = hn::Set(tag, a);
  for (std::size_t j = 0; j < n; j += lanes) {
    const std::size_t count = n - j < lanes ? n - j : lanes;
    store(hn::MulAdd(va, load(x + j, count), load(y + j, count)), y + j, count);
  }
}

template <class T>
HWY_INLINE void cotangent_row(const CotangentRow<T>& terms, const T* d, const T* g, T* out, std::size_t n) {
  const RowTag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto phi = hn::Set(tag, terms.phi);
  const auto radial = hn::Set(tag, terms.radial);
  const auto normal = hn::Set(tag, terms.normal);
  for (std::size_t j = 0; j < n; j += lanes) {
    const std::size_t count = n - j < lanes ? n - j : lanes;
    const auto value = hn::MulAdd(radial, load(d + j, count), hn::Mul(phi, load(g + j, count)));
    store(terms.row == nullptr ? value : hn::MulAdd(normal, load(terms.row + j, count), value), out + j, count);
  }
}

float subtract_f32(const float* u, const float* u0, float* d, std::size_t n) { return subtract_row(u, u0, d, n); }
double subtract_f64(const double* u, const double* u0, double* d, std::size_t n) { return subtract_row(u, u0, d, n); }
float dot_f32(const float* a, const float* b, std::size_t n) { return dot_row(a, b, n); }
double dot_f64(const double* a, const double* b, std::size_t n) { return dot_row(a, b, n); }
void add_scaled_f32(float a, const float* x, float* y, std::size_t n) { add_scaled_row(a, x, y, n); }
void add_scaled_f64(double a, const double* x, double* y, std::size_t n) { add_scaled_row(a, x, y, n); }
void combine_f32(float a, const float* x, float b, const float* y, float* out, std::size_t n) {
  combine_row(a, x, b, y, out, n);
}
void combine_f64(double a, const double* x, double b, const double* y, double* out, std::size_t n) {
  combine_row(a, x, b, y, out, n);
}
void subtract_rows_f32(Rows<const float> u, const float* u0, float* d, float* squares) {
  for (std::size_t i = 0; i < u.count(); ++i) squares[i] = subtract_row(u.row(i), u0, d + i * u.dim(), u.dim());
}
void dot_rows_f32(const float* d, Rows<const float> g, float* out) {
  for (std::size_t i = 0; i < g.count(); ++i) out[i] = dot_row(d + i * g.dim(), g.row(i), g.dim());
}
void step_rows_f32(const float* u0, const float* step, const float* d, Rows<float> x) {
  for (std::size_t i = 0; i < x.count(); ++i) combine_row(float{1}, u0, step[i], d + i * x.dim(), x.row(i), x.dim());
}
void cotangent_rows_f32(const CotangentRow<float>* terms, const float* d, Rows<const float> g, Rows<float> out) {
  for (std::size_t i = 0; i < g.count(); ++i) cotangent_row(terms[i], d + i * g.dim(), g.row(i), out.row(i), g.dim());
}
void subtract_rows_f64(Rows<const double> u, const double* u0, double* d, double* squares) {
  for (std::size_t i = 0; i < u.count(); ++i) squares[i] = subtract_row(u.row(i), u0, d + i * u.dim(), u.dim());
}
void dot_rows_f64(const double* d, Rows<const double> g, double* out) {
  for (std::size_t i = 0; i < g.count(); ++i) out[i] = dot_row(d + i * g.dim(), g.row(i), g.dim());
}
void step_rows_f64(const double* u0, const double* step, const double* d, Rows<double> x) {
  for (std::size_t i = 0; i < x.count(); ++i) combine_row(double{1}, u0, step[i], d + i * x.dim(), x.row(i), x.dim());
}
void cotangent_rows_f64(const CotangentRow<double>* terms, const double* d, Rows<const double> g, Rows<double> out) {
  for (std::size_t i = 0; i < g.count(); ++i) cotangent_row(terms[i], d + i * g.dim(), g.row(i), out.row(i), g.dim());
}

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(subtract_f32);
HWY_EXPORT(subtract_f64);
HWY_EXPORT(dot_f32);
HWY_EXPORT(dot_f64);
HWY_EXPORT(add_scaled_f32);
HWY_EXPORT(add_scaled_f64);
HWY_EXPORT(combine_f32);
HWY_EXPORT(combine_f64);
HWY_EXPORT(subtract_rows_f32);
HWY_EXPORT(dot_rows_f32);
HWY_EXPORT(step_rows_f32);
HWY_EXPORT(cotangent_rows_f32);
HWY_EXPORT(subtract_rows_f64);
HWY_EXPORT(dot_rows_f64);
HWY_EXPORT(step_rows_f64);
HWY_EXPORT(cotangent_rows_f64);

float subtract(const float* u, const float* u0, float* d, std::size_t n) noexcept {
  return HWY_DYNAMIC_DISPATCH(subtract_f32)(u, u0, d, n);
}
double subtract(const double* u, const double* u0, double* d, std::size_t n) noexcept {
  return HWY_DYNAMIC_DISPATCH(subtract_f64)(u, u0, d, n);
}
float dot(const float* a, const float* b, std::size_t n) noexcept { return HWY_DYNAMIC_DISPATCH(dot_f32)(a, b, n); }
double dot(const double* a, const double* b, std::size_t n) noexcept { return HWY_DYNAMIC_DISPATCH(dot_f64)(a, b, n); }
void add_scaled(float a, const float* x, float* y, std::size_t n) noexcept {
  HWY_DYNAMIC_DISPATCH(add_scaled_f32)(a, x, y, n);
}
void add_scaled(double a, const double* x, double* y, std::size_t n) noexcept {
  HWY_DYNAMIC_DISPATCH(add_scaled_f64)(a, x, y, n);
}
void combine(float a, const float* x, float b, const float* y, float* out, std::size_t n) noexcept {
  HWY_DYNAMIC_DISPATCH(combine_f32)(a, x, b, y, out, n);
}
void combine(double a, const double* x, double b, const double* y, double* out, std::size_t n) noexcept {
  HWY_DYNAMIC_DISPATCH(combine_f64)(a, x, b, y, out, n);
}
void subtract_rows(Rows<const float> u, const float* u0, float* d, float* squares) noexcept {
  HWY_DYNAMIC_DISPATCH(subtract_rows_f32)(u, u0, d, squares);
}
void dot_rows(const float* d, Rows<const float> g, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(dot_rows_f32)(d, g, out);
}
void step_rows(const float* u0, const float* step, const float* d, Rows<float> x) noexcept {
  HWY_DYNAMIC_DISPATCH(step_rows_f32)(u0, step, d, x);
}
void cotangent_rows(const CotangentRow<float>* terms, const float* d, Rows<const float> g, Rows<float> out) noexcept {
  HWY_DYNAMIC_DISPATCH(cotangent_rows_f32)(terms, d, g, out);
}
void subtract_rows(Rows<const double> u, const double* u0, double* d, double* squares) noexcept {
  HWY_DYNAMIC_DISPATCH(subtract_rows_f64)(u, u0, d, squares);
}
void dot_rows(const double* d, Rows<const double> g, double* out) noexcept {
  HWY_DYNAMIC_DISPATCH(dot_rows_f64)(d, g, out);
}
void step_rows(const double* u0, const double* step, const double* d, Rows<double> x) noexcept {
  HWY_DYNAMIC_DISPATCH(step_rows_f64)(u0, step, d, x);
}
void cotangent_rows(const CotangentRow<double>* terms, const double* d, Rows<const double> g,
                    Rows<double> out) noexcept {
  HWY_DYNAMIC_DISPATCH(cotangent_rows_f64)(terms, d, g, out);
}

}  // namespace softradial::kernels
#endif  // HWY_ONCE
