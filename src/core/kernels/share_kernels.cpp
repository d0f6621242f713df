#include "kernels/share_kernels.hpp"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/share_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/simd_profile.hpp"
#include "kernels/simd_rows.hpp"
#include "ordinary_size.hpp"

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

  // 1 behind the end.
  template <class Lanes>
  HWY_INLINE RowVec<T> reach(const Lanes& lanes) const {
    return hn::Min(lanes.load_or_one(caps), total);
  }
  template <class Lanes>
  HWY_INLINE RowVec<T> offset(const Lanes& lanes) const {
    return lanes.only(hn::Sub(lanes.load(u), first_u));
  }
  // Zero behind the end.
  template <class Lanes>
  HWY_INLINE RowVec<T> direction(const Lanes& lanes, RowVec<T> reach) const {
    return lanes.only(hn::Sub(hn::Sub(lanes.load(u), first_u), hn::MulAdd(theta, reach, shift)));
  }
};

// The guarded reciprocal slacks, in units of 1 / reach; not resolvable where the guard would take a quarter of one.
template <class T>
struct ShareSlacks {
  T up;
  T down;
  bool resolvable;

  HWY_INLINE explicit ShareSlacks(T theta) {
    constexpr T kUlp = std::numeric_limits<T>::epsilon();
    const T above = (1 - theta) * (1 - 8 * kUlp) - kUlp;
    up = 1 / above;
    down = 1 / (theta * (1 - 9 * kUlp));
    resolvable = theta >= kSmallestSlack<T> && above >= T{0.75} * (1 - theta);
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
    // A minimum may drop a NaN; this one keeps that of a cap, and the sum is NaN then.
    const auto cap = lanes.load_or_one(row.caps);
    const auto r = hn::IfThenElse(hn::Ge(cap, row.total), row.total, cap);
    smallest = hn::Min(smallest, r);
    reach.s[k] = hn::Add(reach.s[k], lanes.only(r));
    offset.s[k] = hn::Add(offset.s[k], row.offset(lanes));
  });
  return {reach.total(), offset.total(), hn::GetLane(hn::MinOfLanes(tag, smallest))};
}

// rho, gamma and, with kActive, the active side.
template <bool kActive, class T>
HWY_INLINE T second_pass(const ShareRow<T>& row, const ShareSlacks<T>& slacks, std::size_t n, RowState<T>& state) {
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
    // Below the anchor: a lower side.
    const TailLanes<T> at{static_cast<std::size_t>(state.active), 1};
    if (hn::GetLane(row.direction(at, row.reach(at))) < 0) state.active += static_cast<std::int32_t>(n);
  }
  return gamma;
}

template <class T, class Profile>
HWY_INLINE std::size_t project_rows_with(const Profile& profile_at, const ShareMap<T>& map, const ShareRows<T>& sets,
                                         Rows<const T> u, Rows<T> x, RowStatus* status, RowState<T>* state) {
  const RowTag<T> tag;
  const std::size_t n = map.dim;
  const T inverse_dim = T{1} / static_cast<T>(n);
  for (std::size_t i = 0; i < u.count(); ++i) {
    const T total = *sets.total.row(i);
    ShareRow<T> row(u.row(i), sets.caps.row(i), total, 0, 0);
    const FirstSums<T> sums = first_pass(row, n);
    RowState<T> at;
    const T theta = total / sums.reach;
    const ShareSlacks<T> slacks(theta);
    T* const out = x.row(i);
    if (!(theta < 1 && sums.smallest >= kSmallestSlack<T>) || !slacks.resolvable) {
      status[i] = RowStatus::no_interior;
      for (std::size_t j = 0; j < n; ++j) out[j] = std::numeric_limits<T>::quiet_NaN();
      continue;
    }
    at.gamma = theta;
    at.shift = (sums.offset - total) * inverse_dim;
    row.theta = hn::Set(tag, theta);
    row.shift = hn::Set(tag, at.shift);
    const T gamma = state != nullptr ? second_pass<true>(row, slacks, n, at) : second_pass<false>(row, slacks, n, at);
    if (!(at.rho < kLargestRho<T>)) return i;
    status[i] = RowStatus::ok;
    if (state != nullptr) state[i] = at;
    const auto phi = hn::Set(tag, profile_at(at.rho, gamma).phi);
    for_each_aligned_lanes(out, n, [&](auto lanes) SOFTRADIAL_LANES {
      const auto reach = row.reach(lanes);
      lanes.store(hn::MulAdd(phi, row.direction(lanes, reach), hn::Mul(row.theta, reach)), out);
    });
  }
  return u.count();
}

template <class T>
HWY_INLINE std::size_t project_rows(const ShareMap<T>& map, const ShareRows<T>& sets, Rows<const T> u, Rows<T> x,
                                    RowStatus* status, RowState<T>* state) {
  std::size_t done = 0;
  with_profile<T>(map, [&](const auto& profile_at)
                           SOFTRADIAL_LANES { done = project_rows_with(profile_at, map, sets, u, x, status, state); });
  return done;
}

template <class T>
struct Cotangents {
  T* u;
  T* caps;   // null: not wanted
  T* total;  // null: not wanted
};

// With g = grad_x, grad_u = phi g + along d + constant, plus `normal` at the active coordinate a. The anchor's cotangent is
// h = g - grad_u, plus what the active slack gives at a. With R = sum(reach) the caps get theta (h - H), H = h.reach / R,
// and the products that this needs come from the first pass:
//   h.reach = (1 - phi) g.reach - along d.reach - constant R + (what h has besides at a) reach_a.
template <bool kData, class T, class Profile>
HWY_INLINE void vjp_row(const Profile& profile_at, const ShareRow<T>& row, std::size_t n, const T* g,
                        const RowState<T>& state, const Cotangents<T>& out) {
  const RowTag<T> tag;
  const T theta = state.gamma;
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
  const TailLanes<T> at_a{a, 1};
  const T reach_a = hn::GetLane(row.reach(at_a));
  const T d_a = hn::GetLane(row.direction(at_a, row.reach(at_a)));
  const ShareSlacks<T> slacks(theta);
  const T slope = (upper ? slacks.up : -slacks.down) / reach_a;  // d gamma / d d_a
  const T gamma = d_a * slope;
  const Scale<T> scale = profile_at(state.rho, gamma);
  const T along_d = d_g.total();
  const T along = state.rho > 0 ? scale.phi * (along_d / state.rho) * scale.e_rho : T{0};
  const T pull = gamma > 0 ? -scale.phi * along_d * scale.e_gamma : T{0};  // times 1 / slack: the slack's cotangent
  const T normal = gamma > 0 ? scale.phi * (along_d / gamma) * scale.e_gamma * slope : T{0};
  const T constant = -(scale.phi * g_sum.total() + normal) / static_cast<T>(n);

  const T reach_sum = total / theta;
  // Slacks: (1 - theta) reach_a above, theta reach_a below; their cotangents q pull at the cap and at the anchor.
  const T q = pull * (upper ? slope : -slope);
  const T besides = -normal - (upper ? q : -q);
  const T h_reach =
      kData ? (1 - scale.phi) * g_reach.total() - along * d_reach.total() - constant * reach_sum + besides * reach_a
            : T{0};
  const T mean = h_reach / reach_sum;

  const auto phi_v = hn::Set(tag, scale.phi);
  const auto along_v = hn::Set(tag, along);
  const auto constant_v = hn::Set(tag, constant);
  const auto mean_v = hn::Set(tag, mean);
  Sum4<T> uncapped;
  const auto apply = [&](int k, auto lanes) SOFTRADIAL_LANES {
    const auto reach = row.reach(lanes);
    const auto v = lanes.load(g);
    const auto value = hn::MulAdd(phi_v, v, hn::MulAdd(along_v, row.direction(lanes, reach), constant_v));
    lanes.store(value, out.u);
    if constexpr (kData) {
      const auto grad_reach = hn::Mul(row.theta, hn::Sub(hn::Sub(v, value), mean_v));
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
  out.u[a] += normal;
  if constexpr (!kData) return;
  const T at_reach = theta * besides + (upper ? q : T{0});
  const bool capped = row.caps[a] <= total;
  if (out.caps != nullptr && capped) out.caps[a] += at_reach;
  if (out.total != nullptr) *out.total = mean + uncapped.total() + (capped ? T{0} : at_reach);
}

template <class T>
HWY_INLINE std::size_t vjp_rows(const ShareMap<T>& map, const ShareRows<T>& sets, Rows<const T> u, Rows<const T> grad_x,
                                const RowStatus* status, const RowState<T>* state, Rows<T> grad_u, Rows<T> grad_caps,
                                Rows<T> grad_total) {
  const bool wants_data = grad_caps.data() != nullptr || grad_total.data() != nullptr;
  std::size_t i = 0;
  with_profile<T>(map, [&](const auto& profile_at) SOFTRADIAL_LANES {
    for (; i < u.count(); ++i) {
      if (status[i] != RowStatus::ok || !(state[i].rho < kLargestRho<T>)) return;
      const ShareRow<T> row(u.row(i), sets.caps.row(i), *sets.total.row(i), state[i].gamma, state[i].shift);
      const Cotangents<T> out{grad_u.row(i), grad_caps.data() != nullptr ? grad_caps.row(i) : nullptr,
                              grad_total.data() != nullptr ? grad_total.row(i) : nullptr};
      if (wants_data) {
        vjp_row<true>(profile_at, row, map.dim, grad_x.row(i), state[i], out);
      } else {
        vjp_row<false>(profile_at, row, map.dim, grad_x.row(i), state[i], out);
      }
    }
  });
  return i;
}

std::size_t project_shares_f32(const ShareMap<float>& map, const ShareRows<float>& sets, Rows<const float> u,
                               Rows<float> x, RowStatus* status, RowState<float>* state) {
  return project_rows(map, sets, u, x, status, state);
}
std::size_t project_shares_f64(const ShareMap<double>& map, const ShareRows<double>& sets, Rows<const double> u,
                               Rows<double> x, RowStatus* status, RowState<double>* state) {
  return project_rows(map, sets, u, x, status, state);
}
std::size_t shares_vjp_f32(const ShareMap<float>& map, const ShareRows<float>& sets, Rows<const float> u,
                           Rows<const float> grad_x, const RowStatus* status, const RowState<float>* state,
                           Rows<float> grad_u, Rows<float> grad_caps, Rows<float> grad_total) {
  return vjp_rows(map, sets, u, grad_x, status, state, grad_u, grad_caps, grad_total);
}
std::size_t shares_vjp_f64(const ShareMap<double>& map, const ShareRows<double>& sets, Rows<const double> u,
                           Rows<const double> grad_x, const RowStatus* status, const RowState<double>* state,
                           Rows<double> grad_u, Rows<double> grad_caps, Rows<double> grad_total) {
  return vjp_rows(map, sets, u, grad_x, status, state, grad_u, grad_caps, grad_total);
}

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(project_shares_f32);
HWY_EXPORT(project_shares_f64);
HWY_EXPORT(shares_vjp_f32);
HWY_EXPORT(shares_vjp_f64);

std::size_t project_shares(const ShareMap<float>& map, const ShareRows<float>& sets, Rows<const float> u, Rows<float> x,
                           RowStatus* status, RowState<float>* state) noexcept {
  return HWY_DYNAMIC_DISPATCH(project_shares_f32)(map, sets, u, x, status, state);
}
std::size_t project_shares(const ShareMap<double>& map, const ShareRows<double>& sets, Rows<const double> u,
                           Rows<double> x, RowStatus* status, RowState<double>* state) noexcept {
  return HWY_DYNAMIC_DISPATCH(project_shares_f64)(map, sets, u, x, status, state);
}
std::size_t shares_vjp(const ShareMap<float>& map, const ShareRows<float>& sets, Rows<const float> u,
                       Rows<const float> grad_x, const RowStatus* status, const RowState<float>* state,
                       Rows<float> grad_u, Rows<float> grad_caps, Rows<float> grad_total) noexcept {
  return HWY_DYNAMIC_DISPATCH(shares_vjp_f32)(map, sets, u, grad_x, status, state, grad_u, grad_caps, grad_total);
}
std::size_t shares_vjp(const ShareMap<double>& map, const ShareRows<double>& sets, Rows<const double> u,
                       Rows<const double> grad_x, const RowStatus* status, const RowState<double>* state,
                       Rows<double> grad_u, Rows<double> grad_caps, Rows<double> grad_total) noexcept {
  return HWY_DYNAMIC_DISPATCH(shares_vjp_f64)(map, sets, u, grad_x, status, state, grad_u, grad_caps, grad_total);
}

}  // namespace softradial::kernels
#endif  // HWY_ONCE
