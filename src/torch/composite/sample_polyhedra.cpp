#include "composite/sample_polyhedra.hpp"

#include <ATen/ATen.h>
#include <torch/library.h>

#include "composite/safe_math.hpp"
#include "composite/samples.hpp"
#include "eigen_tensors.hpp"

namespace softradial::composite {

using ops::ulp;
using ops::working_type;

namespace {

// A d for A (m, n) or (..., m, n).
at::Tensor rows_times(const at::Tensor& A, const at::Tensor& d) {
  return A.dim() == 2 ? d.matmul(A.t()) : A.matmul(d.unsqueeze(-1)).squeeze(-1);
}

}  // namespace

ops::SampleResult project_polyhedra(const at::Tensor& u, const ops::PolyhedraData& data, const ops::MapPtr& map) {
  const at::ScalarType type = u.scalar_type();
  const at::ScalarType working = working_type(type);
  const at::Tensor A = data.A.to(working);
  const at::Tensor slack = data.image ? data.b.to(working) - data.image->to(working) : data.b.to(working);
  const at::Tensor anchor = data.anchor.to(working);
  const at::Tensor norms = (A * A).sum(-1).sqrt().detach();
  const at::Tensor size = (anchor * anchor).sum(-1, true).sqrt().detach();
  const double n = static_cast<double>(map->dim());

  // Guarded as the fused kernel does it; a coarser result adds its own rounding of x = u0 + phi d.
  const double coarse = type == working ? 0 : ulp(type);
  const at::Tensor counts = norms > 0;
  const at::Tensor left = slack * (1 - 8 * ulp(working)) - (2 * ulp(working) + coarse) * norms * size;
  const at::Tensor good = (slack > 0).logical_and(left >= 0.75 * slack).logical_or(counts.bitwise_not());
  const at::Tensor interior = good.all(-1, true);
  const at::Tensor usable = good.logical_and(counts);
  const at::Tensor scale = where_else(usable, 1 / where_else(usable, left, 1), 0);
  const at::Tensor steepest = largest((norms * scale).detach());

  RadialSet set;
  set.anchor = where_else(interior, anchor, 0);
  const Eigen::MatrixXd& normals = map->declared_hull().normals;
  if (normals.rows() > 0) set.normals = ops::to_tensor(normals).to(u.options().dtype(working));
  set.gauge = [&](const at::Tensor& d) { return largest(rows_times(A, d) * scale).relu(); };
  set.kappa = (ulp(working) * (n / 2 + 2) + coarse) * steepest;
  set.hull_dim = static_cast<double>(normals.cols() - normals.rows());
  return project_samples(u.to(working), set, interior, map->method(), type);
}

ops::PolyhedraGradient project_polyhedra_backward(const at::Tensor& grad_x, const at::Tensor& u,
                                                  const ops::PolyhedraData& data, const ops::MapPtr& map) {
  const auto g = cotangents({u, data.A, data.b, data.anchor}, grad_x, [&](const std::vector<at::Tensor>& at) {
    return composite::project_polyhedra(at[0], {at[1], at[2], data.image, at[3]}, map).x;
  });
  return {g[0], g[1], g[2], g[3]};
}

namespace {

std::tuple<at::Tensor, at::Tensor, at::Tensor> project_polyhedra_op(const at::Tensor& u, const at::Tensor& A,
                                                                    const at::Tensor& b, const ops::MaybeTensor& image,
                                                                    const at::Tensor& anchor, const ops::MapPtr& map) {
  ops::SampleResult result = composite::project_polyhedra(u, {A, b, image, anchor}, map);
  return {result.x, result.status, result.state};
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, CompositeImplicitAutograd, m) { m.impl("project_polyhedra", project_polyhedra_op); }
TORCH_LIBRARY_IMPL(softradial, Tracer, m) { m.impl("project_polyhedra", project_polyhedra_op); }
TORCH_LIBRARY_IMPL(softradial, FuncTorchDynamicLayerFrontMode, m) { m.impl("project_polyhedra", project_polyhedra_op); }

}  // namespace softradial::composite
