#pragma once

#include <ATen/core/Tensor.h>

#include "at_tensor.hpp"
#include "softradial/method.hpp"

// The radial map by ATen ops: the same numbers as the core's, up to rounding, on every device and with every kind of
// derivative.
namespace softradial::composite {

// The set as the map needs it; or one set for each row. Tensors broadcast against u (..., dim).
struct RadialSet {
  at::Tensor anchor;  // (dim) or (..., dim)
  // (codimension, dim) or (..., codimension, dim), orthonormal rows; undefined: the hull is all of R^n
  at::Tensor normals;
  bool sum = false;     // the hull is {1.x = total}; normals are then not used
  at::Tensor free;      // (..., dim): coordinates that may move; the hull is then theirs. Undefined: all may move
  ops::AtGauge gauge;   // guarded, except for the term kappa |d|
  at::Tensor kappa;     // () or (..., 1)
  double hull_dim = 0;  // not used if `free` is given
  at::ScalarType type = at::kDouble;  // dtype of x, where coarser than that of the tensors: x stays in its range
};

// x = u0 + phi(rho, gamma) d. Rows that are not finite come out as NaN and get gradient 0.
[[nodiscard]] at::Tensor radial_project(const at::Tensor& u, const RadialSet& set, const Method& method);

// log |det J(u)| along the hull's directions: (...).
[[nodiscard]] at::Tensor radial_log_abs_det(const at::Tensor& u, const RadialSet& set, const Method& method);

// u(x), differentiable in x and in the set's tensors. `found` (..., dim) is the value of u, NaN where there is none.
[[nodiscard]] at::Tensor radial_inverse(const at::Tensor& x, const at::Tensor& found, const RadialSet& set,
                                        const Method& method);

// Also finds the value: for one set per row. NaN outside the set, and off the hull by more than rounding. In double.
[[nodiscard]] at::Tensor radial_inverse_at(const at::Tensor& x, const RadialSet& set, const Method& method);

}  // namespace softradial::composite
