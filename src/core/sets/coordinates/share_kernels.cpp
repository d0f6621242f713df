#include "sets/coordinates/share_kernels.hpp"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sets/coordinates/share_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/simd_guard.hpp"
#include "kernels/simd_profile.hpp"
#include "kernels/simd_rows.hpp"
#include "ray_cotangent.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {

// One row: its caps, its anchor, and d by the one formula that all passes use.
template <class T>
struct ShareRow {
  const T* u;
  const T* caps;
  RowVec<T> first_u;
  RowVec<T> total;
  RowVec<T> theta;
  RowVec<T> shift;

  HWY_INLINE ShareRow(const T* row, const T* caps_of_row, T total_of_row, T theta_of_row, T shift_of_row)
      : u(row),
        caps(caps_of_row),
        first_u(hn::Set(RowTag<T>(), row[0])),
        total(hn::Set(RowTag<T>(), total_of_row)),
        theta(hn::Set(RowTag<T>(), theta_of_row)),
        shift(hn::Set(RowTag<T>(), shift_of_row)) {}

  // Lanes behind the end of the row hold 1.
  template <class Lanes>
  HWY_INLINE RowVec<T> cap(const Lanes& lanes) const {
    return lanes.only_or(lanes.load(caps), hn::Set(RowTag<T>(), T{1}));
  }
  template <class Lanes>
  HWY_INLINE RowVec<T> reach(const Lanes& lanes) const {
    return hn::Min(cap(lanes), total);
  }
  template <class Lanes>
  HWY_INLINE RowVec<T> offset(const Lanes& lanes) const {
    return lanes.only(hn::Sub(lanes.load(u), first_u));
  }
  // Lanes behind the end of the row are zero.
  template <class Lanes>
  HWY_INLINE RowVec<T> direction(const Lanes& lanes, RowVec<T> reach) const {
    return lanes.only(hn::Sub(hn::Sub(lanes.load(u), first_u), hn::MulAdd(theta, reach, shift)));
  }

  // reach and d at one coordinate, computed on vectors of one lane with the same roundings as in the loops.
  struct Coordinate {
    T reach;
    T d;
  };
  HWY_INLINE Coordinate at(std::size_t j) const {
    const hn::CappedTag<T, 1> one;
    const auto only = [&](RowVec<T> v) HWY_ATTR { return hn::Set(one, hn::GetLane(v)); };
    const auto reach = hn::Min(hn::LoadU(one, caps + j), only(total));
    const auto d = hn::Sub(hn::Sub(hn::LoadU(one, u + j), only(first_u)), hn::MulAdd(only(theta), reach, only(shift)));
    return {hn::GetLane(reach), hn::GetLane(d)};
  }
};

template <class T>
struct FirstSums {
  T reach;
  T offset;
  T smallest;
};

template <class T>
HWY_INLINE FirstSums<T> first_pass(const ShareRow<T>& row, std::size_t n) {
  const RowTag<T> tag;
  Sum4<T> reach;
  Sum4<T> offset;
  auto smallest = row.total;
  for_each_lanes<T>(n, [&](int k, auto lanes) SOFTRADIAL_LANES {
    // A minimum may drop a NaN. This form keeps a cap's NaN, and then the sum is NaN, too.
    const auto cap = row.cap(lanes);
    const auto r = hn::IfThenElse(hn::Ge(cap, row.total), row.total, cap);
    smallest = hn::Min(smallest, r);
    reach.s[k] = hn::Add(reach.s[k], lanes.only(r));
    offset.s[k] = hn::Add(offset.s[k], row.offset(lanes));
  });
  return {reach.total(), offset.total(), hn::GetLane(hn::MinOfLanes(tag, smallest))};
}

// Returns gamma. Writes rho and, with kActive, the active side to the state.
template <bool kActive, class T>
HWY_INLINE T second_pass(const ShareRow<T>& row, const guard::ShareSlacks<T>& slacks, std::size_t n,
                         ShareState<T>& state) {
  const RowTag<T> tag;
  const auto up = hn::Set(tag, slacks.up);
  const auto down = hn::Set(tag, -slacks.down);
  Sum4<T> rho;
  RowVec<T> best[2] = {hn::Zero(tag), hn::Zero(tag)};
  LaneIndex<T> where[2];
  LaneIndex<T> here;
  for_each_lanes<T>(n, [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto reach = row.reach(lanes);
    const auto d = row.direction(lanes, reach);
    rho.s[k] = hn::MulAdd(d, d, rho.s[k]);
    const auto share = hn::Mul(d, reciprocal_of(reach));
    const auto value = hn::Max(hn::Mul(share, up), hn::Mul(share, down));
    if constexpr (kActive) {
      const auto larger = hn::Gt(value, best[k & 1]);
      where[k & 1].take_if(larger, here);
      here.advance();
    }
    best[k & 1] = hn::Max(value, best[k & 1]);
  });
  const auto most = hn::MaxOfLanes(tag, hn::Max(best[0], best[1]));
  const T gamma = hn::GetLane(most);
  state.rho = rho.total();
  if constexpr (kActive) {
    const auto first = hn::Min(where[0].or_none(hn::Eq(best[0], most)), where[1].or_none(hn::Eq(best[1], most)));
    state.active =
        gamma > 0 ? static_cast<std::int32_t>(hn::GetLane(hn::MinOfLanes(typename LaneIndex<T>::Tag(), first))) : 0;
    // A negative d points to a lower side.
    if (row.at(static_cast<std::size_t>(state.active)).d < 0) state.active += static_cast<std::int32_t>(n);
  }
  return gamma;
}

template <class T, class Profile>
HWY_INLINE std::size_t project_rows_with(const Profile& profile_at, const ShareMap<T>& map, const ShareRows<T>& sets,
                                         Rows<const T> u, Rows<T> x, RowStatus* status, RowState<T>* state) {
  const RowTag<T> tag;
  const std::size_t n = map.dim;
  const T inverse_dim = T{1} / static_cast<T>(n);
  const auto row_at = [&](std::size_t i)
                          HWY_ATTR { return ShareRow<T>(u.row(i), sets.caps.row(i), *sets.total.row(i), 0, 0); };
  if (u.count() == 0) return 0;
  FirstSums<T> next = first_pass(row_at(0), n);
  for (std::size_t i = 0; i < u.count(); ++i) {
    const T total = *sets.total.row(i);
    ShareRow<T> row = row_at(i);
    const FirstSums<T> sums = next;
    const T theta = total / sums.reach;
    const guard::ShareSlacks<T> slacks = guard::share_slacks(theta);
    T* const out = x.row(i);
    const bool interior = theta < 1 && sums.smallest >= guard::kSmallestSlack<T> && slacks.resolvable;
    ShareState<T> at{.theta = theta, .shift = (sums.offset - total) * inverse_dim};
    row.theta = hn::Set(tag, theta);
    row.shift = hn::Set(tag, at.shift);
    const auto gauge = [&]() HWY_ATTR {
      return state != nullptr ? second_pass<true>(row, slacks, n, at) : second_pass<false>(row, slacks, n, at);
    };
    T gamma = gauge();
    if (const T mean = sums.offset * inverse_dim; is_rough_mean(mean, at.rho, n)) {
      at.shift += offset_beside(mean, u.row(i), n) * inverse_dim;
      row.shift = hn::Set(tag, at.shift);
      gamma = gauge();
    }
    // The next row's first pass depends on nothing here: the processor does it while it waits for this row's sums.
    if (i + 1 < u.count()) next = first_pass(row_at(i + 1), n);
    if (!interior) {
      status[i] = RowStatus::no_interior;
      for (std::size_t j = 0; j < n; ++j) out[j] = std::numeric_limits<T>::quiet_NaN();
      continue;
    }
    if (!(at.rho < guard::kLargestRho<T>)) return i;
    status[i] = RowStatus::ok;
    if (state != nullptr) state[i] = pack(at);
    const auto phi = hn::Set(tag, profile_at(at.rho, gamma).phi);
    for_each_aligned_lanes(out, n, [&](auto lanes) SOFTRADIAL_LANES {
      const auto reach = row.reach(lanes);
      lanes.store(hn::MulAdd(phi, row.direction(lanes, reach), hn::Mul(row.theta, reach)), out);
    });
  }
  return u.count();
}

template <class T>
std::size_t project_share_rows(const ShareMap<T>& map, const ShareRows<T>& sets, Rows<const T> u, Rows<T> x,
                               RowStatus* status, RowState<T>* state) noexcept {
  return project_rows_with(ProfileAt<T, ShareMap<T>>(map), map, sets, u, x, status, state);
}

template <class T>
struct Cotangents {
  T* u;
  T* caps;   // null: not wanted
  T* total;  // null: not wanted
};

// The cotangents of one row. g = grad_x, n = dim, a is the active coordinate, R = sum(reach).
//
// u: grad gamma(d) has one entry, slope = d gamma / d d_a, and P takes the mean from phi g and normal grad gamma; d has none:
//   grad_u = phi g + radial d + common 1 + at_active e_a
//   at_active = normal slope,   common = -(phi sum(g) + at_active) / n
//
// The active slack s is reach_a - u0_a on an upper side and u0_a on a lower one; its cotangent is the number slack_grad. The
// anchor gets -slack_grad or +slack_grad of it at a, and on an upper side the reach gets slack_grad too.
//
// Anchor, since x = u0 + phi d and d = P (u - u0):
//   h = g - grad_u -+ slack_grad e_a
//     = (g - (phi g + radial d + common 1)) + h_active e_a,   h_active = -at_active -+ slack_grad
//
// Data, through u0 = theta reach, theta = total / R (docs/math/vjp.md, with lower = 0 and spare = total):
//   grad reach = theta (h - H 1),   H = h.reach / R
//   grad cap_j = grad reach_j where cap_j <= total;   grad total = H + the sum of the other grad reach_j
// H is needed before h is formed: its terms are summed by the first pass,
//   h.reach = (1 - phi) g.reach - radial d.reach - common R + h_active reach_a.
// The last pass writes everything except the terms at a, which are added at the end:
//   at_active to grad_u_a,   reach_active = theta h_active (on an upper side plus slack_grad) to grad reach_a.
template <bool kData, class T, class Profile>
HWY_INLINE void vjp_row(const Profile& profile_at, const ShareRow<T>& row, std::size_t n, const T* g,
                        const ShareState<T>& state, const Cotangents<T>& out) {
  const RowTag<T> tag;
  const T total = hn::GetLane(row.total);
  Sum4<T> d_g;
  Sum4<T> g_sum;
  Sum4<T> g_reach;
  Sum4<T> d_reach;
  for_each_lanes<T>(n, [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto reach = row.reach(lanes);
    const auto d = row.direction(lanes, reach);
    const auto v = lanes.load(g);
    d_g.s[k] = hn::MulAdd(d, v, d_g.s[k]);
    g_sum.s[k] = hn::Add(g_sum.s[k], v);
    if constexpr (kData) {
      g_reach.s[k] = hn::MulAdd(v, reach, g_reach.s[k]);
      d_reach.s[k] = hn::MulAdd(d, reach, d_reach.s[k]);
    }
  });

  const bool upper = static_cast<std::size_t>(state.active) < n;
  const std::size_t a = static_cast<std::size_t>(state.active) - (upper ? 0 : n);
  const auto [reach_a, d_a] = row.at(a);
  const guard::ShareSlacks<T> slacks = guard::share_slacks(state.theta);
  const T slope = (upper ? slacks.up : -slacks.down) / reach_a;
  const T gamma = d_a * slope;
  const Scale<T> scale = profile_at(state.rho, gamma);
  const T along_d = d_g.total();
  const auto ray = ray_cotangent<T>({scale.phi, scale}, state.rho, gamma, along_d);
  const T at_active = ray.normal * slope;
  const T common = -(ray.phi * g_sum.total() + at_active) / static_cast<T>(n);

  const T reach_sum = total / state.theta;
  const T slack_grad = slack_cotangent(scale, gamma, along_d, upper ? slope : -slope);
  const T h_active = -at_active - (upper ? slack_grad : -slack_grad);
  const T h_reach =
      kData ? (1 - ray.phi) * g_reach.total() - ray.radial * d_reach.total() - common * reach_sum + h_active * reach_a
            : T{0};
  const T h_mean = h_reach / reach_sum;  // H

  const auto phi_v = hn::Set(tag, ray.phi);
  const auto radial_v = hn::Set(tag, ray.radial);
  const auto common_v = hn::Set(tag, common);
  const auto h_mean_v = hn::Set(tag, h_mean);
  Sum4<T> uncapped;
  const auto apply = [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto reach = row.reach(lanes);
    const auto v = lanes.load(g);
    const auto value = hn::MulAdd(phi_v, v, hn::MulAdd(radial_v, row.direction(lanes, reach), common_v));
    lanes.store(value, out.u);
    if constexpr (kData) {
      const auto grad_reach = hn::Mul(row.theta, hn::Sub(hn::Sub(v, value), h_mean_v));
      const auto capped = hn::Le(lanes.load(row.caps), row.total);
      uncapped.s[k] = hn::Add(uncapped.s[k], lanes.only(hn::IfThenZeroElse(capped, grad_reach)));
      if (out.caps != nullptr) lanes.store(hn::IfThenElseZero(capped, grad_reach), out.caps);
    }
  };
  if constexpr (kData) {
    for_each_lanes<T>(n, apply);
  } else {
    for_each_aligned_lanes(out.u, n, [&](auto lanes) SOFTRADIAL_LANES { apply(0, lanes); });
  }
  out.u[a] += at_active;
  if constexpr (!kData) return;
  const T reach_active = state.theta * h_active + (upper ? slack_grad : T{0});
  const bool capped = row.caps[a] <= total;
  if (out.caps != nullptr && capped) out.caps[a] += reach_active;
  if (out.total != nullptr) *out.total = h_mean + uncapped.total() + (capped ? T{0} : reach_active);
}

template <class T>
std::size_t vjp_share_rows(const ShareMap<T>& map, const ShareRows<T>& sets, Rows<const T> u, Rows<const T> grad_x,
                           const RowStatus* status, const RowState<T>* state, Rows<T> grad_u, Rows<T> grad_caps,
                           Rows<T> grad_total) noexcept {
  const bool wants_data = grad_caps.given() || grad_total.given();
  std::size_t i = 0;
  const ProfileAt<T, ShareMap<T>> profile_at(map);
  for (; i < u.count(); ++i) {
    if (status[i] != RowStatus::ok || !(state[i].rho < guard::kLargestRho<T>)) return i;
    const ShareState<T> at = unpack<ShareState>(state[i]);
    const ShareRow<T> row(u.row(i), sets.caps.row(i), *sets.total.row(i), at.theta, at.shift);
    const Cotangents<T> out{grad_u.row(i), grad_caps.given() ? grad_caps.row(i) : nullptr,
                            grad_total.given() ? grad_total.row(i) : nullptr};
    if (wants_data) {
      vjp_row<true>(profile_at, row, map.dim, grad_x.row(i), at, out);
    } else {
      vjp_row<false>(profile_at, row, map.dim, grad_x.row(i), at, out);
    }
  }
  return i;
}

template <class T>
constexpr ShareKernels<T> kShareKernels{.project = project_share_rows<T>, .vjp = vjp_share_rows<T>};
const ShareKernels<float>& share_kernels_f32() { return kShareKernels<float>; }
const ShareKernels<double>& share_kernels_f64() { return kShareKernels<double>; }

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(share_kernels_f32);
HWY_EXPORT(share_kernels_f64);
template <>
const ShareKernels<float>& ShareKernels<float>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(share_kernels_f32)();
}
template <>
const ShareKernels<double>& ShareKernels<double>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(share_kernels_f64)();
}

}  // namespace softradial::kernels
#endif  // HWY_ONCE
