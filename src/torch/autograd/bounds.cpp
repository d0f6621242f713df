#include "bounds.hpp"

#include <torch/library.h>

#include "autograd/differentiable.hpp"
#include "autograd/sample_node.hpp"
#include "composite/samples.hpp"

namespace softradial::ops {
namespace {

struct BoundsBackward {
  static constexpr const char* kName = "SoftradialBoundsBackward";
  using Tensors = std::array<at::Tensor, 5>;

  Tensors operator()(const at::Tensor& grad_x, const Tensors& inputs, const at::Tensor& status, const at::Tensor& state,
                     const std::array<bool, 5>& wanted, const MapPtr& map) const {
    const auto& [u, lower, upper, sum, anchor] = inputs;
    const BoundsData data{lower, upper, maybe(sum), maybe(anchor)};
    const BoundsGradient g = differentiates(grad_x)
                                 ? composite::project_bounds_backward(grad_x, u, data, map)
                                 : project_bounds_backward(grad_x, u, data, status, state,
                                                           {wanted[1], wanted[2], wanted[3], wanted[4]}, map);
    return {g.u, g.lower, g.upper, g.sum, g.anchor};
  }
};

std::tuple<at::Tensor, at::Tensor, at::Tensor> project_bounds_autograd(const at::Tensor& u, const at::Tensor& lower,
                                                                       const at::Tensor& upper, const MaybeTensor& sum,
                                                                       const MaybeTensor& anchor, const MapPtr& map) {
  const BoundsBackward::Tensors inputs{u, lower, upper, sum.value_or(at::Tensor()), anchor.value_or(at::Tensor())};
  const BoundsData data{lower, upper, sum, anchor};
  SampleResult result = needs_composite(inputs)
                            ? composite::project_bounds(u, data, map, wide_type(u.scalar_type()))
                            : record_samples<BoundsBackward>(inputs, map, [&] { return project_bounds(u, data, map); });
  return {result.x, result.status, result.state};
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, AutogradCPU, m) { m.impl("project_bounds", project_bounds_autograd); }

}  // namespace softradial::ops
