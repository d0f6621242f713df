#include "composite/radial_map.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/library.h>

#include <algorithm>

#include "autocast.hpp"
#include "composite/samples.hpp"
#include "eigen_tensors.hpp"
#include "project.hpp"
#include "sets/margin.hpp"

namespace softradial::composite {

using ops::ulp;
using ops::working_type;

namespace {

bool reduced(at::ScalarType type) { return type != working_type(type); }

// If the set is small for the coarse type, half of its size is kept and the set is not refused: x is then strictly inside in
// the working precision, but the last rounding may still move it across the boundary.
constexpr double kMostCoarseSigma = 0.5;

bool is_sum(const Eigen::MatrixXd& normals) { return normals.rows() == 1 && (normals.array() == normals(0, 0)).all(); }

MapForm form_of(const ops::MapObject& map, at::Device device, at::ScalarType type) {
  const ops::AtSpace space(device, type);
  return type == at::kDouble ? map.compiled<double>().evaluator.form(space)
                             : map.compiled<float>().evaluator.form(space);
}

}  // namespace

RadialSet make_radial_set(const ops::MapObject& map, at::Device device, at::ScalarType type) {
  const MapForm form = form_of(map, device, working_type(type));
  Margin coarse;
  if (reduced(type)) coarse = coarse_margin(ulp(type), form.lipschitz, form.anchor.norm());
  const at::TensorOptions options = at::TensorOptions().device(device).dtype(working_type(type));
  RadialSet set;
  set.anchor = ops::to_tensor(form.anchor).to(options);
  set.sum = is_sum(form.normals);
  if (form.normals.rows() > 0) set.normals = ops::to_tensor(form.normals).to(options);
  set.gauge = ops::unwrap(form.gauge);
  if (coarse.sigma > 0) {
    set.gauge = [fine = std::move(set.gauge), grow = 1 / (1 - std::min(kMostCoarseSigma, coarse.sigma))](
                    const at::Tensor& d) { return grow * fine(d); };
  }
  set.kappa = at::scalar_tensor(form.kappa + coarse.kappa, options);
  set.hull_dim = static_cast<double>(map.hull_dim());
  return set;
}

at::Tensor project(const at::Tensor& u, const ops::MapPtr& map) {
  ops::check_shape(u, *map, "u");
  const at::Tensor fine = u.to(working_type(u.scalar_type()));
  return radial_project(fine, *map->tensors(u.device(), u.scalar_type()), map->method()).to(u.scalar_type());
}

at::Tensor project_backward(const at::Tensor& grad_x, const at::Tensor& u, const ops::MapPtr& map) {
  const bool create_graph = at::GradMode::is_enabled();
  const at::AutoGradMode enable(true);
  const at::Tensor at_u = u.requires_grad() ? u : u.detach().requires_grad_();
  const at::Tensor x = composite::project(at_u, map);
  return torch::autograd::grad({x}, {at_u}, {grad_x}, create_graph, create_graph).front();
}

// The value comes from the core on the CPU; the composite adds the derivatives.
at::Tensor inverse(const at::Tensor& x, const ops::MapPtr& map) {
  ops::check_shape(x, *map, "x");
  const at::Tensor fine = x.to(working_type(x.scalar_type()));
  const at::Tensor found = ops::find_inverse(fine.detach().cpu(), map).to(x.device());
  return radial_inverse(fine, found, *map->tensors(x.device(), x.scalar_type()), map->method()).to(x.scalar_type());
}

at::Tensor log_abs_det(const at::Tensor& u, const ops::MapPtr& map) {
  ops::check_shape(u, *map, "u");
  const at::Tensor fine = u.to(working_type(u.scalar_type()));
  return radial_log_abs_det(fine, *map->tensors(u.device(), u.scalar_type()), map->method()).to(u.scalar_type());
}

namespace {

std::tuple<at::Tensor, at::Tensor> project_with_state(const at::Tensor& u, const ops::MapPtr& map) {
  return {composite::project(u, map), at::empty({0}, u.options())};
}

at::Tensor project_backward_without_state(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor&,
                                          const ops::MapPtr& map) {
  return composite::project_backward(grad_x, u, map);
}

}  // namespace

// The ops on every other device.
TORCH_LIBRARY_IMPL(softradial, CompositeImplicitAutograd, m) {
  m.impl("project", project);
  m.impl("project_with_state", project_with_state);
  m.impl("project_backward", project_backward_without_state);
  m.impl("inverse", inverse);
  m.impl("log_abs_det", log_abs_det);
}

// A trace records the ATen ops of the composite, so that it runs, and exports, without this library.
TORCH_LIBRARY_IMPL(softradial, Tracer, m) {
  m.impl("project", project);
  m.impl("log_abs_det", log_abs_det);
}

// Inside torch.func, each ATen op knows the transforms and how they are nested. Our own kernels do not: the tangents of one
// level would not see a node that another level has recorded.
TORCH_LIBRARY_IMPL(softradial, FuncTorchDynamicLayerFrontMode, m) {
  m.impl("project", ops::Exact<project>::call);
  m.impl("project_with_state", ops::Exact<project_with_state>::call);
  m.impl("inverse", ops::Exact<inverse>::call);
  m.impl("log_abs_det", ops::Exact<log_abs_det>::call);
}

}  // namespace softradial::composite
