#include "polyhedra.hpp"

#include <torch/library.h>

#include "autograd/differentiable.hpp"
#include "autograd/sample_node.hpp"
#include "composite/samples.hpp"

namespace softradial::ops {
namespace {

struct PolyhedraBackward {
  static constexpr const char* kName = "SoftradialPolyhedraBackward";
  using Tensors = std::array<at::Tensor, 5>;

  Tensors operator()(const at::Tensor& grad_x, const Tensors& inputs, const at::Tensor& status, const at::Tensor& state,
                     const std::array<bool, 5>& wanted, const MapPtr& map) const {
    const auto& [u, A, b, anchor, image] = inputs;
    const PolyhedraData data{A, b, maybe(image), anchor};
    const PolyhedraGradient g =
        differentiates(grad_x)
            ? composite::project_polyhedra_backward(grad_x, u, data, map)
            : project_polyhedra_backward(grad_x, u, data, status, state, {wanted[1], wanted[2], wanted[3]}, map);
    return {g.u, g.A, g.b, g.anchor, at::Tensor()};
  }
};

std::tuple<at::Tensor, at::Tensor, at::Tensor> project_polyhedra_autograd(const at::Tensor& u, const at::Tensor& A,
                                                                          const at::Tensor& b, const MaybeTensor& image,
                                                                          const at::Tensor& anchor, const MapPtr& map) {
  const PolyhedraBackward::Tensors inputs{u, A, b, anchor, image.value_or(at::Tensor())};
  const PolyhedraData data{A, b, image, anchor};
  SampleResult result = needs_composite(inputs) ? composite::project_polyhedra(u, data, map, wide_type(u.scalar_type()))
                                                : record_samples<PolyhedraBackward>(
                                                      inputs, map, [&] { return project_polyhedra(u, data, map); });
  return {result.x, result.status, result.state};
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, AutogradCPU, m) { m.impl("project_polyhedra", project_polyhedra_autograd); }

}  // namespace softradial::ops
