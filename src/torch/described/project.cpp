#include "project.hpp"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <tuple>

#include "autocast.hpp"
#include "autograd/first_order.hpp"
#include "composite/radial_map.hpp"
#include "cpu/tensor_rows.hpp"
#include "described/description.hpp"
#include "described/kernel.hpp"
#include "described/row_op.hpp"
#include "op_handle.hpp"

// The ops of a fixed set on the description of a map. Each has a kernel on the CPU, one for shapes alone (Meta), and a
// derivative whose backward pass is an op of its own, so that graph compilers never meet one of our objects.
namespace softradial::ops::described {
namespace {

using TwoTensors = std::tuple<at::Tensor, at::Tensor>;

// --- On the CPU: the ops on the map that is described. ---------------------------------------------------------------

TwoTensors project_cpu(const at::Tensor& u, const at::Tensor& description, bool check) {
  const MapPtr map = map_of(description);
  if (check) static_cast<void>(check_finite(u));
  at::Tensor state;
  at::Tensor x = map->last().watch([&] {
    auto [result, kept] = project_with_state(u, map);
    state = std::move(kept);
    return result;
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

// (..., 1)
at::Tensor log_abs_det_cpu(const at::Tensor& u, const at::Tensor& description) {
  return log_abs_det(u, map_of(description)).unsqueeze(-1);
}

at::Tensor log_abs_det_backward_cpu(const at::Tensor& grad, const at::Tensor& u, const at::Tensor& description) {
  const MapPtr map = map_of(description);
  return vjp(grad, {u}, [&](const auto& at) { return composite::log_abs_det(at[0], map).unsqueeze(-1); }).front();
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
at::Tensor log_abs_det_meta(const at::Tensor& u, const at::Tensor&) { return blank_column(u); }
at::Tensor backward_meta(const at::Tensor&, const at::Tensor& u, const at::Tensor&) { return blank_like(u); }

// --- Derivatives. -----------------------------------------------------------------------------------------------------

TwoTensors described_project(const at::Tensor& u, const at::Tensor& description, bool check) {
  static const auto op = find_op<decltype(project_cpu)>("softradial::described_project");
  return op.call(u, description, check);
}
at::Tensor described_project_backward(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& state,
                                      const at::Tensor& description) {
  static const auto op = find_op<decltype(project_backward_cpu)>("softradial::described_project_backward");
  return op.call(grad_x, u, state, description);
}

TwoTensors project_autograd(const at::Tensor& u, const at::Tensor& description, bool check) {
  const auto evaluate = [&]() -> Tensors {
    auto [x, state] = described_project(u, description, check);
    return {x, state};
  };
  const auto vjp = [](const at::Tensor& grad_x, const Tensors& inputs, const Tensors& outputs) -> Tensors {
    return {described_project_backward(grad_x, inputs[0], outputs[1], inputs[1]), at::Tensor()};
  };
  const Tensors out = record_first_order({kCompiled, vjp, 1}, {u, description}, evaluate);
  return {out[0], out[1]};
}

at::Tensor project_backward_autograd(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& state,
                                     const at::Tensor& description) {
  return derivative_only(kCompiled, {grad_x, u, state, description},
                         [&]() -> Tensors { return {described_project_backward(grad_x, u, state, description)}; })[0];
}

struct InverseNames {
  static constexpr const char* kForward = "softradial::described_inverse";
  static constexpr const char* kBackward = "softradial::described_inverse_backward";
};
struct LogAbsDetNames {
  static constexpr const char* kForward = "softradial::described_log_abs_det";
  static constexpr const char* kBackward = "softradial::described_log_abs_det_backward";
};
using Inverse = RowOp<InverseNames>;
using LogAbsDet = RowOp<LogAbsDetNames>;

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
  m.impl("described_project_backward", project_backward_autograd);
  m.impl("described_inverse", Inverse::forward_autograd);
  m.impl("described_inverse_backward", Inverse::backward_autograd);
  m.impl("described_log_abs_det", LogAbsDet::forward_autograd);
  m.impl("described_log_abs_det_backward", LogAbsDet::backward_autograd);
}
TORCH_LIBRARY_IMPL(softradial, AutocastCPU, m) {
  m.impl("described_project", Exact<described_project>::call);
  m.impl("described_inverse", Exact<Inverse::forward>::call);
  m.impl("described_log_abs_det", Exact<LogAbsDet::forward>::call);
}

}  // namespace softradial::ops::described
