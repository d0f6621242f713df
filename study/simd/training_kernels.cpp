#include "simd/training_kernels.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/training_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>
// Must come after foreach_target.h, which sets the instruction set.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace softradial::study::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors are at most a cache line long: buffers padded to cache lines then leave no remainder.
template <class T>
using Tag = hn::CappedTag<T, 64 / sizeof(T)>;
template <class T>
using Vec = hn::Vec<Tag<T>>;

// exp(x) for |x| <= kExpRange: single precision by half as many operations as Highway's function takes for all x, which it is
// for double precision. With n = round(x log2 e) and f = x log2 e - n in [-1/2, 1/2]:
//   exp(x) = 2^n p(f),   |p(f) - 2^f| <= 9.2e-8 2^f   (p minimises that, with p(0) = 1)
// Adding 1.5 2^23 rounds to an integer, whose bits are the lowest of the sum: shifted by 23 they count in the exponent of p. The
// error of log2 e, 1.9e-8 |x|, is small where exp(x) is neither large nor small beside 1.
template <class T>
inline constexpr T kExpRange = sizeof(T) == 4 ? T{87} : T{700};

template <class V>
HWY_INLINE V exponential(V x) {
  const hn::DFromV<V> tag;
  if constexpr (sizeof(hn::TFromV<V>) == 8) {
    return hn::Exp(tag, x);
  } else {
    const auto log2e = hn::Set(tag, 1.44269504F);
    const auto rounder = hn::Set(tag, 0x1.8p23F);
    const auto rounded = hn::MulAdd(x, log2e, rounder);
    const auto f = hn::MulSub(x, log2e, hn::Sub(rounded, rounder));
    auto p = hn::Set(tag, 0.00132647273F);
    for (const float coefficient : {0.00967151299F, 0.0555073358F, 0.240222424F, 0.693147004F, 1.0F}) {
      p = hn::MulAdd(p, f, hn::Set(tag, coefficient));
    }
    const hn::RebindToUnsigned<decltype(tag)> bits;
    return hn::BitCast(tag, hn::Add(hn::BitCast(bits, p), hn::ShiftLeft<23>(hn::BitCast(bits, rounded))));
  }
}

// 1 / (1 + exp(-x)). Where x is beyond the range of the exponential, the result is 0 or 1 up to rounding. NaN, which bounds may
// lose, is restored afterwards.
template <class V>
HWY_INLINE V sigmoid(V x) {
  using T = hn::TFromV<V>;
  const hn::DFromV<V> tag;
  const auto one = hn::Set(tag, T{1});
  const auto most = hn::Set(tag, kExpRange<T>);
  const auto bounded = hn::Max(hn::Min(hn::Neg(x), most), hn::Neg(most));
  const auto value = hn::Div(one, hn::Add(one, exponential(bounded)));
  return hn::IfThenElse(hn::IsNaN(x), x, value);
}

// tanh(x) = 2 sigmoid(2x) - 1. The absolute error is a few ulp of 1, small enough for gates and states of size 1.
template <class V>
HWY_INLINE V tanh_of(V x) {
  const hn::DFromV<V> tag;
  const auto two = hn::Set(tag, hn::TFromV<V>{2});
  return hn::MulSub(two, sigmoid(hn::Mul(two, x)), hn::Set(tag, hn::TFromV<V>{1}));
}

// The number of rows that share a loaded weight. Their accumulators (4 for each row), one number of each row and one vector of
// weights fill the registers: 16 before AVX-512. Two rows would leave too few independent sums for two fused operations a cycle.
#if HWY_TARGET <= HWY_AVX3
inline constexpr int64_t kRows = 4;
#else
inline constexpr int64_t kRows = 3;
#endif

// A product of two matrices with a start value: out[r][v] = start[r][v] + sum_k a[r][k] b[k][v], for rows r of numbers and vectors
// v. `start` may be `out`, or null for zero. The distances between rows, between vectors and along k are counted in numbers.
template <class T>
struct Product {
  const T* a;
  int64_t a_row;
  int64_t a_k;
  const T* b;
  int64_t b_k;
  int64_t b_vector;
  int64_t count;  // of k
  const T* start;
  int64_t start_row;
  T* out;
  int64_t out_row;
  int64_t out_vector;  // that of `start`, too
};

template <int64_t kTileRows, int64_t kVectors, class T>
HWY_INLINE void product_tile(const Product<T>& p, int64_t row, int64_t vector) {
  const Tag<T> tag;
  Vec<T> sum[kTileRows][kVectors];
  for (int64_t r = 0; r < kTileRows; ++r) {
    for (int64_t v = 0; v < kVectors; ++v) {
      sum[r][v] = p.start == nullptr ? hn::Zero(tag)
                                     : hn::LoadU(tag, p.start + (row + r) * p.start_row + (vector + v) * p.out_vector);
    }
  }
  const T* a = p.a + row * p.a_row;
  const T* b = p.b + vector * p.b_vector;
  for (int64_t k = 0; k < p.count; ++k) {
    Vec<T> number[kTileRows];
    for (int64_t r = 0; r < kTileRows; ++r) number[r] = hn::Set(tag, a[r * p.a_row + k * p.a_k]);
    for (int64_t v = 0; v < kVectors; ++v) {
      const auto w = hn::LoadU(tag, b + k * p.b_k + v * p.b_vector);
      for (int64_t r = 0; r < kTileRows; ++r) sum[r][v] = hn::MulAdd(number[r], w, sum[r][v]);
    }
  }
  for (int64_t r = 0; r < kTileRows; ++r) {
    for (int64_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sum[r][v], tag, p.out + (row + r) * p.out_row + (vector + v) * p.out_vector);
    }
  }
}

// The rows [first, last) of a product, kVectors vectors from `vector` on. Not inlined: the sums of a tile and their operands need
// all registers, of which what stands around the call would take some.
template <int64_t kVectors, class T>
HWY_NOINLINE void product_columns(const Product<T>& p, int64_t first, int64_t last, int64_t vector) {
  constexpr int64_t kTileRows = 4 * kRows / kVectors;
  int64_t row = first;
  for (; row + kTileRows <= last; row += kTileRows) product_tile<kTileRows, kVectors>(p, row, vector);
  for (; row < last; ++row) product_tile<1, kVectors>(p, row, vector);
}

// The rows [first, last) of a product and all its vectors.
template <class T>
HWY_INLINE void product(const Product<T>& p, int64_t first, int64_t last, int64_t vectors) {
  int64_t v = 0;
  for (; v + 4 <= vectors; v += 4) product_columns<4>(p, first, last, v);
  for (; v + 2 <= vectors; v += 2) product_columns<2>(p, first, last, v);
  for (; v < vectors; ++v) product_columns<1>(p, first, last, v);
}

// For kWindows windows and one vector of units, from a = (i, f, g, o) before their activations, which it overwrites:
//   i, f, o = sigmoid(a), g = tanh(a);  c = f c_prev + i g;  h = o tanh(c)
// Two loops, because tanh(c) waits for the gates: the processor overlaps the first halves of all rows, then the second halves.
template <int64_t kWindows, class T>
HWY_INLINE void activate(const LstmState<T>& s, int64_t t, int64_t row, int64_t unit) {
  const Tag<T> tag;
  const int64_t units = s.units;
  const int64_t first = t % s.slots * s.windows + row;
  const int64_t before = (t + s.slots - 1) % s.slots * s.windows + row;
  Vec<T> c[kWindows];
  Vec<T> o[kWindows];
  for (int64_t r = 0; r < kWindows; ++r) {
    T* gates = s.gates + (first + r) * 4 * units + unit;
    const auto i = sigmoid(hn::LoadU(tag, gates));
    const auto f = sigmoid(hn::LoadU(tag, gates + units));
    const auto g = tanh_of(hn::LoadU(tag, gates + 2 * units));
    o[r] = sigmoid(hn::LoadU(tag, gates + 3 * units));
    hn::StoreU(i, tag, gates);
    hn::StoreU(f, tag, gates + units);
    hn::StoreU(g, tag, gates + 2 * units);
    hn::StoreU(o[r], tag, gates + 3 * units);
    c[r] = hn::Mul(i, g);
    if (t > 0) c[r] = hn::MulAdd(f, hn::LoadU(tag, s.cells + (before + r) * units + unit), c[r]);
  }
  for (int64_t r = 0; r < kWindows; ++r) {
    const int64_t at = (first + r) * units + unit;
    const auto squashed = tanh_of(c[r]);
    hn::StoreU(c[r], tag, s.cells + at);
    hn::StoreU(squashed, tag, s.squashed + at);
    hn::StoreU(hn::Mul(o[r], squashed), tag, s.hidden + at);
  }
}

// One vector of units for the windows [first, last). Not inlined, as product_columns.
template <class T>
HWY_NOINLINE void activate_columns(const LstmState<T>& s, int64_t t, int64_t first, int64_t last, int64_t unit) {
  int64_t row = first;
  for (; row + kRows <= last; row += kRows) activate<kRows>(s, t, row, unit);
  for (; row < last; ++row) activate<1>(s, t, row, unit);
}

template <class T>
void lstm_forward(const LstmState<T>& s, const T* packed, int64_t first, int64_t last) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Tag<T>()));
  const int64_t units = s.units;
  for (int64_t t = 0; t < s.steps; ++t) {
    const int64_t before = (t + s.slots - 1) % s.slots;
    for (int64_t unit = 0; unit < units; unit += lanes) {
      // The gates before their activations: projection + W_hh h_{t-1}, with h before the first step zero. The four gates of a
      // vector of units are the vectors of the product; its panel of weights (units x 4 x block) stays in the first-level cache
      // while all windows use it.
      product<T>({.a = s.hidden + before * s.windows * units,
                  .a_row = units,
                  .a_k = 1,
                  .b = packed + unit / kUnitBlock<T> * units * 4 * kUnitBlock<T> + unit % kUnitBlock<T>,
                  .b_k = 4 * kUnitBlock<T>,
                  .b_vector = kUnitBlock<T>,
                  .count = t > 0 ? units : 0,
                  .start = s.projection + t * 4 * units + unit,
                  .start_row = s.window_stride * 4 * units,
                  .out = s.gates + t % s.slots * s.windows * 4 * units + unit,
                  .out_row = 4 * units,
                  .out_vector = units},
                 first, last, 4);
      activate_columns(s, t, first, last, unit);
    }
  }
}

// One vector of one window at step t. With a' the derivative of an activation by its own value:
//   do = dh tanh(c),  dc += dh o (1 - tanh(c)^2),  di = dc g,  dg = dc i,  df = dc c_prev,  dc_prev = dc f
template <class T>
HWY_INLINE void backward_cell(const LstmState<T>& s, const LstmGradient<T>& grad, int64_t t, int64_t row,
                              int64_t unit) {
  const Tag<T> tag;
  const int64_t units = s.units;
  const int64_t at = t * s.windows + row;
  const T* gates = s.gates + at * 4 * units + unit;
  const auto one = hn::Set(tag, T{1});
  const auto i = hn::LoadU(tag, gates);
  const auto f = hn::LoadU(tag, gates + units);
  const auto g = hn::LoadU(tag, gates + 2 * units);
  const auto o = hn::LoadU(tag, gates + 3 * units);
  const auto squashed = hn::LoadU(tag, s.squashed + at * units + unit);
  const auto dh = hn::LoadU(tag, grad.grad_hidden + row * units + unit);
  const auto slope = hn::NegMulAdd(squashed, squashed, one);
  const auto dc = hn::MulAdd(hn::Mul(dh, o), slope, hn::LoadU(tag, grad.grad_cells + row * units + unit));
  const auto before = t > 0 ? hn::LoadU(tag, s.cells + ((t - 1) * s.windows + row) * units + unit) : hn::Zero(tag);
  T* out = grad.grad_gates + at * 4 * units + unit;
  hn::StoreU(hn::Mul(hn::Mul(dc, g), hn::Mul(i, hn::Sub(one, i))), tag, out);
  hn::StoreU(hn::Mul(hn::Mul(dc, before), hn::Mul(f, hn::Sub(one, f))), tag, out + units);
  hn::StoreU(hn::Mul(hn::Mul(dc, i), hn::NegMulAdd(g, g, one)), tag, out + 2 * units);
  hn::StoreU(hn::Mul(hn::Mul(dh, squashed), hn::Mul(o, hn::Sub(one, o))), tag, out + 3 * units);
  hn::StoreU(hn::Mul(dc, f), tag, grad.grad_cells + row * units + unit);
}

template <class T>
void lstm_backward(const LstmState<T>& s, const LstmGradient<T>& grad, int64_t first, int64_t last) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Tag<T>()));
  const int64_t units = s.units;
  for (int64_t t = s.steps - 1; t >= 0; --t) {
    for (int64_t row = first; row < last; ++row) {
      for (int64_t unit = 0; unit < units; unit += lanes) backward_cell(s, grad, t, row, unit);
    }
    if (t == 0) break;
    // grad_hidden = grad_gates W_hh, gate by gate: the weights of one (units x units) stay in the first-level cache while all
    // windows use them.
    for (int64_t gate = 0; gate < 4; ++gate) {
      product<T>({.a = grad.grad_gates + (t * s.windows * 4 + gate) * units,
                  .a_row = 4 * units,
                  .a_k = 1,
                  .b = grad.recurrent + gate * units * units,
                  .b_k = units,
                  .b_vector = lanes,
                  .count = units,
                  .start = gate == 0 ? nullptr : grad.grad_hidden,
                  .start_row = units,
                  .out = grad.grad_hidden,
                  .out_row = units,
                  .out_vector = lanes},
                 first, last, units / lanes);
    }
  }
}

template <class T>
void recurrent_gradient(const LstmState<T>& s, const T* grad_gates, T* out, int64_t first, int64_t last) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Tag<T>()));
  const int64_t units = s.units;
  if (s.steps == 1) std::fill(out + first * units, out + last * units, T{0});
  // Step by step: what one product reads stays in the caches.
  for (int64_t t = 1; t < s.steps; ++t) {
    product<T>({.a = grad_gates + t * s.windows * 4 * units,
                .a_row = 1,
                .a_k = 4 * units,
                .b = s.hidden + (t - 1) * s.windows * units,
                .b_k = units,
                .b_vector = lanes,
                .count = s.windows,
                .start = t > 1 ? out : nullptr,
                .start_row = units,
                .out = out,
                .out_row = units,
                .out_vector = lanes},
               first, last, units / lanes);
  }
}

template <class T>
void gather_days(const LstmState<T>& s, const T* grad_gates, T* out, int64_t first, int64_t last) {
  const Tag<T> tag;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(tag));
  const int64_t width = 4 * s.units;
  for (int64_t day = first; day < last; ++day) {
    // Window b reads the day at step t = day - b stride, which must be in [0, steps).
    const int64_t over = std::max<int64_t>(0, day - s.steps + 1);
    const int64_t lowest = (over + s.window_stride - 1) / s.window_stride;
    const int64_t highest = std::min(s.windows - 1, day / s.window_stride);
    for (int64_t j = 0; j < width; j += lanes) {
      auto sum = hn::Zero(tag);
      for (int64_t b = lowest; b <= highest; ++b) {
        const int64_t t = day - b * s.window_stride;
        sum = hn::Add(sum, hn::LoadU(tag, grad_gates + (t * s.windows + b) * width + j));
      }
      hn::StoreU(sum, tag, out + day * width + j);
    }
  }
}

// Handles the whole vectors in [from, to) and returns where they end. The caller handles the rest with vectors of one lane, by
// the same arithmetic.
template <class AnyTag, class T>
HWY_INLINE int64_t adam_range(AnyTag tag, const AdamStep<T>& s, const T* gradient, T* m, T* v, T* p, int64_t from,
                              int64_t to) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(tag));
  const auto beta1 = hn::Set(tag, s.beta1);
  const auto beta2 = hn::Set(tag, s.beta2);
  const auto rest1 = hn::Set(tag, s.one_minus_beta1);
  const auto rest2 = hn::Set(tag, s.one_minus_beta2);
  const auto step = hn::Set(tag, s.step);
  const auto root = hn::Set(tag, s.reciprocal_root);
  const auto epsilon = hn::Set(tag, s.epsilon);
  for (; from + lanes <= to; from += lanes) {
    const auto g = hn::LoadU(tag, gradient + from);
    const auto first = hn::MulAdd(rest1, g, hn::Mul(beta1, hn::LoadU(tag, m + from)));
    const auto second = hn::MulAdd(hn::Mul(rest2, g), g, hn::Mul(beta2, hn::LoadU(tag, v + from)));
    const auto scale = hn::MulAdd(hn::Sqrt(second), root, epsilon);
    hn::StoreU(first, tag, m + from);
    hn::StoreU(second, tag, v + from);
    hn::StoreU(hn::NegMulAdd(step, hn::Div(first, scale), hn::LoadU(tag, p + from)), tag, p + from);
  }
  return from;
}

template <class T>
void adam_step(const AdamStep<T>& s, const T* gradient, T* m, T* v, T* p, int64_t count) {
  const int64_t done = adam_range(hn::ScalableTag<T>(), s, gradient, m, v, p, 0, count);
  adam_range(hn::CappedTag<T, 1>(), s, gradient, m, v, p, done, count);
}

// e = exp(-|a - d|/tau) in (0, 1]: nothing overflows. sigmoid((d - a)/tau) = 1/(1 + e) or e/(1 + e) by the sign.
template <class T>
HWY_INLINE Vec<T> soft_min(Vec<T> a, Vec<T> d, Vec<T> tau, Vec<T>& slope) {
  const Tag<T> tag;
  const auto one = hn::Set(tag, T{1});
  const auto gap = hn::Div(hn::Sub(d, a), tau);
  const auto e = hn::Exp(tag, hn::Neg(hn::Abs(gap)));
  const auto big = hn::Div(one, hn::Add(one, e));
  slope = hn::IfThenElse(hn::Lt(gap, hn::Zero(tag)), hn::Sub(one, big), big);
  const auto value = hn::NegMulAdd(tau, hn::Log1p(tag, e), hn::Min(a, d));
  return hn::IfThenElse(hn::IsNaN(gap), gap, value);
}

template <class T>
double soft_min_row(const T* x, const T* demand, int64_t count, T scale, T tau, T factor, T* grad) {
  const Tag<T> tag;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(tag));
  const auto s = hn::Set(tag, scale);
  const auto temperature = hn::Set(tag, tau);
  const auto f = hn::Set(tag, factor);
  auto sum = hn::Zero(tag);
  Vec<T> slope;
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    sum = hn::Add(sum, soft_min<T>(hn::Mul(s, hn::LoadU(tag, x + i)), hn::LoadU(tag, demand + i), temperature, slope));
    hn::StoreU(hn::Mul(f, slope), tag, grad + i);
  }
  double rest = 0;
  if (i < count) {
    HWY_ALIGN T a[64 / sizeof(T)] = {};
    HWY_ALIGN T d[64 / sizeof(T)] = {};
    for (int64_t j = i; j < count; ++j) {
      a[j - i] = x[j];
      d[j - i] = demand[j];
    }
    const auto value = soft_min<T>(hn::Mul(s, hn::Load(tag, a)), hn::Load(tag, d), temperature, slope);
    hn::Store(value, tag, a);
    hn::Store(hn::Mul(f, slope), tag, d);
    for (int64_t j = i; j < count; ++j) {
      rest += static_cast<double>(a[j - i]);
      grad[j] = d[j - i];
    }
  }
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(tag, sum))) + rest;
}

template <class T>
constexpr TrainingKernels<T> kTable = {.lstm_forward = lstm_forward<T>,
                                       .lstm_backward = lstm_backward<T>,
                                       .recurrent_gradient = recurrent_gradient<T>,
                                       .gather_days = gather_days<T>,
                                       .adam_step = adam_step<T>,
                                       .soft_min_row = soft_min_row<T>};
const TrainingKernels<float>* table_f32() { return &kTable<float>; }
const TrainingKernels<double>* table_f64() { return &kTable<double>; }

}  // namespace softradial::study::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::study::kernels {

HWY_EXPORT(table_f32);
HWY_EXPORT(table_f64);

// Asks Highway at each call and does not store the answer, because the tests change the instruction set.
template <>
const TrainingKernels<float>& training_kernels<float>() noexcept {
  return *HWY_DYNAMIC_DISPATCH(table_f32)();
}
template <>
const TrainingKernels<double>& training_kernels<double>() noexcept {
  return *HWY_DYNAMIC_DISPATCH(table_f64)();
}

template <class T>
void pack_recurrent(const T* recurrent, int64_t units, T* packed) noexcept {
  constexpr int64_t kBlock = kUnitBlock<T>;
  for (int64_t block = 0; block < units / kBlock; ++block) {
    T* panel = packed + block * units * 4 * kBlock;
    for (int64_t q = 0; q < 4; ++q) {
      for (int64_t l = 0; l < kBlock; ++l) {
        const T* row = recurrent + (q * units + block * kBlock + l) * units;
        for (int64_t k = 0; k < units; ++k) panel[(k * 4 + q) * kBlock + l] = row[k];
      }
    }
  }
}
template void pack_recurrent<float>(const float* recurrent, int64_t units, float* packed) noexcept;
template void pack_recurrent<double>(const double* recurrent, int64_t units, double* packed) noexcept;

}  // namespace softradial::study::kernels
#endif  // HWY_ONCE
