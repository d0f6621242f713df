#include "kernels/ray_kernels.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ray_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "guard.hpp"
#include "kernels/simd_profile.hpp"
#include "kernels/simd_rows.hpp"
#include "ray_cotangent.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {

// d.g
template <class T>
HWY_INLINE T along_ray(const T* u, const T* u0, const T* g, std::size_t n) {
  Sum4<T> along;
  for_each_lanes<T>(n, [&](int k, auto lanes) SOFTRADIAL_LANES {
    along.s[k] = hn::MulAdd(hn::Sub(lanes.load(u), lanes.load(u0)), lanes.load(g), along.s[k]);
  });
  return along.total();
}

template <class T>
std::size_t rays_vjp_rows(const RayMap<T>& map, Rows<const T> anchor, Rows<const T> u, Rows<const T> grad_x,
                          const RowState<T>* state, const RayNormal<T>* normals, Rows<T> grad_u, T* pull) noexcept {
  const RowTag<T> tag;
  const std::size_t n = u.dim();
  std::size_t i = 0;
  const ProfileAt<T, RayMap<T>> profile_at(map);
  for (; i < u.count(); ++i) {
    const RayState<T> at = unpack<RayState>(state[i]);
    if (!(at.rho < guard::kLargestRho<T>)) return i;
    const T* const row = u.row(i);
    const T* const u0 = anchor.row(i);
    const T* const g = grad_x.row(i);
    T* const out = grad_u.row(i);
    const T norm = std::sqrt(at.rho);
    const T gamma = at.gamma + at.kappa * norm;
    const Scale<T> scale = profile_at(at.rho, gamma);
    const T along = along_ray(row, u0, g, n);
    const auto terms = ray_cotangent<T>({scale.phi, scale}, at.rho, gamma, along, at.kappa, norm);
    if (pull != nullptr) pull[i] = gamma > 0 ? terms.pull * (at.gamma / gamma) : T{0};
    const auto phi_v = hn::Set(tag, terms.phi);
    const auto radial_v = hn::Set(tag, terms.radial);
    const auto normal_v = hn::Set(tag, terms.normal * normals[i].weight);
    const auto value = [&](auto lanes) SOFTRADIAL_LANES {
      const auto d = hn::Sub(lanes.load(row), lanes.load(u0));
      return hn::MulAdd(radial_v, d, hn::Mul(phi_v, lanes.load(g)));
    };
    if (const T* const across = normals[i].row) {
      for_each_aligned_lanes(out, n, [&](auto lanes) SOFTRADIAL_LANES {
        lanes.store(hn::MulAdd(normal_v, lanes.load(across), value(lanes)), out);
      });
    } else {
      for_each_aligned_lanes(out, n, [&](auto lanes) SOFTRADIAL_LANES { lanes.store(value(lanes), out); });
    }
  }
  return i;
}

template <class T>
constexpr RayKernels<T> kRayKernels{.vjp = rays_vjp_rows<T>};
const RayKernels<float>& ray_kernels_f32() { return kRayKernels<float>; }
const RayKernels<double>& ray_kernels_f64() { return kRayKernels<double>; }

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(ray_kernels_f32);
HWY_EXPORT(ray_kernels_f64);
template <>
const RayKernels<float>& RayKernels<float>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(ray_kernels_f32)();
}
template <>
const RayKernels<double>& RayKernels<double>::choose() noexcept {
  return HWY_DYNAMIC_DISPATCH(ray_kernels_f64)();
}

}  // namespace softradial::kernels
#endif  // HWY_ONCE
