#include "polyhedra.hpp"

#include <ATen/ATen.h>

#include <array>

#include "op_handle.hpp"

namespace softradial::ops {

SampleResult project_polyhedra(const at::Tensor& u, const PolyhedraData& data, const MapPtr& map) {
  using Signature = std::tuple<at::Tensor, at::Tensor, at::Tensor>(
      const at::Tensor&, const at::Tensor&, const at::Tensor&, const MaybeTensor&, const at::Tensor&, const MapPtr&);
  static const auto op = find_op<Signature>("softradial::project_polyhedra");
  auto [x, status, state] = op.call(u, data.A, data.b, data.image, data.anchor, map);
  return {std::move(x), std::move(status), std::move(state)};
}

PolyhedraGradient project_polyhedra_backward(const at::Tensor& grad_x, const at::Tensor& u, const PolyhedraData& data,
                                             const at::Tensor& status, const at::Tensor& state,
                                             const WantedPolyhedra& wanted, const MapPtr& map) {
  using Signature = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>(
      const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&, const MaybeTensor&, const at::Tensor&,
      const at::Tensor&, const at::Tensor&, std::array<bool, 3>, const MapPtr&);
  static const auto op = find_op<Signature>("softradial::project_polyhedra_backward");
  auto [grad_u, A, b, anchor] = op.call(grad_x, u, data.A, data.b, data.image, data.anchor, status, state,
                                        {wanted.A, wanted.b, wanted.anchor}, map);
  return {std::move(grad_u), std::move(A), std::move(b), std::move(anchor)};
}

}  // namespace softradial::ops
