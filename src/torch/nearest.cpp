#include "nearest.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/library.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "autograd/first_order.hpp"
#include "composite/safe_math.hpp"
#include "described/kernel.hpp"
#include "eigen_tensors.hpp"
#include "op_handle.hpp"
#include "orthogonal/polyhedron_projector.hpp"

namespace softradial::ops {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using layers::PolyhedronProjector;

// --- Polyhedra. -------------------------------------------------------------------------------------------------------

// Projects samples that share their rows together, and samples with their own rows one by one. `visit` gets the projector, the
// first sample and the number of samples.
template <class Visit>
void with_projectors(const at::Tensor& A, const at::Tensor& E, const MapObject& map, int64_t samples,
                     const Visit& visit) {
  if (map.owns_rows(A, E)) {
    visit(map.own_projector(), Index{0}, Index{samples});
    return;
  }
  if (A.dim() == 2 && E.dim() == 2) {
    visit(PolyhedronProjector(to_columns(A).transpose(), to_columns(E).transpose()), Index{0}, Index{samples});
    return;
  }
  const auto flat = [](const at::Tensor& M) { return M.dim() == 2 ? M : M.flatten(0, -3); };
  const at::Tensor rows = flat(A);
  const at::Tensor equalities = flat(E);
  for (int64_t i = 0; i < samples; ++i) {
    visit(PolyhedronProjector(to_columns(rows.dim() == 2 ? rows : rows[i]).transpose(),
                              to_columns(equalities.dim() == 2 ? equalities : equalities[i]).transpose()),
          Index{i}, Index{1});
  }
}

using NearestAndDuals = std::tuple<at::Tensor, at::Tensor>;
NearestAndDuals nearest_kernel(const at::Tensor& u, const at::Tensor& b, const at::Tensor& f, const at::Tensor& A,
                               const at::Tensor& E, c10::optional<int64_t> steps, const MapPtr& map) {
  const MatrixXd points = to_columns(u);
  const MatrixXd bounds = to_columns(b);
  const MatrixXd levels = to_columns(f);
  MatrixXd x(points.rows(), points.cols());
  MatrixXd duals(A.size(-2), points.cols());
  const std::optional<int> limit = steps ? std::optional<int>(static_cast<int>(*steps)) : std::nullopt;
  with_projectors(A, E, *map, points.cols(), [&](const PolyhedronProjector& projector, Index first, Index count) {
    PolyhedronProjector::Nearest nearest = projector.solve(
        points.middleCols(first, count), bounds.middleCols(first, count), levels.middleCols(first, count), limit);
    x.middleCols(first, count) = nearest.x;
    duals.middleCols(first, count) = nearest.duals;
  });
  return {from_columns(x, u), from_columns(duals, b)};
}

using PolyhedraCotangents = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>;
PolyhedraCotangents nearest_backward_kernel(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& b,
                                            const at::Tensor& f, const at::Tensor& A, const at::Tensor& E,
                                            const at::Tensor& x, const at::Tensor& duals, at::IntArrayRef wanted,
                                            const MapPtr& map) {
  const MatrixXd gradients = to_columns(grad_x);
  const MatrixXd multipliers = to_columns(duals);
  MatrixXd of_u(gradients.rows(), gradients.cols());
  MatrixXd of_b(A.size(-2), gradients.cols());
  MatrixXd of_f = MatrixXd::Zero(E.size(-2), gradients.cols());
  const auto asked = [&](int64_t input) { return std::find(wanted.begin(), wanted.end(), input) != wanted.end(); };
  const bool of_rows = asked(3) || asked(4);
  const MatrixXd points = of_rows ? to_columns(u) : MatrixXd();
  const MatrixXd images = of_rows ? to_columns(x) : MatrixXd();
  const at::Tensor of_A = at::zeros(A.sizes(), at::kDouble);
  const at::Tensor of_E = at::zeros(E.sizes(), at::kDouble);
  const auto add = [](const MatrixXd& matrix, const at::Tensor& to, Index sample) {
    const at::Tensor place = to.dim() == 2 ? to : to.flatten(0, -3)[sample];
    place.add_(from_columns(matrix.transpose(), place));
  };
  with_projectors(A, E, *map, gradients.cols(), [&](const PolyhedronProjector& projector, Index first, Index count) {
    const MatrixXd at = multipliers.middleCols(first, count);
    const auto found = projector.through(at, gradients.middleCols(first, count));
    of_u.middleCols(first, count) = found.u;
    of_b.middleCols(first, count) = found.b;
    if (of_rows || asked(2))
      of_f.middleCols(first, count) = projector.through_levels(gradients.middleCols(first, count), found);
    if (!of_rows) return;
    const auto rows = projector.through_rows(points.middleCols(first, count), images.middleCols(first, count), at,
                                             found, of_f.middleCols(first, count));
    add(rows.A, of_A, first);
    add(rows.E, of_E, first);
  });
  return {from_columns(of_u, u), from_columns(of_b, b), from_columns(of_f, f), of_A.to(A.options()),
          of_E.to(E.options())};
}

NearestAndDuals nearest_meta(const at::Tensor& u, const at::Tensor& b, const at::Tensor&, const at::Tensor&,
                             const at::Tensor&, c10::optional<int64_t>, const MapPtr&) {
  return {blank_like(u), blank_like(b)};
}

PolyhedraCotangents nearest_backward_meta(const at::Tensor&, const at::Tensor& u, const at::Tensor& b,
                                          const at::Tensor& f, const at::Tensor& A, const at::Tensor& E,
                                          const at::Tensor&, const at::Tensor&, at::IntArrayRef, const MapPtr&) {
  return {blank_like(u), blank_like(b), blank_like(f), blank_like(A), blank_like(E)};
}

Tensors nearest_op(const Tensors& t, c10::optional<int64_t> steps, const MapPtr& map) {
  static const auto op = find_op<decltype(nearest_kernel)>("softradial::nearest_polyhedra");
  const auto [x, duals] = op.call(t[0], t[1], t[2], t[3], t[4], steps, map);
  return {x, duals};
}

Tensors nearest_backward_op(const Tensors& t, at::IntArrayRef wanted, const MapPtr& map) {
  static const auto op = find_op<decltype(nearest_backward_kernel)>("softradial::nearest_polyhedra_backward");
  const auto [u, b, f, A, E] = op.call(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], wanted, map);
  return {u, b, f, A, E};
}

constexpr const char* kNearest = "the nearest point of a polyhedron";

NearestAndDuals nearest_autograd(const at::Tensor& u, const at::Tensor& b, const at::Tensor& f, const at::Tensor& A,
                                 const at::Tensor& E, c10::optional<int64_t> steps, const MapPtr& map) {
  const Tensors inputs{u, b, f, A, E};
  // Cotangents of the data cost as much as those of u, so only the requested ones are computed, listed by position.
  std::vector<int64_t> wanted;
  for (std::size_t k = 1; k < inputs.size(); ++k) {
    if (inputs[k].requires_grad() || torch::autograd::isFwGradDefined(inputs[k]))
      wanted.push_back(static_cast<int64_t>(k));
  }
  const auto vjp = [wanted, map](const at::Tensor& grad_x, const Tensors& in, const Tensors& out) {
    return nearest_backward_op({grad_x, in[0], in[1], in[2], in[3], in[4], out[0], out[1]}, wanted, map);
  };
  const Tensors out = record_first_order({kNearest, vjp, 3}, inputs, [&] { return nearest_op(inputs, steps, map); });
  return {out[0], out[1]};
}

PolyhedraCotangents nearest_backward_autograd(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& b,
                                              const at::Tensor& f, const at::Tensor& A, const at::Tensor& E,
                                              const at::Tensor& x, const at::Tensor& duals, at::IntArrayRef wanted,
                                              const MapPtr& map) {
  const Tensors inputs{grad_x, u, b, f, A, E, x, duals};
  const Tensors out = derivative_only(kNearest, inputs, [&] { return nearest_backward_op(inputs, wanted, map); });
  return {out[0], out[1], out[2], out[3], out[4]};
}

// The data broadcast to (..., width) over the rows of u.
at::Tensor over_rows(const at::Tensor& data, const at::Tensor& u) {
  at::DimVector shape(u.sizes().begin(), u.sizes().end());
  shape.back() = data.size(-1);
  return data.expand(shape);
}
// One matrix for each row of u, or one for all rows.
at::Tensor over_samples(const at::Tensor& matrix, const at::Tensor& u) {
  if (matrix.dim() == 2) return matrix;
  at::DimVector shape(u.sizes().begin(), u.sizes().end() - 1);
  shape.push_back(matrix.size(-2));
  shape.push_back(matrix.size(-1));
  return matrix.expand(shape);
}

// --- Bounds. ----------------------------------------------------------------------------------------------------------

// tau with sum_j clip(u_j - tau, lower_j, upper_j) = sum, for each row, by bisection: the sum falls in tau.
at::Tensor threshold(const at::Tensor& u, const at::Tensor& lower, const at::Tensor& upper, const at::Tensor& sum) {
  constexpr int kHalvings = 80;
  at::Tensor low = (u - upper).amin(-1, true);
  at::Tensor high = (u - lower).amax(-1, true);
  for (int i = 0; i < kHalvings; ++i) {
    const at::Tensor middle = low + (high - low) / 2;
    const at::Tensor above = at::minimum(at::maximum(u - middle, lower), upper).sum(-1, true) > sum;
    low = at::where(above, middle, low);
    high = at::where(above, high, middle);
  }
  return low + (high - low) / 2;
}

}  // namespace

at::Tensor nearest_in_polyhedra(const at::Tensor& u, const PolyhedraOfSamples& sets, c10::optional<int64_t> steps,
                                const MapPtr& map) {
  const at::Tensor E = sets.E ? *sets.E : at::empty({0, u.size(-1)}, u.options());
  const at::Tensor f = sets.f ? *sets.f : at::empty({0}, u.options());
  return nearest_op({u, over_rows(sets.b, u), over_rows(f, u), over_samples(sets.A, u), over_samples(E, u)}, steps,
                    map)[0];
}

// Derivatives come from the linear piece at tau: the free coordinates share what the others leave of the sum.
at::Tensor nearest_in_bounds(const at::Tensor& u, const BoundsData& sets) {
  if (!sets.sum) return at::minimum(at::maximum(u, sets.lower), sets.upper);
  const at::Tensor sum = *sets.sum;
  // A cap that no point of the set reaches is lowered to what is reachable, so that every bound is finite.
  const at::Tensor lower = sets.lower.expand_as(u);
  const at::Tensor reachable = lower + (sum - lower.sum(-1, true));
  const at::Tensor upper = at::minimum(sets.upper.expand_as(u), reachable);
  const at::Tensor tau = threshold(u.detach(), lower.detach(), upper.detach(), sum.detach());
  const at::Tensor at_low = u.detach() - tau <= lower.detach();
  const at::Tensor at_high = (u.detach() - tau >= upper.detach()).logical_and(at_low.logical_not());
  const at::Tensor free = at_low.logical_or(at_high).logical_not();
  const at::Tensor held = at::where(at_low, lower, at::where(at_high, upper, at::zeros_like(u))).sum(-1, true);
  const at::Tensor count = free.sum(-1, true);
  const at::Tensor among_free = composite::where_else(free, u, 0);
  const at::Tensor share = (sum - held - among_free.sum(-1, true)) / count.clamp_min(1);
  return at::where(free, at::minimum(at::maximum(u + share, lower), upper), at::where(at_low, lower, upper));
}

at::Tensor nearest_in_balls(const at::Tensor& u, const at::Tensor& center, const at::Tensor& radius) {
  const at::Tensor d = u - center;
  const at::Tensor length = composite::safe_norm(d);
  const at::Tensor outside = length > radius;
  return center + d * composite::where_else(outside, radius / composite::where_else(outside, length, 1), 1);
}

TORCH_LIBRARY_IMPL(softradial, CompositeExplicitAutograd, m) {
  m.impl("nearest_polyhedra", nearest_kernel);
  m.impl("nearest_polyhedra_backward", nearest_backward_kernel);
}
TORCH_LIBRARY_IMPL(softradial, Meta, m) {
  m.impl("nearest_polyhedra", nearest_meta);
  m.impl("nearest_polyhedra_backward", nearest_backward_meta);
}
TORCH_LIBRARY_IMPL(softradial, Autograd, m) {
  m.impl("nearest_polyhedra", nearest_autograd);
  m.impl("nearest_polyhedra_backward", nearest_backward_autograd);
}

}  // namespace softradial::ops
