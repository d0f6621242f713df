#include "penalty.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "shapes.hpp"
#include "softradial/errors.hpp"
#include "softradial/violation.hpp"

namespace softradial::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor points_of(const at::Tensor& x) { return x.detach().to(at::kCPU, at::kDouble).contiguous(); }

class PenaltyFunction final : public torch::autograd::Function<PenaltyFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const SetPtr& set) {
    ctx->save_for_backward({x});
    ctx->saved_data["set"] = set;
    const at::Tensor points = points_of(x);
    const at::Tensor out = at::empty(x.sizes().slice(0, x.dim() - 1), at::kDouble);
    ViolationMeter meter(set->set());
    for (int64_t i = 0; i < out.numel(); ++i) {
      out.data_ptr<double>()[i] = meter.penalty({points.data_ptr<double>() + i * x.size(-1), set->set().dim()});
    }
    return out.to(x.options());
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    if (at::GradMode::is_enabled()) throw Error("penalty has first derivatives only: create_graph is not possible");
    const at::Tensor x = ctx->get_saved_variables()[0];
    const auto set = ctx->saved_data["set"].toCustomClass<SetObject>();
    const at::Tensor points = points_of(x);
    const at::Tensor scales = points_of(grads[0]);
    const at::Tensor out = at::zeros_like(points);
    ViolationMeter meter(set->set());
    const std::size_t dim = set->set().dim();
    for (int64_t i = 0; i < scales.numel(); ++i) {
      const int64_t at = i * x.size(-1);
      meter.add_penalty_gradient(scales.data_ptr<double>()[i], {points.data_ptr<double>() + at, dim},
                                 {out.data_ptr<double>() + at, dim});
    }
    return {out.to(x.options()), at::Tensor()};
  }
};

}  // namespace

at::Tensor penalty(const at::Tensor& x, const SetPtr& set) {
  check_floating(x, "x");
  check_points(x, set->set());
  return PenaltyFunction::apply(x, set);
}

TORCH_LIBRARY_IMPL(softradial, CompositeImplicitAutograd, m) { m.impl("penalty", penalty); }

}  // namespace softradial::ops
