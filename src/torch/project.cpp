#include "project.hpp"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <string>

#include "autocast.hpp"
#include "op_handle.hpp"
#include "shapes.hpp"
#include "softradial/errors.hpp"
#include "vmap_rows.hpp"

namespace softradial::ops {

at::Tensor project(const at::Tensor& u, const MapPtr& map) {
  static const auto op = find_op<at::Tensor(const at::Tensor&, const MapPtr&)>("softradial::project");
  return op.call(u, map);
}

std::tuple<at::Tensor, at::Tensor> project_with_state(const at::Tensor& u, const MapPtr& map) {
  static const auto op =
      find_op<std::tuple<at::Tensor, at::Tensor>(const at::Tensor&, const MapPtr&)>("softradial::project_with_state");
  return op.call(u, map);
}

at::Tensor project_backward(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& state, const MapPtr& map) {
  static const auto op = find_op<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&, const MapPtr&)>(
      "softradial::project_backward");
  return op.call(grad_x, u, state, map);
}

at::Tensor inverse(const at::Tensor& x, const MapPtr& map) {
  static const auto op = find_op<at::Tensor(const at::Tensor&, const MapPtr&)>("softradial::inverse");
  return op.call(x, map);
}

at::Tensor find_inverse(const at::Tensor& x, const MapPtr& map) {
  static const auto op = find_op<at::Tensor(const at::Tensor&, const MapPtr&)>("softradial::find_inverse");
  return op.call(x, map);
}

at::Tensor log_abs_det(const at::Tensor& u, const MapPtr& map) {
  static const auto op = find_op<at::Tensor(const at::Tensor&, const MapPtr&)>("softradial::log_abs_det");
  return op.call(u, map);
}

void check_shape(const at::Tensor& tensor, const MapObject& map, const char* name) {
  check_floating(tensor, name);
  check_width(tensor, map.dim(), name);
}

at::Tensor check_finite(const at::Tensor& u) {
  const at::Tensor bad = u.isfinite().all(-1).logical_not().reshape({-1});
  if (!bad.any().item<bool>()) return u;
  throw NonFiniteInput("row " + std::to_string(bad.to(at::kByte).argmax().item<int64_t>()) +
                       " has a NaN or an infinity");
}

namespace {

at::Tensor without_check(const at::Tensor& u) { return u; }

void leave_autocast(torch::Library& m) {
  m.impl("project", Exact<project>::call);
  m.impl("project_with_state", Exact<project_with_state>::call);
  m.impl("project_backward", Exact<project_backward>::call);
  m.impl("inverse", Exact<inverse>::call);
  m.impl("log_abs_det", Exact<log_abs_det>::call);
}

}  // namespace

// A trace cannot hold an error that depends on the numbers, so it skips the check.
TORCH_LIBRARY_IMPL(softradial, Tracer, m) { m.impl("check_finite", without_check); }
TORCH_LIBRARY_IMPL(softradial, FuncTorchDynamicLayerFrontMode, m) { m.impl("check_finite", check_finite); }
TORCH_LIBRARY_IMPL(softradial, FuncTorchBatched, m) { m.impl("find_inverse", Vmapped<find_inverse>::call); }
TORCH_LIBRARY_IMPL(softradial, AutocastCPU, m) { leave_autocast(m); }
TORCH_LIBRARY_IMPL(softradial, AutocastCUDA, m) { leave_autocast(m); }

}  // namespace softradial::ops
