// Included once for every vector target, inside foreach_target: no include guard of the usual kind.
#if defined(SOFTRADIAL_KERNELS_SIMD_GUARD_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SOFTRADIAL_KERNELS_SIMD_GUARD_HPP
#undef SOFTRADIAL_KERNELS_SIMD_GUARD_HPP
#else
#define SOFTRADIAL_KERNELS_SIMD_GUARD_HPP
#endif

#include "guard.hpp"
#include "kernels/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {
// The constants are those of softradial::guard; the formulas are compiled for this target.
namespace guard {
using namespace softradial::guard;

// The arithmetic of a vector's lanes, for the formulas.
template <class T>
struct LaneMath {
  static constexpr T ulp() { return kUlp<T>; }
  static constexpr T coarse_ulp() { return 0; }
  static constexpr T smallest_slack() { return kSmallestSlack<T>; }
  static constexpr T largest_slack() { return kLargestSlack<T>; }
  HWY_INLINE static RowVec<T> number(T value) { return hn::Set(RowTag<T>(), value); }
  HWY_INLINE static RowVec<T> subtract(RowVec<T> a, RowVec<T> b) { return hn::Sub(a, b); }
  HWY_INLINE static RowVec<T> multiply_add(RowVec<T> a, RowVec<T> b, RowVec<T> c) { return hn::MulAdd(a, b, c); }
  HWY_INLINE static RowVec<T> multiply(RowVec<T> a, RowVec<T> b) { return hn::Mul(a, b); }
  HWY_INLINE static RowVec<T> multiply_subtract(RowVec<T> a, RowVec<T> b, RowVec<T> c) { return hn::MulSub(a, b, c); }
  HWY_INLINE static RowVec<T> minimum(RowVec<T> a, RowVec<T> b) { return hn::Min(a, b); }
  HWY_INLINE static RowVec<T> maximum(RowVec<T> a, RowVec<T> b) { return hn::Max(a, b); }
  HWY_INLINE static RowVec<T> absolute(RowVec<T> a) { return hn::Abs(a); }
  HWY_INLINE static RowVec<T> reciprocal(RowVec<T> a) { return reciprocal_of(a); }
  HWY_INLINE static hn::Mask<RowTag<T>> at_least(RowVec<T> a, RowVec<T> b) { return hn::Ge(a, b); }
  HWY_INLINE static RowVec<T> choose(hn::Mask<RowTag<T>> condition, RowVec<T> a, RowVec<T> b) {
    return hn::IfThenElse(condition, a, b);
  }
};

#include "guard_formulas.inc"

}  // namespace guard
}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
