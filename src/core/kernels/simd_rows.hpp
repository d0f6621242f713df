// Included once for every vector target, inside foreach_target: no include guard of the usual kind.
#if defined(SOFTRADIAL_KERNELS_SIMD_ROWS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SOFTRADIAL_KERNELS_SIMD_ROWS_HPP
#undef SOFTRADIAL_KERNELS_SIMD_ROWS_HPP
#else
#define SOFTRADIAL_KERNELS_SIMD_ROWS_HPP
#endif

#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <cstdint>

// For the lambdas of a loop over vectors. Without it the compiler leaves some of them out of line, which doubles the time.
#ifndef SOFTRADIAL_LANES
#define SOFTRADIAL_LANES HWY_ATTR __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using RowTag = hn::ScalableTag<T>;
template <class T>
using RowVec = hn::Vec<RowTag<T>>;

// Whether loading and storing part of a vector is as fast as all of it. AVX-512 has masks for that. AVX2 has masked loads, but
// its masked stores are microcode on AMD's processors: a row with a tail took two to three times as long. SSE4 has neither.
// (Highway's scalar target has one lane, hence no part of a vector.)
inline constexpr bool kMaskedStores = HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_SCALAR;
inline constexpr bool kMaskedLoads = kMaskedStores || HWY_TARGET == HWY_AVX2;

// Loads the first `count` lanes from p, zeros behind them; reads nothing beyond p[count - 1].
template <class T>
HWY_INLINE RowVec<T> load_first(const T* HWY_RESTRICT p, std::size_t count) {
  const RowTag<T> tag;
  if constexpr (kMaskedLoads) {
    return hn::MaskedLoad(hn::FirstN(tag, count), tag, p);
  } else {
    HWY_ALIGN T lanes[hn::MaxLanes(RowTag<T>())] = {};
    for (std::size_t i = 0; i < count; ++i) lanes[i] = p[i];
    return hn::Load(tag, lanes);
  }
}

// Does the same if a whole vector lies in front of p: loads the vector that ends at p[count - 1] and moves its last lanes down.
template <class T>
HWY_INLINE RowVec<T> load_last(const T* HWY_RESTRICT p, std::size_t count) {
  if constexpr (kMaskedLoads) {
    return load_first(p, count);
  } else {
    // The source of byte i, by a window on this table: 0, 1, ..., 15 and then none.
    static constexpr auto kBytes = [] {
      std::array<std::uint8_t, 32> bytes{};
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = i < 16 ? static_cast<std::uint8_t>(i) : 0x80;
      return bytes;
    }();
    const RowTag<T> tag;
    const hn::Repartition<std::uint8_t, RowTag<T>> byte_tag;
    const std::size_t missing = hn::Lanes(tag) - count;
    const auto from = hn::LoadU(byte_tag, kBytes.data() + missing * sizeof(T));
    const auto bytes = hn::BitCast(byte_tag, hn::LoadU(tag, p - missing));
    return hn::BitCast(tag, hn::TableLookupBytesOr0(bytes, from));
  }
}

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2
// Stores the first `count` lanes of v in pieces of half the lanes, a quarter, ...: the branches fall the same way for all rows.
template <class Tag, class V, class T>
HWY_INLINE void store_pieces(Tag /*tag*/, V v, T* HWY_RESTRICT p, std::size_t count) {
  if constexpr (hn::MaxLanes(Tag()) == 1) {
    if (count != 0) hn::StoreU(v, Tag(), p);
  } else {
    const hn::Half<Tag> half;
    constexpr std::size_t kHalf = hn::MaxLanes(hn::Half<Tag>());
    if ((count & kHalf) != 0) {
      hn::StoreU(hn::LowerHalf(half, v), half, p);
      store_pieces(half, hn::UpperHalf(half, v), p + kHalf, count - kHalf);
    } else {
      store_pieces(half, hn::LowerHalf(half, v), p, count);
    }
  }
}
#endif

// Stores the first `count` lanes of v at p.
template <class T>
HWY_INLINE void store_first(RowVec<T> v, T* HWY_RESTRICT p, std::size_t count) {
  const RowTag<T> tag;
#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2
  static_assert(!kMaskedStores);
  store_pieces(tag, v, p, count);
#else
  hn::BlendedStore(v, hn::FirstN(tag, count), tag, p);
#endif
}

// A sum in four interleaved chains, which hide the latency of the additions.
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

// The lanes of one vector of a row. Loads give zeros behind the end of the row, stores write only lanes that exist. FullLanes
// has no lanes behind the end, TailLanes has; body(lanes) is compiled for both.
template <class T>
struct FullLanes {
  std::size_t j;
  HWY_INLINE RowVec<T> load(const T* p) const { return hn::LoadU(RowTag<T>(), p + j); }
  HWY_INLINE void store(RowVec<T> v, T* p) const { hn::StoreU(v, RowTag<T>(), p + j); }
  // v, with zeros or with another vector's lanes behind the end of the row.
  HWY_INLINE RowVec<T> only(RowVec<T> v) const { return v; }
  HWY_INLINE RowVec<T> only_or(RowVec<T> v, RowVec<T>) const { return v; }
  // The lanes of `which` together with those behind the end.
  HWY_INLINE hn::Mask<RowTag<T>> or_behind_end(hn::Mask<RowTag<T>> which) const { return which; }
};
template <class T>
struct TailLanes {
  std::size_t j;
  std::size_t count;
  HWY_INLINE hn::Mask<RowTag<T>> exist() const { return hn::FirstN(RowTag<T>(), count); }
  HWY_INLINE RowVec<T> load(const T* p) const {
    if constexpr (kMaskedLoads) return load_first(p + j, count);
    return j >= hn::Lanes(RowTag<T>()) ? load_last(p + j, count) : load_first(p + j, count);
  }
  HWY_INLINE void store(RowVec<T> v, T* p) const { store_first(v, p + j, count); }
  HWY_INLINE RowVec<T> only(RowVec<T> v) const { return hn::IfThenElseZero(exist(), v); }
  HWY_INLINE RowVec<T> only_or(RowVec<T> v, RowVec<T> other) const { return hn::IfThenElse(exist(), v, other); }
  HWY_INLINE hn::Mask<RowTag<T>> or_behind_end(hn::Mask<RowTag<T>> which) const {
    return hn::Or(which, hn::Not(exist()));
  }
};

// The loop over a row: body(chain, lanes) for every vector, in order. The vectors of a chain follow each other four apart, so
// that sums in four chains (Sum4) do not wait for each other; the tail belongs to chain 3.
template <class T, class Body>
HWY_INLINE void for_each_lanes(std::size_t n, const Body& body) {
  const std::size_t count = hn::Lanes(RowTag<T>());
  std::size_t j = 0;
  for (; j + 4 * count <= n; j += 4 * count) {
    body(0, FullLanes<T>{j});
    body(1, FullLanes<T>{j + count});
    body(2, FullLanes<T>{j + 2 * count});
    body(3, FullLanes<T>{j + 3 * count});
  }
  if (j + count <= n) {
    body(0, FullLanes<T>{j});
    j += count;
    if (j + count <= n) {
      body(1, FullLanes<T>{j});
      j += count;
      if (j + count <= n) {
        body(2, FullLanes<T>{j});
        j += count;
      }
    }
  }
  if (j < n) body(3, TailLanes<T>{j, n - j});
}

// Whether the mean of u - u_1 must be corrected by the mean of u - u_1 - mean. In a long row whose u_1 lies far from the others
// (by more than their spread, |d|^2 = rho) the sums grow with every term, and so do their roundings.
template <class T>
HWY_INLINE bool is_rough_mean(T mean, T rho, std::size_t n) {
  constexpr std::size_t kLong = 1024;
  return n > kLong && static_cast<T>(n) * mean * mean > 3 * rho;
}

// sum(u - u_1 - mean)
template <class T>
HWY_INLINE T offset_beside(T mean, const T* HWY_RESTRICT u, std::size_t n) {
  const auto first_u = hn::Set(RowTag<T>(), u[0]);
  const auto taken = hn::Set(RowTag<T>(), mean);
  Sum4<T> sum;
  for_each_lanes<T>(n, [&](int k, auto lanes) SOFTRADIAL_LANES {
    sum.s[k] = hn::Add(sum.s[k], lanes.only(hn::Sub(hn::Sub(lanes.load(u), first_u), taken)));
  });
  return sum.total();
}

// Calls body(lanes) for a row, with full vectors that are aligned where the results go, at `to`. For rows that start anywhere,
// stores across two cache lines cost 5 % of both passes at dim 150. Only for passes without sums, whose grouping must not
// depend on an address. Without masked stores the part of a vector in front costs more than it saves.
template <class T, class Body>
HWY_INLINE void for_each_aligned_lanes(const T* to, std::size_t n, const Body& body) {
  const std::size_t count = hn::Lanes(RowTag<T>());
  const std::size_t before = (0 - reinterpret_cast<std::uintptr_t>(to) / sizeof(T)) % count;
  const std::size_t head = !kMaskedStores || n < 4 * count ? 0 : before;
  if (head > 0) body(TailLanes<T>{0, head});
  for_each_lanes<T>(n - head, [&](int, auto lanes) SOFTRADIAL_LANES {
    lanes.j += head;
    body(lanes);
  });
}

template <class Index>
inline constexpr auto kLaneNumbers = [] {
  std::array<Index, hn::MaxLanes(hn::ScalableTag<Index>())> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<Index>(i);
  return numbers;
}();

// 0, 1, 2 ... from a table, because hn::Iota is a loop through memory.
template <class Tag>
HWY_INLINE hn::Vec<Tag> lane_numbers(Tag tag) {
  return hn::LoadU(tag, kLaneNumbers<hn::TFromD<Tag>>.data());
}

// Finds the smallest index at which a value equals the target.
template <class T>
struct FirstIndex {
  using Tag = hn::RebindToSigned<RowTag<T>>;
  using Index = hn::TFromD<Tag>;
  static constexpr Index kNone = hwy::LimitsMax<Index>();

  RowVec<T> target;
  hn::Vec<Tag> none;
  hn::Vec<Tag> best;
  hn::Vec<Tag> lane;

  HWY_INLINE explicit FirstIndex(T value)
      : target(hn::Set(RowTag<T>(), value)), none(hn::Set(Tag(), kNone)), best(none), lane(lane_numbers(Tag())) {}
  // Looks at the values at j, j + 1, ...
  HWY_INLINE void take(std::size_t j, RowVec<T> values) {
    const auto hit = hn::RebindMask(Tag(), hn::Eq(values, target));
    const auto at = hn::Add(lane, hn::Set(Tag(), static_cast<Index>(j)));
    best = hn::Min(best, hn::IfThenElse(hit, at, none));
  }
  // Does the same with twice the index, plus 1 where d is negative.
  HWY_INLINE void take_signed(std::size_t j, RowVec<T> values, RowVec<T> d) {
    const auto hit = hn::RebindMask(Tag(), hn::Eq(values, target));
    const auto negative = hn::RebindMask(Tag(), hn::Lt(d, hn::Zero(RowTag<T>())));
    const auto at = hn::Add(lane, hn::Set(Tag(), static_cast<Index>(j)));
    const auto twice = hn::Add(hn::Add(at, at), hn::IfThenElseZero(negative, hn::Set(Tag(), Index{1})));
    best = hn::Min(best, hn::IfThenElse(hit, twice, none));
  }
  // The index that was found; 0 if no value was equal.
  HWY_INLINE std::size_t index() const {
    const auto least = hn::GetLane(hn::MinOfLanes(Tag(), best));
    return least == kNone ? 0 : static_cast<std::size_t>(least);
  }
};

// The indices of a row's lanes, vector by vector.
template <class T>
struct LaneIndex {
  using Tag = hn::RebindToSigned<RowTag<T>>;
  hn::Vec<Tag> at;

  HWY_INLINE LaneIndex() : at(lane_numbers(Tag())) {}

  // Moves to the next vector by an addition; a new number for all lanes would be three operations.
  HWY_INLINE void advance() { at = hn::Add(at, hn::Set(Tag(), static_cast<hn::TFromD<Tag>>(hn::Lanes(Tag())))); }
  HWY_INLINE void take_if(hn::Mask<RowTag<T>> which, const LaneIndex& other) {
    at = hn::IfThenElse(hn::RebindMask(Tag(), which), other.at, at);
  }
  // The indices in the lanes of `which`, the largest number in the others.
  HWY_INLINE hn::Vec<Tag> or_none(hn::Mask<RowTag<T>> which) const {
    return hn::IfThenElse(hn::RebindMask(Tag(), which), at, hn::Set(Tag(), hwy::LimitsMax<hn::TFromD<Tag>>()));
  }
};

// 1 / v for normal v with a normal reciprocal, to 2 ulp: what a division costs is most of the pass in single precision.
// Each step of Newton's method doubles the bits of the guess: 14 with AVX-512, 8 or more elsewhere.
HWY_INLINE RowVec<float> reciprocal_of(RowVec<float> v) {
  const auto two = hn::Set(RowTag<float>(), 2.0F);
  const auto guess = hn::ApproximateReciprocal(v);
  const auto better = hn::Mul(guess, hn::NegMulAdd(v, guess, two));
  if constexpr (HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86) return better;
  return hn::Mul(better, hn::NegMulAdd(v, better, two));
}
HWY_INLINE RowVec<double> reciprocal_of(RowVec<double> v) { return hn::Div(hn::Set(RowTag<double>(), 1.0), v); }

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
