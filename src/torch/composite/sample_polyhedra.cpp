#include <ATen/ATen.h>
#include <torch/library.h>

#include "at_tensor.hpp"
#include "composite/safe_math.hpp"
#include "composite/samples.hpp"
#include "eigen_tensors.hpp"
#include "sets/rows/rows_gauge.hpp"

namespace softradial::composite {

// With double inside, rounding a slack to single precision uses half of kappa's allowance for rounding x, and rounding a_k.u0
// uses half of the slack's loss. Rounding x uses the other halves.
ops::SampleResult project_polyhedra(const at::Tensor& u, const ops::PolyhedraData& data, const ops::MapPtr& map,
                                    at::ScalarType working) {
  const at::ScalarType type = u.scalar_type();
  const at::Tensor A = data.A.to(working);
  const at::Tensor slack = data.image ? data.b.to(working) - data.image->to(working) : data.b.to(working);
  const at::Tensor anchor = data.anchor.to(working);
  const ops::AtSpace space(u.device(), type, working);
  const TensorGaugeAt at = rows_gauge_in_tensors(ops::wrap(A), ops::wrap(slack), ops::wrap(anchor), space);
  const at::Tensor& interior = ops::unwrap(at.interior);
  const Eigen::MatrixXd& normals = map->declared_hull().normals;
  RadialSet set;
  set.anchor = where_else(interior, anchor, 0);
  if (normals.rows() > 0) set.normals = ops::to_tensor(normals).to(u.options().dtype(working));
  set.gauge = ops::unwrap(at.gauge);
  set.kappa = ops::unwrap(at.kappa);
  set.hull_dim = static_cast<double>(normals.cols() - normals.rows());
  set.type = type;
  return project_samples(u.to(working), set, interior, map->method(), type);
}

ops::PolyhedraGradient project_polyhedra_backward(const at::Tensor& grad_x, const at::Tensor& u,
                                                  const ops::PolyhedraData& data, const ops::MapPtr& map) {
  const auto g = cotangents({u, data.A, data.b, data.anchor}, grad_x, [&](const std::vector<at::Tensor>& at) {
    return composite::project_polyhedra(at[0], {at[1], at[2], data.image, at[3]}, map, ops::wide_type(u.scalar_type()))
        .x;
  });
  return {g[0], g[1], g[2], g[3]};
}

namespace {

std::tuple<at::Tensor, at::Tensor, at::Tensor> project_polyhedra_op(const at::Tensor& u, const at::Tensor& A,
                                                                    const at::Tensor& b, const ops::MaybeTensor& image,
                                                                    const at::Tensor& anchor, const ops::MapPtr& map) {
  ops::SampleResult result =
      composite::project_polyhedra(u, {A, b, image, anchor}, map, ops::working_type(u.scalar_type()));
  return {result.x, result.status, result.state};
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, CompositeImplicitAutograd, m) { m.impl("project_polyhedra", project_polyhedra_op); }
TORCH_LIBRARY_IMPL(softradial, Tracer, m) { m.impl("project_polyhedra", project_polyhedra_op); }
TORCH_LIBRARY_IMPL(softradial, FuncTorchDynamicLayerFrontMode, m) { m.impl("project_polyhedra", project_polyhedra_op); }

}  // namespace softradial::composite
