#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kernel_table.hpp"
#include "profile.hpp"
#include "row_state.hpp"
#include "softradial/rows.hpp"

// The backward pass along rays if the forward pass has saved its states, for sets without a hull whose gauge's gradient is a
// row of numbers (polyhedra): u and grad_x are read where they lie, d = u - u0 is never stored.
//
//   grad_u = phi g + radial d + normal n,      n = grad gamma(d) = weight row, no row where gamma(d) = 0
//
// with the scalars of ray_cotangent.hpp. Separate passes for d, d.g and the sum took 1.6 times as long at dim 50.
namespace softradial::kernels {

// What a ray's forward pass saves. The guarded gauge is gamma + kappa sqrt(rho).
template <class T>
struct RayState {
  T rho = 0;    // |d|^2; infinite: u is not finite or of extreme size
  T gamma = 0;  // gamma(d), not guarded
  T kappa = 0;
  std::int32_t active = 0;  // the active piece of the gauge
};

template <class T>
struct RayMap {
  Method method;
  ProfileFunction<T> profile;
};

template <class T>
struct RayNormal {
  const T* row = nullptr;
  T weight = 1;
};

template <class T>
struct RayKernels {
  std::size_t (*vjp)(const RayMap<T>& map, Rows<const T> anchor, Rows<const T> u, Rows<const T> grad_x,
                     const RowState<T>* state, const RayNormal<T>* normals, Rows<T> grad_u, T* pull) noexcept;

  static const RayKernels& choose() noexcept;
};
template <>
const RayKernels<float>& RayKernels<float>::choose() noexcept;
template <>
const RayKernels<double>& RayKernels<double>::choose() noexcept;

// anchor, normals: one for each row. state: RayStates. pull: null, or receives gamma(d) times its cotangent. Does rows 0,
// 1, ... up to the first whose rho is not below kLargestRho (not finite, or extreme), and returns how many it did.
template <class T>
inline std::size_t rays_vjp(const RayMap<T>& map, Rows<const T> anchor, Rows<const T> u, Rows<const T> grad_x,
                            const RowState<T>* state, const RayNormal<T>* normals, Rows<T> grad_u,
                            T* pull = nullptr) noexcept {
  return table<RayKernels<T>>().vjp(map, anchor, u, grad_x, state, normals, grad_u, pull);
}

}  // namespace softradial::kernels
