#include "sets/coordinates/coordinate_kernels.hpp"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sets/coordinates/coordinate_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "guard.hpp"
#include "kernels/simd_profile.hpp"
#include "kernels/simd_rows.hpp"
#include "ray_cotangent.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {

// Per-coordinate data, or one number for all coordinates. Lanes behind the row are zero or that number.
template <bool kUniform, class T>
struct Coordinates {
  const T* p;
  RowVec<T> all;

  HWY_INLINE explicit Coordinates(const T* values) : p(values), all(hn::Set(RowTag<T>(), values[0])) {}
  template <class Lanes>
  HWY_INLINE RowVec<T> at(const Lanes& lanes) const {
    if constexpr (kUniform) return all;
    return lanes.load(p);
  }
};

// d of one row, vector by vector: the one definition that all passes share, so that they agree bit for bit.
template <bool kSum, bool kUniform, class T>
struct Direction {
  const T* u;
  Coordinates<kUniform, T> anchor;
  RowVec<T> first_u;
  RowVec<T> shift;

  HWY_INLINE Direction(const CoordinateData<T>& data, const T* row, T shift_of_row)
      : u(row), anchor(data.anchor), first_u(hn::Set(RowTag<T>(), row[0])), shift(hn::Set(RowTag<T>(), shift_of_row)) {}

  // Lanes behind the end of the row are zero.
  template <class Lanes>
  HWY_INLINE RowVec<T> at(const Lanes& lanes) const {
    const auto v = lanes.load(u);
    if constexpr (!kSum) {
      return lanes.only(hn::Sub(v, anchor.at(lanes)));
    } else if constexpr (kUniform) {
      return lanes.only(hn::Sub(hn::Sub(v, first_u), shift));
    } else {
      return lanes.only(hn::Sub(hn::Sub(v, first_u), hn::Add(anchor.at(lanes), shift)));
    }
  }
};

// mean(u - u_1)
template <class T>
HWY_INLINE T mean_offset(const CoordinateData<T>& data, const T* HWY_RESTRICT u) {
  const auto first_u = hn::Set(RowTag<T>(), u[0]);
  Sum4<T> sum;
  for_each_lanes<T>(data.dim, [&](int k, auto lanes) SOFTRADIAL_LANES {
    sum.s[k] = hn::Add(sum.s[k], lanes.only(hn::Sub(lanes.load(u), first_u)));
  });
  return sum.total() * data.inverse_dim;
}

// max(d up, -d down): the gauge of each coordinate alone.
template <class T>
HWY_INLINE RowVec<T> side(RowVec<T> d, RowVec<T> up, RowVec<T> down) {
  return hn::Max(hn::Mul(d, up), hn::Mul(hn::Neg(d), down));
}

// |d|^2, by a separate pass.
template <bool kSum, bool kUniform, class T>
HWY_INLINE T squared_length(const Direction<kSum, kUniform, T>& direction, std::size_t n) {
  Sum4<T> rho;
  for_each_lanes<T>(n, [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto d = direction.at(lanes);
    rho.s[k] = hn::MulAdd(d, d, rho.s[k]);
  });
  return rho.total();
}

// rho, gamma and shift of a row, and how to recognise its active coordinate.
template <class T>
struct Reduced {
  CoordinateState<T> state;
  T target;    // d of the active coordinate where the data are uniform, its gamma otherwise
  bool upper;  // which side it is; known here where the data are uniform
};

// For one anchor and one cap: a single pass. With e = u - u_1 (or u - u0 if there is no sum constraint) it takes the sum, the
// squares and the extremes of e together; then shift = mean(e), |d|^2 = |e|^2 - n shift^2, max d = max e - shift, exactly
// as the other passes see it since rounding is monotone. Where u_1 is so far off that the difference cancels by more than
// a factor of 4, |d|^2 is summed again.
template <bool kSum, class T>
HWY_INLINE Reduced<T> reduce_uniform_row(const CoordinateData<T>& data, const T* HWY_RESTRICT u) {
  const RowTag<T> tag;
  CoordinateState<T> state;
  const auto origin = hn::Set(tag, kSum ? u[0] : data.anchor[0]);
  Sum4<T> sum;
  Sum4<T> squares;
  RowVec<T> high[2] = {hn::Zero(tag), hn::Zero(tag)};
  RowVec<T> low[2] = {hn::Zero(tag), hn::Zero(tag)};
  for_each_lanes<T>(data.dim, [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto e = lanes.only(hn::Sub(lanes.load(u), origin));
    if constexpr (kSum) sum.s[k] = hn::Add(sum.s[k], e);
    squares.s[k] = hn::MulAdd(e, e, squares.s[k]);
    high[k & 1] = hn::Max(high[k & 1], e);
    low[k & 1] = hn::Min(low[k & 1], e);
  });
  const T highest = hn::GetLane(hn::MaxOfLanes(tag, hn::Max(high[0], high[1])));
  const T lowest = hn::GetLane(hn::MinOfLanes(tag, hn::Min(low[0], low[1])));
  const T total = kSum ? sum.total() : T{0};
  const T length = squares.total();
  state.shift = total * data.inverse_dim;
  state.rho = length - total * state.shift;
  if (kSum && !(4 * state.rho >= length)) {
    if (is_rough_mean(state.shift, state.rho, data.dim)) {
      state.shift += offset_beside(state.shift, u, data.dim) * data.inverse_dim;
    }
    state.rho = squared_length(Direction<kSum, true, T>(data, u, state.shift), data.dim);
  }
  // With a sum constraint zero is among the e (u_1 itself), so that the extremes are those of e; without one they are
  // floored at zero, as the gauge is.
  const T largest = highest - state.shift;
  const T smallest = lowest - state.shift;
  const T above = largest * data.up[0];
  const T below = -smallest * data.down[0];
  const bool upper = above >= below;
  state.gamma = upper ? above : below;
  return {state, upper ? largest : smallest, upper};
}

// For per-coordinate data: first the shift, then |d|^2 and the gauge together.
template <bool kSum, class T>
HWY_INLINE Reduced<T> reduce_general_row(const CoordinateData<T>& data, const T* HWY_RESTRICT u) {
  const RowTag<T> tag;
  CoordinateState<T> state;
  const auto reduce_at = [&](T mean) HWY_ATTR {
    state.shift = kSum ? mean - data.anchor_mean : T{0};
    const Direction<kSum, false, T> direction(data, u, state.shift);
    const Coordinates<false, T> up(data.up);
    const Coordinates<false, T> down(data.down);
    Sum4<T> rho;
    RowVec<T> gamma[2] = {hn::Zero(tag), hn::Zero(tag)};
    for_each_lanes<T>(data.dim, [&](int k, auto lanes) SOFTRADIAL_LANES {
      const auto d = direction.at(lanes);
      rho.s[k] = hn::MulAdd(d, d, rho.s[k]);
      gamma[k & 1] = hn::Max(gamma[k & 1], side<T>(d, up.at(lanes), down.at(lanes)));
    });
    state.gamma = hn::GetLane(hn::MaxOfLanes(tag, hn::Max(gamma[0], gamma[1])));
    state.rho = rho.total();
  };
  const T mean = kSum ? mean_offset(data, u) : T{0};
  reduce_at(mean);
  if (kSum && is_rough_mean(mean, state.rho, data.dim)) {
    reduce_at(mean + offset_beside(mean, u, data.dim) * data.inverse_dim);
  }
  return {state, state.gamma, false};
}

template <bool kSum, bool kUniform, class T>
HWY_INLINE Reduced<T> reduce_row(const CoordinateData<T>& data, const T* HWY_RESTRICT u) {
  if constexpr (kUniform) {
    return reduce_uniform_row<kSum>(data, u);
  } else {
    return reduce_general_row<kSum>(data, u);
  }
}

// x = u0 + phi d if kApply. With kActive, the same pass finds the active side for the state that it returns: without a
// branch in the loop, because a search that stops at its hit mispredicts once a row.
template <bool kSum, bool kUniform, bool kApply, bool kActive, class T>
HWY_INLINE CoordinateState<T> finish_row(const CoordinateData<T>& data, const T* u, const Reduced<T>& row, T phi,
                                         T* x) {
  const RowTag<T> tag;
  CoordinateState<T> state = row.state;
  const Direction<kSum, kUniform, T> direction(data, u, state.shift);
  const Coordinates<kUniform, T> anchor(data.anchor);
  const Coordinates<kUniform, T> up(data.up);
  const Coordinates<kUniform, T> down(data.down);
  const auto scale = hn::Set(tag, phi);
  FirstIndex<T> first(row.target);
  for_each_aligned_lanes(x, data.dim, [&](auto lanes) SOFTRADIAL_LANES {
    const auto d = direction.at(lanes);
    if constexpr (kActive && kUniform) first.take(lanes.j, d);
    if constexpr (kActive && !kUniform) first.take_signed(lanes.j, side<T>(d, up.at(lanes), down.at(lanes)), d);
    if constexpr (kApply) lanes.store(hn::MulAdd(scale, d, anchor.at(lanes)), x);
  });
  // x may be u: nothing is read again here.
  if constexpr (kActive) {
    const std::size_t found = state.gamma > 0 ? first.index() : 0;
    const std::size_t j = kUniform ? found : found / 2;
    const bool upper = !(state.gamma > 0) || (kUniform ? row.upper : found % 2 == 0);
    state.active = static_cast<std::int32_t>(upper ? j : data.dim + j);
  }
  return state;
}

template <bool kSum, bool kUniform, class T>
HWY_INLINE CoordinateState<T> state_of(const CoordinateData<T>& data, const T* u) {
  const auto row = reduce_row<kSum, kUniform>(data, u);
  return finish_row<kSum, kUniform, false, true, T>(data, u, row, T{0}, nullptr);
}

// d . grad_x, and mean(grad_x) with a sum constraint.
template <class T>
struct CotangentSums {
  T along_d;
  T mean;
};

template <bool kSum, bool kUniform, class T>
HWY_INLINE CotangentSums<T> reduce_vjp_row(const CoordinateData<T>& data, const T* u, const T* g,
                                           const CoordinateState<T>& state) {
  const Direction<kSum, kUniform, T> direction(data, u, state.shift);
  Sum4<T> along;
  Sum4<T> total;
  for_each_lanes<T>(data.dim, [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto v = lanes.load(g);
    along.s[k] = hn::MulAdd(direction.at(lanes), v, along.s[k]);
    if constexpr (kSum) total.s[k] = hn::Add(total.s[k], v);
  });
  return {along.total(), kSum ? total.total() * data.inverse_dim : T{0}};
}

// grad_u = phi grad_x + radial d + common, plus at_active at the active coordinate.
template <class T>
struct CotangentTerms {
  T phi;
  T radial;
  T common;
  T at_active;
};

// n has one entry, `slope` at the active coordinate. P takes the mean from phi g and from normal n; d has mean 0.
template <class T>
HWY_INLINE CotangentTerms<T> cotangent_terms(const CoordinateData<T>& data, const Scale<T>& at,
                                             const CoordinateState<T>& state, const CotangentSums<T>& sums) {
  const auto active = static_cast<std::size_t>(state.active);
  const std::size_t n = data.dim;
  const T slope = active < n ? data.up[data.uniform ? 0 : active] : -data.down[data.uniform ? 0 : active - n];
  const auto ray = ray_cotangent<T>({at.phi, at}, state.rho, state.gamma, sums.along_d);
  const T at_active = ray.normal * slope;
  return {ray.phi, ray.radial, data.sum ? -(ray.phi * sums.mean + at_active * data.inverse_dim) : T{0}, at_active};
}

template <bool kSum, bool kUniform, class T>
HWY_INLINE void apply_vjp_row(const CoordinateData<T>& data, const T* u, const T* g, const CoordinateState<T>& state,
                              const CotangentTerms<T>& terms, T* out) {
  const RowTag<T> tag;
  const Direction<kSum, kUniform, T> direction(data, u, state.shift);
  const auto phi = hn::Set(tag, terms.phi);
  const auto radial = hn::Set(tag, terms.radial);
  const auto common = hn::Set(tag, terms.common);
  for_each_aligned_lanes(out, data.dim, [&](auto lanes) SOFTRADIAL_LANES {
    lanes.store(hn::MulAdd(phi, lanes.load(g), hn::MulAdd(radial, direction.at(lanes), common)), out);
  });
  const auto active = static_cast<std::size_t>(state.active);
  out[active < data.dim ? active : active - data.dim] += terms.at_active;
}

// Runs pass(sum, uniform) with the set's two properties as compile-time constants.
template <class T, class Pass>
HWY_INLINE void with_properties(const CoordinateData<T>& data, const Pass& pass) {
  using Yes = std::true_type;
  using No = std::false_type;
  if (data.sum) {
    data.uniform ? pass(Yes{}, Yes{}) : pass(Yes{}, No{});
  } else {
    data.uniform ? pass(No{}, Yes{}) : pass(No{}, No{});
  }
}

template <class T>
void reduce_rows(const CoordinateData<T>& data, Rows<const T> u, CoordinateState<T>* state) noexcept {
  with_properties(data, [&](auto sum, auto uniform) SOFTRADIAL_LANES {
    for (std::size_t i = 0; i < u.count(); ++i) {
      state[i] = state_of<sum.value, uniform.value>(data, u.row(i));
    }
  });
}

// Goes row by row: the processor overlaps the end of one row with the start of the next on its own. Groups of eight rows, pass
// by pass, were a tenth slower.
template <class T>
std::size_t project_rows(const CoordinateMap<T>& map, Rows<const T> u, Rows<T> x, RowState<T>* state) noexcept {
  const CoordinateData<T>& data = map.data;
  std::size_t i = 0;
  const ProfileAt<T, CoordinateMap<T>> profile_at(map);
  with_properties(data, [&](auto sum, auto uniform) SOFTRADIAL_LANES {
    for (; i < u.count(); ++i) {
      const auto row = reduce_row<sum.value, uniform.value>(data, u.row(i));
      if (!(row.state.rho < guard::kLargestRho<T>)) return;
      const T phi = profile_at(row.state.rho, row.state.gamma).phi;
      if (state != nullptr) {
        state[i] = pack(finish_row<sum.value, uniform.value, true, true>(data, u.row(i), row, phi, x.row(i)));
      } else {
        finish_row<sum.value, uniform.value, true, false>(data, u.row(i), row, phi, x.row(i));
      }
    }
  });
  return i;
}

template <class T>
std::size_t project_vjp_rows(const CoordinateMap<T>& map, Rows<const T> u, Rows<const T> grad_x,
                             const RowState<T>* state, Rows<T> grad_u, T* along_d) noexcept {
  const CoordinateData<T>& data = map.data;
  std::size_t i = 0;
  const ProfileAt<T, CoordinateMap<T>> profile_at(map);
  with_properties(data, [&](auto sum, auto uniform) SOFTRADIAL_LANES {
    for (; i < u.count(); ++i) {
      CoordinateState<T> at;
      if (state != nullptr) {
        at = unpack<CoordinateState>(state[i]);
      } else {
        reduce_rows(data, u.slice(i, 1), &at);
      }
      if (!(at.rho < guard::kLargestRho<T>)) return;
      const Scale<T> scale = profile_at(at.rho, at.gamma);
      const auto sums = reduce_vjp_row<sum.value, uniform.value>(data, u.row(i), grad_x.row(i), at);
      if (along_d != nullptr) along_d[i] = sums.along_d;
      const auto terms = cotangent_terms(data, scale, at, sums);
      apply_vjp_row<sum.value, uniform.value>(data, u.row(i), grad_x.row(i), at, terms, grad_u.row(i));
    }
  });
  return i;
}

template <class T>
constexpr CoordinateKernels<T> kCoordinateKernels{
    .reduce = reduce_rows<T>, .project = project_rows<T>, .project_vjp = project_vjp_rows<T>};
const CoordinateKernels<float>& coordinate_kernels_f32() { return kCoordinateKernels<float>; }
const CoordinateKernels<double>& coordinate_kernels_f64() { return kCoordinateKernels<double>; }

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(coordinate_kernels_f32);
HWY_EXPORT(coordinate_kernels_f64);
template <>
const CoordinateKernels<float>& CoordinateKernels<float>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(coordinate_kernels_f32)();
}
template <>
const CoordinateKernels<double>& CoordinateKernels<double>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(coordinate_kernels_f64)();
}

}  // namespace softradial::kernels
#endif  // HWY_ONCE
