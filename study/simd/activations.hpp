// Included once for every instruction set: see <hwy/foreach_target.h>.
#if defined(SOFTRADIAL_EXPERIMENTS_ACTIVATIONS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SOFTRADIAL_EXPERIMENTS_ACTIVATIONS_HPP
#undef SOFTRADIAL_EXPERIMENTS_ACTIVATIONS_HPP
#else
#define SOFTRADIAL_EXPERIMENTS_ACTIVATIONS_HPP
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace softradial::study::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most a cache line: buffers that are padded to cache lines need no tails.
template <class T>
using Tag = hn::CappedTag<T, 64 / sizeof(T)>;
template <class T>
using Vec = hn::Vec<Tag<T>>;

// 1 / (1 + exp(-x)). The exponential is good up to 88 (float) and 700 (double), where the result has reached zero to
// rounding; it turns NaN into zero, so NaN is put back.
template <class V>
HWY_INLINE V sigmoid(V x) {
  using T = hn::TFromV<V>;
  const hn::DFromV<V> tag;
  const auto one = hn::Set(tag, T{1});
  const auto most = hn::Set(tag, sizeof(T) == 4 ? T{88} : T{700});
  const auto value = hn::Div(one, hn::Add(one, hn::Exp(tag, hn::Min(hn::Neg(x), most))));
  return hn::IfThenElse(hn::IsNaN(x), x, value);
}

// tanh(x) = 2 sigmoid(2x) - 1: an absolute error of a few ulp of 1, which is all that a gate can tell.
template <class V>
HWY_INLINE V tanh_of(V x) {
  const hn::DFromV<V> tag;
  const auto two = hn::Set(tag, hn::TFromV<V>{2});
  return hn::MulSub(two, sigmoid(hn::Mul(two, x)), hn::Set(tag, hn::TFromV<V>{1}));
}

}  // namespace softradial::study::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
