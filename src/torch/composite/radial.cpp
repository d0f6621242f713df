#include "composite/radial.hpp"

#include <ATen/ATen.h>

#include <limits>
#include <variant>

#include "at_tensor.hpp"
#include "composite/safe_math.hpp"
#include "profile.hpp"

namespace softradial::composite {
namespace {

// The number of coordinates that are free to move, (..., 1).
at::Tensor num_free(const RadialSet& set, const at::Tensor& like) {
  return set.free.to(like.scalar_type()).sum(-1, true);
}

// Projects d onto the hull's directions twice: one pass leaves an error of ulp(|d before|) along the normals.
at::Tensor onto_hull(at::Tensor d, const RadialSet& set) {
  if (set.free.defined()) d = where_else(set.free, d, 0);
  for (int pass = 0; pass < 2; ++pass) {
    if (set.sum && set.free.defined()) {
      d = where_else(set.free, d - d.sum(-1, true) / num_free(set, d).clamp_min(1), 0);
    } else if (set.sum) {
      d = d - d.mean(-1, true);
    } else if (set.normals.defined() && set.normals.dim() > 2) {
      d = d - set.normals.mT().matmul(set.normals.matmul(d.unsqueeze(-1))).squeeze(-1);
    } else if (set.normals.defined()) {
      d = d - d.matmul(set.normals.t()).matmul(set.normals);
    }
  }
  return d;
}

struct Direction {
  at::Tensor d;       // (..., dim), divided by scale
  at::Tensor finite;  // (..., 1)
  at::Tensor rho;     // (..., 1), as the others
  at::Tensor gamma;
  at::Tensor scale;

  [[nodiscard]] ScaledRay<Tensor> ray() const { return {ops::wrap(rho), ops::wrap(gamma), ops::wrap(scale)}; }
};

// A row that is not finite is replaced by the anchor, so that it does not spoil the gradients of data that all rows
// share.
Direction direction_of(const at::Tensor& u, const RadialSet& set) {
  const at::Tensor finite = (u - u == 0).all(-1, true);
  const at::Tensor anchor = set.anchor.expand_as(u);
  const at::Tensor safe = at::where(finite, u, anchor);
  const at::Tensor scale =
      at::maximum(std::get<0>(safe.abs().max(-1, true)), std::get<0>(anchor.abs().max(-1, true))).clamp_min(1).detach();
  const at::Tensor d = onto_hull(safe / scale - anchor / scale, set);
  const at::Tensor rho = (d * d).sum(-1, true);
  return {d, finite, rho, set.gauge(d) + set.kappa * safe_sqrt(rho), scale};
}

at::Tensor or_nan(const at::Tensor& finite, const at::Tensor& values) {
  return where_else(finite, values, std::numeric_limits<double>::quiet_NaN());
}

struct Logs {
  at::Tensor phi;
  at::Tensor radial;
};
Logs logs_at(const Method& method, const ScaledRay<Tensor>& ray) {
  const LogScale<Tensor> logs = std::visit([&](const auto& m) { return log_scale(m, ray); }, method);
  return {ops::unwrap(logs.log_phi), ops::unwrap(logs.log_radial)};
}

}  // namespace

at::Tensor radial_project(const at::Tensor& u, const RadialSet& set, const Method& method) {
  const Direction at_u = direction_of(u, set);
  const Tensor reach = std::visit([&](const auto& m) { return step(m, at_u.ray()); }, method);
  // Along directions that never leave the set, x grows with u. The limit keeps x finite.
  const double most = set.type == at::kFloat ? std::numeric_limits<float>::max() : largest_number(reach);
  const at::Tensor bounded = ops::unwrap(reach).clamp_max(most / 4);
  return or_nan(at_u.finite, set.anchor + bounded * at_u.d);
}

at::Tensor radial_log_abs_det(const at::Tensor& u, const RadialSet& set, const Method& method) {
  const Direction at_u = direction_of(u, set);
  const Logs logs = logs_at(method, at_u.ray());
  const auto of = [&](const auto& hull_dim) { return hull_dim * logs.phi + logs.radial; };
  at::Tensor det = 0 * logs.phi;
  if (set.free.defined()) {
    const at::Tensor hull_dim = num_free(set, logs.phi) - (set.sum ? 1 : 0);
    det = where_else(hull_dim > 0, of(hull_dim), 0);
  } else if (set.hull_dim > 0) {
    det = of(set.hull_dim);
  }
  return or_nan(at_u.finite, det).squeeze(-1);
}

// With e = x - u0: u = u0 + t e, where log t + log phi(t^2 |e|^2, t gamma(e)) = 0. The slope in log t is e_radial, so
// that a Newton step at the root has the derivatives of the root: two steps for two orders. Only their derivatives are
// used. Their values are rounding errors divided by a slope that may be tiny; t keeps the value that was found.
at::Tensor radial_inverse(const at::Tensor& x, const at::Tensor& found, const RadialSet& set, const Method& method) {
  const at::Tensor exists = (found - found == 0).all(-1, true);
  const Direction at_x = direction_of(at::where(exists, x, set.anchor.expand_as(x)), set);
  const at::Tensor moves = (at_x.rho > 0).logical_and(exists);
  const at::Tensor length = where_else(moves, safe_sqrt(at_x.rho), 1);
  // In units of at_x.scale, by which d was divided.
  const at::Tensor reached = safe_norm(at::where(exists, found, set.anchor.expand_as(x)) - set.anchor);
  const at::Tensor root =
      where_else(moves, (reached / length).detach(), 1).clamp_min(std::numeric_limits<float>::min());
  at::Tensor log_change = at::zeros_like(root);
  for (int i = 0; i < 2; ++i) {
    const at::Tensor t = root * log_change.exp();
    const Logs logs =
        logs_at(method, {ops::wrap(t * t * at_x.rho), ops::wrap(t * at_x.gamma), ops::wrap(at::ones_like(t))});
    const at::Tensor f = log_change + logs.phi;
    log_change = log_change - where_else(moves, (f - f.detach()) / logs.radial.exp(), 0);
  }
  return or_nan(exists, set.anchor + root * log_change.exp() * at_x.d);
}

at::Tensor radial_inverse_at(const at::Tensor& x, const RadialSet& set, const Method& method) {
  // Relative to the size of x.
  constexpr double kRounding = 1e-6;
  const Direction at_x = direction_of(x.detach(), set);
  const at::Tensor e = at_x.d * at_x.scale;
  const at::Tensor eta = at_x.gamma * at_x.scale;
  const at::Tensor size = at_x.scale * at_x.scale * at_x.rho;
  const Tensor t = std::visit([&](const auto& m) { return inverse_scale(m, ops::wrap(size), ops::wrap(eta)); }, method);
  const at::Tensor off = (x.detach() - set.anchor - e).abs().amax(-1, true);
  const at::Tensor there =
      at_x.finite.logical_and(eta <= 1 + kRounding).logical_and(off <= kRounding * (1 + at_x.scale));
  const at::Tensor found = or_nan(there, set.anchor + ops::unwrap(t) * e);
  return radial_inverse(x, found.detach(), set, method);
}

}  // namespace softradial::composite
