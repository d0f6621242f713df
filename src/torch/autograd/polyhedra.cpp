#include "polyhedra.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "autograd/differentiable.hpp"
#include "composite/sample_polyhedra.hpp"

namespace softradial::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class PolyhedraFunction final : public torch::autograd::Function<PolyhedraFunction> {
 public:
  static variable_list forward(AutogradContext* ctx, const at::Tensor& u, const at::Tensor& A, const at::Tensor& slack,
                               const at::Tensor& anchor, const MapPtr& map) {
    const at::AutoDispatchBelowADInplaceOrView below;
    SampleResult result = project_polyhedra(u, {A, slack, anchor}, map);
    ctx->save_for_backward({u, A, slack, anchor, result.status, result.state});
    ctx->saved_data["map"] = map;
    ctx->mark_non_differentiable({result.status, result.state});
    return {result.x, result.status, result.state};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const PolyhedraData data{saved[1], saved[2], saved[3]};
    const auto map = ctx->saved_data["map"].toCustomClass<MapObject>();
    const WantedPolyhedra wanted{ctx->needs_input_grad(1), ctx->needs_input_grad(2), ctx->needs_input_grad(3)};
    const PolyhedraGradient g =
        at::GradMode::is_enabled()
            ? composite::project_polyhedra_backward(grads[0], saved[0], data, map)
            : project_polyhedra_backward(grads[0], saved[0], data, saved[4], saved[5], wanted, map);
    return {g.u, g.A, g.slack, g.anchor, at::Tensor()};
  }
};

std::tuple<at::Tensor, at::Tensor, at::Tensor> project_polyhedra_autograd(const at::Tensor& u, const at::Tensor& A,
                                                                          const at::Tensor& slack,
                                                                          const at::Tensor& anchor, const MapPtr& map) {
  if (needs_composite({u, A, slack, anchor})) {
    SampleResult result = composite::project_polyhedra(u, {A, slack, anchor}, map);
    return {result.x, result.status, result.state};
  }
  variable_list out = PolyhedraFunction::apply(u, A, slack, anchor, map);
  return {out[0], out[1], out[2]};
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, AutogradCPU, m) { m.impl("project_polyhedra", project_polyhedra_autograd); }

}  // namespace softradial::ops
