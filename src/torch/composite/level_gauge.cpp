#include "composite/level_gauge.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "composite/safe_math.hpp"
#include "eigen_tensors.hpp"
#include "softradial/errors.hpp"

namespace softradial::composite {
namespace {

// h(u0 + t v) and its slope in t, both (..., 1).
struct Along {
  at::Tensor value;
  at::Tensor slope;
};
using AlongRay = std::function<Along(const at::Tensor& point, const at::Tensor& v)>;

// sign(y) |y|^(p-1) / |y|_p^(p-1): the gradient of |y|_p.
at::Tensor lp_normal(const at::Tensor& y, const at::Tensor& norm, double p) {
  if (std::isinf(p)) return y.sign() * (y.abs() >= norm);
  if (p == 1) return y.sign();
  const at::Tensor ratio = y.abs() / norm;
  const at::Tensor inside = ratio > 0;
  const at::Tensor power = where_else(inside, ratio, 1).pow(p - 1);
  return y.sign() * where_else(inside, power, 0);
}

struct MakeAlong {
  const at::TensorOptions& options;

  AlongRay operator()(const LpDistanceForm& h) const {
    return [center = ops::to_tensor(h.center).to(options), h](const at::Tensor& point, const at::Tensor& v) -> Along {
      const at::Tensor y = point - center;
      const at::Tensor norm = lp_norm(y, h.p);
      const at::Tensor positive = where_else(norm > 0, norm, 1);
      return {norm - h.radius, (lp_normal(y, positive, h.p) * v).sum(-1, true)};
    };
  }

  AlongRay operator()(const LogSumExpForm& h) const {
    return [h](const at::Tensor& point, const at::Tensor& v) -> Along {
      return {point.logsumexp(-1, true) - h.bound, (point.softmax(-1) * v).sum(-1, true)};
    };
  }

  AlongRay operator()(const DivergenceForm& h) const {
    return [reference = ops::to_tensor(h.reference).to(options), h](const at::Tensor& point,
                                                                    const at::Tensor& v) -> Along {
      const at::Tensor edge = h.edge * reference;
      const at::Tensor logs = (at::maximum(point, edge) / reference).log();
      const at::Tensor terms = at::where(point >= edge, point * logs, point * (logs + 1) - edge);
      return {terms.sum(-1, true) - h.radius, ((logs + 1) * v).sum(-1, true)};
    };
  }

  AlongRay operator()(const std::shared_ptr<const ConvexFunction>&) const {
    throw InvalidSet("level_set: a function given as C++ callables has no form in tensors");
  }
};

// The exit t, in [nearest, longest]: halvings of the bracket on a log scale, then Newton from outside, where a convex
// function's tangents lead back to the root without passing it. `longest` where the ray does not leave before.
at::Tensor find_exit(const AlongRay& h, const at::Tensor& u0, const at::Tensor& v, const at::Tensor& longest) {
  constexpr int kHalvings = 18;    // from a ratio of 2^52 to one of 1 + 2e-4
  constexpr int kNewtonSteps = 5;  // each doubles the digits
  const at::NoGradGuard no_grad;
  at::Tensor high = longest.expand_as(v.narrow(-1, 0, 1));
  at::Tensor low = high * std::numeric_limits<double>::epsilon();
  for (int i = 0; i < kHalvings; ++i) {
    const at::Tensor middle = low.sqrt() * high.sqrt();
    const at::Tensor inside = h(u0 + middle * v, v).value <= 0;
    low = at::where(inside, middle, low);
    high = at::where(inside, high, middle);
  }
  const at::Tensor leaves = high < longest;
  at::Tensor t = high;
  for (int i = 0; i < kNewtonSteps; ++i) {
    const Along at_t = h(u0 + t * v, v);
    const at::Tensor step = at_t.value / at_t.slope;
    const at::Tensor next = t - step;
    t = at::where((at_t.slope > 0).logical_and(next >= low).logical_and(next <= t), next, t);
  }
  return at::where(leaves, t, longest.expand_as(t));
}

}  // namespace

at::Tensor lp_norm(const at::Tensor& d, double p) {
  const at::Tensor sizes = d.abs();
  if (std::isinf(p)) return largest(sizes);
  if (p == 1) return sizes.sum(-1, true);
  const at::Tensor top = std::get<0>(sizes.max(-1, true)).detach();
  const at::Tensor unit = where_else(top > 0, top, 1);
  const at::Tensor ratio = sizes / unit;
  if (p == 2) return unit * safe_norm(ratio);
  const at::Tensor inside = ratio > 0;
  const at::Tensor power = where_else(inside, ratio, 1).pow(p);
  const at::Tensor sum = where_else(inside, power, 0).sum(-1, true);
  const at::Tensor positive = sum > 0;
  return unit * where_else(positive, where_else(positive, sum, 1).pow(1 / p), 0);
}

Gauge make_level_gauge(const LevelFunction& function, const at::Tensor& u0, const at::Tensor& longest) {
  const at::TensorOptions doubles = u0.options();
  return [h = std::visit(MakeAlong{doubles}, function), u0, longest](const at::Tensor& direction) {
    const at::Tensor d = direction.to(at::kDouble);
    const at::Tensor length = safe_norm(d);
    const at::Tensor moves = length > 0;
    const at::Tensor v = d / where_else(moves, length, 1);
    at::Tensor t = find_exit(h, u0.detach(), v.detach(), longest);
    const at::Tensor leaves = (t < longest).logical_and(moves);
    t = where_else(leaves, t, 1);
    for (int i = 0; i < 2; ++i) {
      const Along at_t = h(u0 + t * v, v);
      const at::Tensor usable = leaves.logical_and(at_t.slope > 0);
      t = t - where_else(usable, at_t.value / where_else(usable, at_t.slope, 1), 0);
    }
    return where_else(leaves, length / t, 0).to(direction.scalar_type());
  };
}

Gauge make_level_gauge(const LevelForm& form, const at::TensorOptions& options) {
  const at::TensorOptions doubles = options.dtype(at::kDouble);
  return [gauge = make_level_gauge(form.function, ops::to_tensor(form.u0).to(doubles),
                                   at::full({1}, form.longest, doubles)),
          grow = form.grow](const at::Tensor& d) { return grow * gauge(d); };
}

}  // namespace softradial::composite
