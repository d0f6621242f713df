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

// 1 / (1 + exp(-x)). Highway's exponential is valid up to 88 (float) and 700 (double), where the result is zero up to
// rounding. It turns NaN into zero, so NaN is restored afterwards.
template <class V>
HWY_INLINE V sigmoid(V x) {
  using T = hn::TFromV<V>;
  const hn::DFromV<V> tag;
  const auto one = hn::Set(tag, T{1});
  const auto most = hn::Set(tag, sizeof(T) == 4 ? T{88} : T{700});
  const auto value = hn::Div(one, hn::Add(one, hn::Exp(tag, hn::Min(hn::Neg(x), most))));
  return hn::IfThenElse(hn::IsNaN(x), x, value);
}

// tanh(x) = 2 sigmoid(2x) - 1. The absolute error is a few ulp of 1, small enough for gates and states of size 1.
template <class V>
HWY_INLINE V tanh_of(V x) {
  const hn::DFromV<V> tag;
  const auto two = hn::Set(tag, hn::TFromV<V>{2});
  return hn::MulSub(two, sigmoid(hn::Mul(two, x)), hn::Set(tag, hn::TFromV<V>{1}));
}

// The number of rows that share a loaded weight: their accumulators (4 for each row) and the operands must fit into the
// registers.
#if HWY_TARGET <= HWY_AVX3
inline constexpr int64_t kRows = 4;
#else
inline constexpr int64_t kRows = 2;
#endif

// For kWindows windows and one vector of units, all four gates:
//   a = projection + W_hh h_{t-1};  i, f, o = sigmoid(a), g = tanh(a);  c = f c_prev + i g;  h = o tanh(c)
template <int64_t kWindows, class T>
HWY_INLINE void forward_tile(const LstmState<T>& s, const T* weights, int64_t t, int64_t row, int64_t unit) {
  const Tag<T> tag;
  const int64_t units = s.units;
  const int64_t slot = t % s.slots;
  const int64_t before = (t + s.slots - 1) % s.slots;
  Vec<T> sum[kWindows][4];
  for (int64_t r = 0; r < kWindows; ++r) {
    const T* projection = s.projection + ((row + r) * s.window_stride + t) * 4 * units + unit;
    for (int64_t q = 0; q < 4; ++q) sum[r][q] = hn::LoadU(tag, projection + q * units);
  }
  if (t > 0) {
    const T* hidden = s.hidden + (before * s.windows + row) * units;
    for (int64_t k = 0; k < units; ++k) {
      Vec<T> w[4];
      for (int64_t q = 0; q < 4; ++q) w[q] = hn::LoadU(tag, weights + (k * 4 + q) * kUnitBlock<T>);
      for (int64_t r = 0; r < kWindows; ++r) {
        const auto h = hn::Set(tag, hidden[r * units + k]);
        for (int64_t q = 0; q < 4; ++q) sum[r][q] = hn::MulAdd(h, w[q], sum[r][q]);
      }
    }
  }
  // Two loops, because tanh(c) waits for the gates: the processor overlaps the first halves of all rows, then the second
  // halves.
  Vec<T> c[kWindows];
  for (int64_t r = 0; r < kWindows; ++r) {
    const auto i = sigmoid(sum[r][0]);
    const auto f = sigmoid(sum[r][1]);
    const auto g = tanh_of(sum[r][2]);
    sum[r][3] = sigmoid(sum[r][3]);
    T* gates = s.gates + (slot * s.windows + row + r) * 4 * units + unit;
    hn::StoreU(i, tag, gates);
    hn::StoreU(f, tag, gates + units);
    hn::StoreU(g, tag, gates + 2 * units);
    hn::StoreU(sum[r][3], tag, gates + 3 * units);
    c[r] = hn::Mul(i, g);
    if (t > 0) c[r] = hn::MulAdd(f, hn::LoadU(tag, s.cells + (before * s.windows + row + r) * units + unit), c[r]);
  }
  for (int64_t r = 0; r < kWindows; ++r) {
    const int64_t at = (slot * s.windows + row + r) * units + unit;
    const auto squashed = tanh_of(c[r]);
    hn::StoreU(c[r], tag, s.cells + at);
    hn::StoreU(squashed, tag, s.squashed + at);
    hn::StoreU(hn::Mul(sum[r][3], squashed), tag, s.hidden + at);
  }
}

template <class T>
void lstm_forward(const LstmState<T>& s, const T* packed, int64_t first, int64_t last) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Tag<T>()));
  // A panel of weights (units x 4 x block) stays in the first-level cache while all windows use it.
  for (int64_t t = 0; t < s.steps; ++t) {
    for (int64_t unit = 0; unit < s.units; unit += lanes) {
      const int64_t block = unit / kUnitBlock<T>;
      const T* weights = packed + block * s.units * 4 * kUnitBlock<T> + unit % kUnitBlock<T>;
      int64_t row = first;
      for (; row + kRows <= last; row += kRows) forward_tile<kRows>(s, weights, t, row, unit);
      for (; row < last; ++row) forward_tile<1>(s, weights, t, row, unit);
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

// grad_hidden = grad_gates W_hh for kWindows windows and kVectors vectors of units; W_hh is (4 Hp, Hp).
template <int64_t kWindows, int64_t kVectors, class T>
HWY_INLINE void hidden_tile(const LstmState<T>& s, const LstmGradient<T>& grad, int64_t t, int64_t row, int64_t unit) {
  const Tag<T> tag;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(tag));
  const int64_t units = s.units;
  const T* gates = grad.grad_gates + (t * s.windows + row) * 4 * units;
  Vec<T> sum[kWindows][kVectors];
  for (int64_t r = 0; r < kWindows; ++r) {
    for (int64_t v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(tag);
  }
  for (int64_t m = 0; m < 4 * units; ++m) {
    Vec<T> w[kVectors];
    for (int64_t v = 0; v < kVectors; ++v) w[v] = hn::LoadU(tag, grad.recurrent + m * units + unit + v * lanes);
    for (int64_t r = 0; r < kWindows; ++r) {
      const auto d = hn::Set(tag, gates[r * 4 * units + m]);
      for (int64_t v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(d, w[v], sum[r][v]);
    }
  }
  for (int64_t r = 0; r < kWindows; ++r) {
    for (int64_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sum[r][v], tag, grad.grad_hidden + (row + r) * units + unit + v * lanes);
    }
  }
}

template <int64_t kVectors, class T>
HWY_INLINE void hidden_columns(const LstmState<T>& s, const LstmGradient<T>& grad, int64_t t, int64_t first,
                               int64_t last, int64_t unit) {
  constexpr int64_t kTileRows = 4 * kRows / kVectors;
  int64_t row = first;
  for (; row + kTileRows <= last; row += kTileRows) hidden_tile<kTileRows, kVectors>(s, grad, t, row, unit);
  for (; row < last; ++row) hidden_tile<1, kVectors>(s, grad, t, row, unit);
}

template <class T>
void lstm_backward(const LstmState<T>& s, const LstmGradient<T>& grad, int64_t first, int64_t last) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Tag<T>()));
  for (int64_t t = s.steps - 1; t >= 0; --t) {
    for (int64_t row = first; row < last; ++row) {
      for (int64_t unit = 0; unit < s.units; unit += lanes) backward_cell(s, grad, t, row, unit);
    }
    if (t == 0) break;
    int64_t unit = 0;
    for (; unit + 4 * lanes <= s.units; unit += 4 * lanes) hidden_columns<4>(s, grad, t, first, last, unit);
    for (; unit + 2 * lanes <= s.units; unit += 2 * lanes) hidden_columns<2>(s, grad, t, first, last, unit);
    for (; unit < s.units; unit += lanes) hidden_columns<1>(s, grad, t, first, last, unit);
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
