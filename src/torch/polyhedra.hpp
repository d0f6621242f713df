#pragma once

#include <ATen/core/Tensor.h>

#include <tuple>

#include "bounds.hpp"
#include "map_object.hpp"

// Projections onto polyhedra that change from row to row (softradial/sample_polyhedra.hpp), through the dispatcher.
namespace softradial::ops {

// u: (..., dim); A: (m, dim) for all rows or (..., m, dim); b: (..., m); anchor u0: (dim) or (..., dim). All have u's dtype.
// The caller provides the slack b - A u0: either `image` (m) is A u0, without a derivative, or b is already the slack. The map
// provides the hull: x stays on u0 + its directions.
struct PolyhedraData {
  at::Tensor A;
  at::Tensor b;
  MaybeTensor image;
  at::Tensor anchor;
};

[[nodiscard]] SampleResult project_polyhedra(const at::Tensor& u, const PolyhedraData& data, const MapPtr& map);

struct PolyhedraGradient {
  at::Tensor u;
  at::Tensor A;
  at::Tensor b;
  at::Tensor anchor;
};
struct WantedPolyhedra {
  bool A = false;
  bool b = false;
  bool anchor = false;
};
[[nodiscard]] PolyhedraGradient project_polyhedra_backward(const at::Tensor& grad_x, const at::Tensor& u,
                                                           const PolyhedraData& data, const at::Tensor& status,
                                                           const at::Tensor& state, const WantedPolyhedra& wanted,
                                                           const MapPtr& map);

}  // namespace softradial::ops
