#include "project.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/library.h>

#include <tuple>

#include "composite/radial_map.hpp"
#include "cpu/tensor_rows.hpp"
#include "described/description.hpp"
#include "described/kernel.hpp"
#include "op_handle.hpp"

// The ops of a fixed set on the description of a map: each with a kernel on the CPU, one that knows shapes alone (Meta), and
// a derivative whose backward pass is an op of its own, so that compilers of graphs see through to none of our objects.
namespace softradial::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using TwoTensors = std::tuple<at::Tensor, at::Tensor>;

// --- On the CPU: the ops on the map that is described. ---------------------------------------------------------------

TwoTensors project_cpu(const at::Tensor& u, const at::Tensor& description, bool check) {
  const MapPtr map = map_of(description);
  if (check) static_cast<void>(check_finite(u));
  at::Tensor state;
  at::Tensor x = map->last().watch([&] {
    TwoTensors result = project_with_state(u, map);
    state = std::get<1>(std::move(result));
    return std::get<0>(std::move(result));
  });
  return {x, state};
}

at::Tensor project_backward_cpu(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& state,
                                const at::Tensor& description) {
  const MapPtr map = map_of(description);
  if (core_precision(u)) return project_backward(grad_x, u, state, map);
  return vjp(grad_x, {u}, [&](const auto& at) { return composite::project(at[0], map); }).front();
}

at::Tensor inverse_cpu(const at::Tensor& x, const at::Tensor& description) { return inverse(x, map_of(description)); }

at::Tensor inverse_backward_cpu(const at::Tensor& grad_u, const at::Tensor& x, const at::Tensor& description) {
  const MapPtr map = map_of(description);
  return vjp(grad_u, {x}, [&](const auto& at) { return composite::inverse(at[0], map); }).front();
}

at::Tensor log_abs_det_cpu(const at::Tensor& u, const at::Tensor& description) {
  return log_abs_det(u, map_of(description));
}

at::Tensor log_abs_det_backward_cpu(const at::Tensor& grad, const at::Tensor& u, const at::Tensor& description) {
  const MapPtr map = map_of(description);
  return vjp(grad, {u}, [&](const auto& at) { return composite::log_abs_det(at[0], map); }).front();
}

// --- Shapes. ----------------------------------------------------------------------------------------------------------

TwoTensors project_meta(const at::Tensor& u, const at::Tensor&, bool) {
  const SymShape state = core_precision(u) ? SymShape{sym_rows(u), kStateWidth<float>} : SymShape{0};
  return {blank_like(u), blank(state, u.options())};
}
at::Tensor project_backward_meta(const at::Tensor&, const at::Tensor& u, const at::Tensor&, const at::Tensor&) {
  return blank_like(u);
}
at::Tensor inverse_meta(const at::Tensor& x, const at::Tensor&) { return blank_like(x); }
at::Tensor log_abs_det_meta(const at::Tensor& u, const at::Tensor&) { return blank(sym_batch(u), u.options()); }
at::Tensor backward_meta(const at::Tensor&, const at::Tensor& u, const at::Tensor&) { return blank_like(u); }

// --- Derivatives. -----------------------------------------------------------------------------------------------------

TwoTensors described_project(const at::Tensor& u, const at::Tensor& description, bool check) {
  static const auto op = find_op<decltype(project_cpu)>("softradial::described_project");
  return op.call(u, description, check);
}

class Project final : public torch::autograd::Function<Project> {
 public:
  static variable_list forward(AutogradContext* ctx, const at::Tensor& u, const at::Tensor& description, bool check) {
    const at::AutoDispatchBelowADInplaceOrView below;
    auto [x, state] = described_project(u, description, check);
    ctx->save_for_backward({u, state, description});
    ctx->mark_non_differentiable({state});
    return {x, state};
  }
  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    static const auto op = find_op<decltype(project_backward_cpu)>("softradial::described_project_backward");
    const variable_list saved = ctx->get_saved_variables();
    return {op.call(grads[0], saved[0], saved[1], saved[2]), at::Tensor(), at::Tensor()};
  }
};

TwoTensors project_autograd(const at::Tensor& u, const at::Tensor& description, bool check) {
  if (torch::autograd::compute_requires_grad(u)) {
    variable_list out = Project::apply(u, description, check);
    return {out[0], out[1]};
  }
  const at::AutoDispatchBelowADInplaceOrView below;
  return described_project(u, description, check);
}

// Of an op (input, description) -> output whose backward pass is the op (grad, input, description) -> grad of the input.
template <class Names>
class Simple final : public torch::autograd::Function<Simple<Names>> {
 public:
  static at::Tensor call(const at::Tensor& input, const at::Tensor& description) {
    static const auto op = find_op<decltype(inverse_cpu)>(Names::kForward);
    return op.call(input, description);
  }
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& input, const at::Tensor& description) {
    const at::AutoDispatchBelowADInplaceOrView below;
    ctx->save_for_backward({input, description});
    return call(input, description);
  }
  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    static const auto op = find_op<decltype(inverse_backward_cpu)>(Names::kBackward);
    const variable_list saved = ctx->get_saved_variables();
    return {op.call(grads[0], saved[0], saved[1]), at::Tensor()};
  }
};
template <class Names>
at::Tensor simple_autograd(const at::Tensor& input, const at::Tensor& description) {
  if (torch::autograd::compute_requires_grad(input)) return Simple<Names>::apply(input, description);
  const at::AutoDispatchBelowADInplaceOrView below;
  return Simple<Names>::call(input, description);
}

struct InverseNames {
  static constexpr const char* kForward = "softradial::described_inverse";
  static constexpr const char* kBackward = "softradial::described_inverse_backward";
};
struct LogAbsDetNames {
  static constexpr const char* kForward = "softradial::described_log_abs_det";
  static constexpr const char* kBackward = "softradial::described_log_abs_det_backward";
};

}  // namespace

TORCH_LIBRARY_IMPL(softradial, CPU, m) {
  m.impl("described_project", project_cpu);
  m.impl("described_project_backward", project_backward_cpu);
  m.impl("described_inverse", inverse_cpu);
  m.impl("described_inverse_backward", inverse_backward_cpu);
  m.impl("described_log_abs_det", log_abs_det_cpu);
  m.impl("described_log_abs_det_backward", log_abs_det_backward_cpu);
}
TORCH_LIBRARY_IMPL(softradial, Meta, m) {
  m.impl("described_project", project_meta);
  m.impl("described_project_backward", project_backward_meta);
  m.impl("described_inverse", inverse_meta);
  m.impl("described_inverse_backward", backward_meta);
  m.impl("described_log_abs_det", log_abs_det_meta);
  m.impl("described_log_abs_det_backward", backward_meta);
}
TORCH_LIBRARY_IMPL(softradial, Autograd, m) {
  m.impl("described_project", project_autograd);
  m.impl("described_inverse", simple_autograd<InverseNames>);
  m.impl("described_log_abs_det", simple_autograd<LogAbsDetNames>);
}

}  // namespace softradial::ops
