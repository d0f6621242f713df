// Included once for every vector target, inside foreach_target: no include guard of the usual kind.
#if defined(SOFTRADIAL_KERNELS_SIMD_ROWS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SOFTRADIAL_KERNELS_SIMD_ROWS_HPP
#undef SOFTRADIAL_KERNELS_SIMD_ROWS_HPP
#else
#define SOFTRADIAL_KERNELS_SIMD_ROWS_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using RowTag = hn::ScalableTag<T>;
template <class T>
using RowVec = hn::Vec<RowTag<T>>;

// The first `count` lanes from p, zeros behind them; reads nothing beyond p[count - 1].
template <class T>
HWY_INLINE RowVec<T> load_first(const T* HWY_RESTRICT p, std::size_t count) {
  const RowTag<T> tag;
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T lanes[hn::MaxLanes(RowTag<T>())] = {};
  for (std::size_t i = 0; i < count; ++i) lanes[i] = p[i];
  return hn::Load(tag, lanes);
#else
  return hn::MaskedLoad(hn::FirstN(tag, count), tag, p);
#endif
}

// The first `count` lanes of v to p.
template <class T>
HWY_INLINE void store_first(RowVec<T> v, T* HWY_RESTRICT p, std::size_t count) {
  const RowTag<T> tag;
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T lanes[hn::MaxLanes(RowTag<T>())];
  hn::Store(v, tag, lanes);
  for (std::size_t i = 0; i < count; ++i) p[i] = lanes[i];
#else
  hn::BlendedStore(v, hn::FirstN(tag, count), tag, p);
#endif
}

// Four interleaved chains hide the latency of the additions.
template <class T>
struct Sum4 {
  RowVec<T> s[4];

  HWY_INLINE Sum4() {
    for (auto& chain : s) chain = hn::Zero(RowTag<T>());
  }
  HWY_INLINE T total() const {
    return hn::GetLane(hn::SumOfLanes(RowTag<T>(), hn::Add(hn::Add(s[0], s[1]), hn::Add(s[2], s[3]))));
  }
};

// Calls body(chain, j) for every full vector and tail(j, count) for the rest; the tail belongs to chain 3.
template <class T, class Body, class Tail>
HWY_INLINE void for_each_vector(std::size_t n, const Body& body, const Tail& tail) {
  const std::size_t lanes = hn::Lanes(RowTag<T>());
  std::size_t j = 0;
  for (; j + 4 * lanes <= n; j += 4 * lanes) {
    body(0, j);
    body(1, j + lanes);
    body(2, j + 2 * lanes);
    body(3, j + 3 * lanes);
  }
  if (j + lanes <= n) {
    body(0, j);
    j += lanes;
    if (j + lanes <= n) {
      body(1, j);
      j += lanes;
      if (j + lanes <= n) {
        body(2, j);
        j += lanes;
      }
    }
  }
  if (j < n) tail(j, n - j);
}

// 1 / v for normal v with a normal reciprocal, to 2 ulp: what a division costs is most of the pass in single precision.
// Two steps of Newton's method double the 8 bits or more of the guess twice.
HWY_INLINE RowVec<float> reciprocal_of(RowVec<float> v) {
  const auto two = hn::Set(RowTag<float>(), 2.0F);
  const auto guess = hn::ApproximateReciprocal(v);
  const auto better = hn::Mul(guess, hn::NegMulAdd(v, guess, two));
  return hn::Mul(better, hn::NegMulAdd(v, better, two));
}
HWY_INLINE RowVec<double> reciprocal_of(RowVec<double> v) { return hn::Div(hn::Set(RowTag<double>(), 1.0), v); }

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
