#include "bounds.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <vector>

#include "autograd/differentiable.hpp"
#include "composite/sample_bounds.hpp"

namespace softradial::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

MaybeTensor maybe(const at::Tensor& tensor) { return tensor.defined() ? MaybeTensor(tensor) : c10::nullopt; }

// The context's own needs_input_grad counts only the tensors that were given.
bool requires_grad(const MaybeTensor& tensor) { return tensor && tensor->requires_grad(); }

class BoundsFunction final : public torch::autograd::Function<BoundsFunction> {
 public:
  static variable_list forward(AutogradContext* ctx, const at::Tensor& u, const at::Tensor& lower,
                               const at::Tensor& upper, const MaybeTensor& sum, const MaybeTensor& anchor,
                               const MapPtr& map) {
    const at::AutoDispatchBelowADInplaceOrView below;
    SampleResult result = project_bounds(u, {lower, upper, sum, anchor}, map);
    ctx->save_for_backward(
        {u, lower, upper, sum.value_or(at::Tensor()), anchor.value_or(at::Tensor()), result.status, result.state});
    ctx->saved_data["map"] = map;
    ctx->saved_data["wanted"] =
        std::vector<bool>{requires_grad(lower), requires_grad(upper), requires_grad(sum), requires_grad(anchor)};
    ctx->mark_non_differentiable({result.status, result.state});
    return {result.x, result.status, result.state};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const BoundsData data{saved[1], saved[2], maybe(saved[3]), maybe(saved[4])};
    const auto map = ctx->saved_data["map"].toCustomClass<MapObject>();
    const c10::List<bool> wants = ctx->saved_data["wanted"].toBoolList();
    const WantedBounds wanted{wants[0], wants[1], wants[2], wants[3]};
    const BoundsGradient g = at::GradMode::is_enabled()
                                 ? composite::project_bounds_backward(grads[0], saved[0], data, map)
                                 : project_bounds_backward(grads[0], saved[0], data, saved[5], saved[6], wanted, map);
    return {g.u, g.lower, g.upper, g.sum, g.anchor, at::Tensor()};
  }
};

std::tuple<at::Tensor, at::Tensor, at::Tensor> project_bounds_autograd(const at::Tensor& u, const at::Tensor& lower,
                                                                       const at::Tensor& upper, const MaybeTensor& sum,
                                                                       const MaybeTensor& anchor, const MapPtr& map) {
  if (needs_composite({u, lower, upper, sum.value_or(at::Tensor()), anchor.value_or(at::Tensor())})) {
    SampleResult result = composite::project_bounds(u, {lower, upper, sum, anchor}, map);
    return {result.x, result.status, result.state};
  }
  variable_list out = BoundsFunction::apply(u, lower, upper, sum, anchor, map);
  return {out[0], out[1], out[2]};
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, AutogradCPU, m) { m.impl("project_bounds", project_bounds_autograd); }

}  // namespace softradial::ops
