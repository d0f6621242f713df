#include "bounds.hpp"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include "op_handle.hpp"

namespace softradial::ops {

SampleResult project_bounds(const at::Tensor& u, const BoundsData& data, const MapPtr& map) {
  using Signature = std::tuple<at::Tensor, at::Tensor, at::Tensor>(
      const at::Tensor&, const at::Tensor&, const at::Tensor&, const MaybeTensor&, const MaybeTensor&, const MapPtr&);
  static const auto op = find_op<Signature>("softradial::project_bounds");
  auto [x, status, state] = op.call(u, data.lower, data.upper, data.sum, data.anchor, map);
  return {std::move(x), std::move(status), std::move(state)};
}

BoundsGradient project_bounds_backward(const at::Tensor& grad_x, const at::Tensor& u, const BoundsData& data,
                                       const at::Tensor& status, const at::Tensor& state, const WantedBounds& wanted,
                                       const MapPtr& map) {
  using Signature = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>(
      const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&, const MaybeTensor&,
      const MaybeTensor&, const at::Tensor&, const at::Tensor&, std::array<bool, 4>, const MapPtr&);
  static const auto op = find_op<Signature>("softradial::project_bounds_backward");
  auto [grad_u, lower, upper, sum, anchor] =
      op.call(grad_x, u, data.lower, data.upper, data.sum, data.anchor, status, state,
              {wanted.lower, wanted.upper, wanted.sum, wanted.anchor}, map);
  return {std::move(grad_u), std::move(lower), std::move(upper), std::move(sum), std::move(anchor)};
}

}  // namespace softradial::ops
