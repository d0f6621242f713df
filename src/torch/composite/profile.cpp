#include "composite/profile.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <variant>

#include "composite/safe_math.hpp"

// The formulas of src/core/profile.hpp in tensors. A branch that is not taken is given harmless arguments, since autograd
// runs through both sides of a `where`.
namespace softradial::composite {
namespace {

// Keeps the ratio lambda / scale^2 away from 0 and infinity; beyond, r is 1 to the last bit.
constexpr double kSmallest = 1e-30;

// r, and log of its elasticity 2 rho r' / r, at rho scale^2.
struct Contracted {
  at::Tensor r;
  at::Tensor log_elasticity;
};

Contracted contract(const SoftRadial& m, const ScaledRay& ray) {
  const at::Tensor unit = (m.lambda / ray.scale / ray.scale).clamp_min(kSmallest);  // lambda in units of scale^2
  const at::Tensor moves = ray.rho > 0;
  const double rest = 1 - m.epsilon;
  switch (m.contraction) {
    case Contraction::rational: {
      const at::Tensor low = ray.rho + m.epsilon * unit;
      const at::Tensor high = ray.rho + unit;
      return {low / high, (2 * rest * unit * where_else(moves, ray.rho, 1) / (low * high)).log()};
    }
    case Contraction::exponential: {
      const at::Tensor z = ray.rho / unit;
      const at::Tensor r = m.epsilon + rest * one_minus_exp(z);
      return {r, (2 * rest * where_else(moves, z, 1) / r).log() - z};
    }
    case Contraction::hyperbolic: {
      const at::Tensor z = ray.rho / unit;
      const at::Tensor r = m.epsilon + rest * z.tanh();
      return {r, (8 * rest * where_else(moves, z, 1) / r).log() - 2 * z - 2 * at::log1p(at::exp(-2 * z))};
    }
  }
  return {};
}

at::Tensor reach(const ScaledRay& ray) {
  const at::Tensor outside = ray.gamma * ray.scale > 1;
  return at::where(outside, 1 / where_else(outside, ray.gamma, 1), ray.scale);
}

struct Step {
  const ScaledRay& ray;

  at::Tensor operator()(const SoftRadial& m) const { return contract(m, ray).r * reach(ray); }
  at::Tensor operator()(const HardRadial&) const { return reach(ray); }
  at::Tensor operator()(const GaugeMap& m) const {
    if (m.contraction == Contraction::rational) return 1 / (m.lambda / ray.scale + ray.gamma);
    // s(z) / z * scale / lambda, with the limit 1 of s(z) / z at z = 0
    const at::Tensor z = ray.gamma * ray.scale / m.lambda;
    const at::Tensor away = z > 0;
    const at::Tensor gamma = where_else(away, ray.gamma, 1);
    const at::Tensor s = m.contraction == Contraction::exponential ? one_minus_exp(z) : z.tanh();
    return at::where(away, s / gamma, ray.scale / m.lambda);
  }
};

struct ScaleLogs {
  const ScaledRay& ray;

  LogScale operator()(const SoftRadial& m) const {
    const Contracted c = contract(m, ray);
    const at::Tensor gamma = ray.gamma * ray.scale;
    const at::Tensor outside = gamma > 1;
    const at::Tensor moves = ray.rho > 0;
    const at::Tensor inside_radial = where_else(moves, at::log1p(c.log_elasticity.exp()), 0);
    const at::Tensor log_gamma = where_else(outside, gamma, 1).log();
    return {c.r.log() - log_gamma, at::where(outside, c.log_elasticity, inside_radial)};
  }

  LogScale operator()(const HardRadial&) const {
    const at::Tensor gamma = ray.gamma * ray.scale;
    const at::Tensor outside = gamma > 1;
    return {-where_else(outside, gamma, 1).log(),
            (0 * gamma).masked_fill(outside, -std::numeric_limits<double>::infinity())};
  }

  LogScale operator()(const GaugeMap& m) const {
    const at::Tensor z = ray.gamma * ray.scale / m.lambda;
    const double log_phi_at_0 = -std::log(m.lambda);
    if (m.contraction == Contraction::rational) {
      const at::Tensor log_slack = -at::log1p(z);
      return {log_slack + log_phi_at_0, log_slack};
    }
    const at::Tensor away = z > 0;
    const at::Tensor zs = where_else(away, z, 1);
    const bool exponential = m.contraction == Contraction::exponential;
    const at::Tensor s = exponential ? one_minus_exp(zs) : zs.tanh();
    const at::Tensor log_radial =
        exponential ? zs.log() - zs - s.log() : (4 * zs).log() - 2 * zs - one_minus_exp(4 * zs).log();
    return {log_phi_at_0 + where_else(away, s.log() - zs.log(), 0), where_else(away, log_radial, 0)};
  }
};

}  // namespace

at::Tensor step(const Method& method, const ScaledRay& ray) { return std::visit(Step{ray}, method); }

LogScale log_scale(const Method& method, const ScaledRay& ray) { return std::visit(ScaleLogs{ray}, method); }

}  // namespace softradial::composite
