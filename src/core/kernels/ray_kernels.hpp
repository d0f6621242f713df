#pragma once

#include <cstddef>

#include "profile.hpp"
#include "softradial/projection.hpp"
#include "softradial/rows.hpp"

// The backward pass along rays where the forward pass left its states, for sets without a hull whose gauge's gradient is a
// row of numbers (polyhedra): u and grad_x are read where they lie, d = u - u0 is never stored.
//
//   grad_u = phi g + radial d + c n,      n = grad gamma(d) = weight row, no row where gamma(d) = 0
//   c = phi (d.g) e_gamma / gamma,        radial = phi (d.g) e_rho / rho + c kappa / |d|
//
// with the guarded gamma = gamma(d) + kappa |d| in the profile (ray_block.hpp, ray_cotangent). States hold kappa in the
// place of the shift. Passes of their own for d, d.g and the sum took 1.6 times as long at dim 50.
namespace softradial::kernels {

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

// anchor, normals: one for each row. gauge: null, or receives c of each row, the cotangent of gamma(d). Does rows 0, 1, ... up to
// the first whose state's rho is not below kLargestRho (not finite, or extreme): returns how many were done.
std::size_t rays_vjp(const RayMap<float>& map, Rows<const float> anchor, Rows<const float> u, Rows<const float> grad_x,
                     const RowState<float>* state, const RayNormal<float>* normals, Rows<float> grad_u,
                     float* gauge = nullptr) noexcept;
std::size_t rays_vjp(const RayMap<double>& map, Rows<const double> anchor, Rows<const double> u,
                     Rows<const double> grad_x, const RowState<double>* state, const RayNormal<double>* normals,
                     Rows<double> grad_u, double* gauge = nullptr) noexcept;

}  // namespace softradial::kernels
