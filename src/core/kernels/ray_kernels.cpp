#include "kernels/ray_kernels.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ray_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/simd_profile.hpp"
#include "kernels/simd_rows.hpp"
#include "ordinary_size.hpp"

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
HWY_INLINE std::size_t vjp_rows(const RayMap<T>& map, Rows<const T> anchor, Rows<const T> u, Rows<const T> grad_x,
                                const RowState<T>* state, const RayNormal<T>* normals, Rows<T> grad_u, T* gauge) {
  const RowTag<T> tag;
  const std::size_t n = u.dim();
  std::size_t i = 0;
  with_profile<T>(map, [&](const auto& profile_at) SOFTRADIAL_LANES {
    for (; i < u.count(); ++i) {
      const T rho = state[i].rho;
      if (!(rho < kLargestRho<T>)) return;
      const T* const row = u.row(i);
      const T* const u0 = anchor.row(i);
      const T* const g = grad_x.row(i);
      T* const out = grad_u.row(i);
      const T norm = std::sqrt(rho);
      const T kappa = state[i].shift;
      const T gamma = state[i].gamma + kappa * norm;
      const Scale<T> scale = profile_at(rho, gamma);
      const T along = along_ray(row, u0, g, n);
      const T c = gamma > 0 ? scale.phi * (along / gamma) * scale.e_gamma : T{0};
      const T radial = rho > 0 ? scale.phi * (along / rho) * scale.e_rho + c * (kappa / norm) : T{0};
      if (gauge != nullptr) gauge[i] = c;
      const auto phi_v = hn::Set(tag, scale.phi);
      const auto radial_v = hn::Set(tag, radial);
      const auto normal_v = hn::Set(tag, c * normals[i].weight);
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
  });
  return i;
}

std::size_t rays_vjp_f32(const RayMap<float>& map, Rows<const float> anchor, Rows<const float> u,
                         Rows<const float> grad_x, const RowState<float>* state, const RayNormal<float>* normals,
                         Rows<float> grad_u, float* gauge) {
  return vjp_rows(map, anchor, u, grad_x, state, normals, grad_u, gauge);
}
std::size_t rays_vjp_f64(const RayMap<double>& map, Rows<const double> anchor, Rows<const double> u,
                         Rows<const double> grad_x, const RowState<double>* state, const RayNormal<double>* normals,
                         Rows<double> grad_u, double* gauge) {
  return vjp_rows(map, anchor, u, grad_x, state, normals, grad_u, gauge);
}

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(rays_vjp_f32);
HWY_EXPORT(rays_vjp_f64);

std::size_t rays_vjp(const RayMap<float>& map, Rows<const float> anchor, Rows<const float> u, Rows<const float> grad_x,
                     const RowState<float>* state, const RayNormal<float>* normals, Rows<float> grad_u,
                     float* gauge) noexcept {
  return HWY_DYNAMIC_DISPATCH(rays_vjp_f32)(map, anchor, u, grad_x, state, normals, grad_u, gauge);
}
std::size_t rays_vjp(const RayMap<double>& map, Rows<const double> anchor, Rows<const double> u,
                     Rows<const double> grad_x, const RowState<double>* state, const RayNormal<double>* normals,
                     Rows<double> grad_u, double* gauge) noexcept {
  return HWY_DYNAMIC_DISPATCH(rays_vjp_f64)(map, anchor, u, grad_x, state, normals, grad_u, gauge);
}

}  // namespace softradial::kernels
#endif  // HWY_ONCE
