#include "composite/anchored.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "composite/level_gauge.hpp"
#include "composite/safe_math.hpp"
#include "composite/samples.hpp"
#include "eigen_tensors.hpp"
#include "softradial/errors.hpp"

// The set-up of src/core/gauges in tensors. Constants are computed in double, directions come in the working type.
namespace softradial::composite {
namespace {

at::Tensor row_dot(const at::Tensor& a, const at::Tensor& b) { return (a * b).sum(-1, true); }

// sigma, kappa of docs/math/margin.md for a gauge of at most `lipschitz` over unit vectors (..., 1); `setup` bounds the
// relative error of constants that are computed in double.
struct TensorMargin {
  at::Tensor sigma;
  at::Tensor kappa;
};

TensorMargin margin(const at::Tensor& lipschitz, double terms, const at::Tensor& anchor, at::ScalarType type,
                    const at::Tensor& setup) {
  const double working = ulp(working_type(type));
  const double rounding = type == working_type(type) ? working : ulp(type);
  const at::Tensor size = (anchor * anchor).sum(-1, true).sqrt();
  return {(working * (8 + terms / 2) + setup + rounding * (1 + lipschitz * size)).detach(),
          ((working * (terms / 2 + 2) + rounding) * lipschitz).detach()};
}

// The relative error of a slack that is the difference of terms of these sizes, in double.
at::Tensor doubt(const at::Tensor& sizes, const at::Tensor& slack, double terms) {
  return 4 * std::numeric_limits<double>::epsilon() * (terms + 4) * (1 + sizes / slack);
}

at::Tensor size_of(const at::Tensor& v) { return (v * v).sum(-1, true).sqrt(); }

// A gauge divided by 1 - sigma, in the working type, switched off where the anchor is not inside.
AnchoredGauge guard(Gauge gauge, const TensorMargin& margin, const at::Tensor& inside, at::ScalarType type) {
  constexpr double kMostSigma = 0.25;
  const at::Tensor interior = inside.logical_and(margin.sigma < kMostSigma);
  const at::ScalarType working = working_type(type);
  const at::Tensor grow = (1 / (1 - where_else(interior, margin.sigma, 0))).to(working);
  return {[gauge = std::move(gauge), grow](const at::Tensor& d) { return grow * gauge(d); },
          where_else(interior, margin.kappa, 0).to(working), interior};
}

// gamma(d) = beta.d + sqrt(|L d|^2 / A + (beta.d)^2): docs/math/margin.md. `factor` (rank, n) is L; undefined: the identity.
// `sizes` are those of the terms that A is the difference of.
AnchoredGauge quadratic_gauge(const at::Tensor& A, const at::Tensor& sizes, const at::Tensor& g,
                              const at::Tensor& factor, const at::Tensor& anchor, at::ScalarType type) {
  const at::Tensor inside = A > 0;
  const at::Tensor room = where_else(inside, A, 1);
  const at::Tensor beta = g / room;
  const double spread = factor.defined() ? factor.norm().item<double>() : 1.0;
  const at::Tensor lipschitz = 2 * safe_norm(beta) + spread / room.sqrt();
  const double terms = static_cast<double>(anchor.size(-1) + (factor.defined() ? factor.size(0) : 0));
  const at::ScalarType working = working_type(type);
  const at::Tensor columns = factor.defined() ? factor.t().to(working) : at::Tensor();
  const at::Tensor inverse = (1 / room).to(working);
  return guard(
      [columns, inverse, beta = beta.to(working)](const at::Tensor& d) {
        const at::Tensor image = columns.defined() ? d.matmul(columns) : d;
        return quadratic_root(inverse * row_dot(image, image), row_dot(beta, d));
      },
      margin(lipschitz, terms, anchor, type, doubt(sizes, room, terms)), inside, type);
}

// L with L'L = P for a positive semidefinite P.
at::Tensor psd_factor(const at::Tensor& P) {
  const auto [values, vectors] = at::linalg_eigh(P);
  return (vectors * values.clamp_min(0).sqrt()).t();
}

AnchoredGauge rows_gauge(const at::Tensor& A, const at::Tensor& b, const at::Tensor& anchor, at::ScalarType type) {
  const at::Tensor slack = b - anchor.matmul(A.t());
  const at::Tensor norms = (A * A).sum(-1).sqrt();
  const at::Tensor counts = norms > 0;
  const at::Tensor good = (slack > 0).logical_or(counts.bitwise_not());
  const at::Tensor usable = good.logical_and(counts);
  const at::Tensor scale = where_else(usable, 1 / where_else(usable, slack, 1), 0);
  const at::ScalarType working = working_type(type);
  return guard([columns = A.t().to(working),
                scale = scale.to(working)](const at::Tensor& d) { return largest(d.matmul(columns) * scale).relu(); },
               margin(largest(norms * scale), static_cast<double>(A.size(1)), anchor, type,
                      largest(doubt(norms * size_of(anchor) + b.abs(), where_else(usable, slack, 1),
                                    static_cast<double>(A.size(1))))),
               good.all(-1, true), type);
}

AnchoredGauge sides(const at::Tensor& lower, const at::Tensor& upper, const at::Tensor& anchor, at::ScalarType type) {
  const at::Tensor above = where_else(upper.isfinite(), upper - anchor, 1);
  const at::Tensor below = where_else(lower.isfinite(), anchor - lower, 1);
  const at::Tensor inside = (above > 0).logical_and(below > 0);
  const at::Tensor up = where_else(upper.isfinite(), 1 / where_else(inside, above, 1), 0);
  const at::Tensor down = where_else(lower.isfinite(), 1 / where_else(inside, below, 1), 0);
  const at::ScalarType working = working_type(type);
  const at::Tensor steepest = largest(at::maximum(up, down));
  return guard([up = up.to(working), down = down.to(working)](const at::Tensor& d) { return sides_gauge(d, up, down); },
               margin(steepest, 1, anchor, type, doubt(at::zeros_like(steepest), at::ones_like(steepest), 1)),
               inside.all(-1, true), type);
}

// The boost of src/core/gauges/cone_gauge.cpp.
AnchoredGauge cone_gauge(const at::Tensor& M, const at::Tensor& s, const at::Tensor& c, double e,
                         const at::Tensor& anchor, at::ScalarType type) {
  const at::Tensor w0 = anchor.matmul(M.t()) + s;
  const at::Tensor t0 = row_dot(c, anchor) + e;
  const at::Tensor length = safe_norm(w0);
  const at::Tensor inside = t0 > length;
  const at::Tensor a = where_else(inside, (t0 - length) * (t0 + length), 1).sqrt();
  const at::Tensor omega = w0 / a;
  const at::Tensor omega_t = where_else(inside, t0, 1) / a;
  const at::Tensor tau = (omega_t * c - omega.matmul(M)) / a;
  const at::Tensor sweep = (c + a * tau) / (1 + omega_t);
  const at::Tensor lipschitz = (M.norm() + safe_norm(omega) * safe_norm(sweep)) / a + safe_norm(tau);
  const double terms = static_cast<double>(M.size(0) + M.size(1));
  const at::Tensor sizes = (M.norm() + c.norm()) * size_of(anchor) + s.norm() + std::abs(e);
  const at::ScalarType working = working_type(type);
  return guard(
      [columns = M.t().to(working), omega = omega.to(working), sweep = sweep.to(working), a = a.to(working),
       tau = tau.to(working)](const at::Tensor& d) {
        const at::Tensor image = d.matmul(columns) - omega * row_dot(sweep, d);
        return (safe_norm(image) / a - row_dot(tau, d)).relu();
      },
      margin(lipschitz, terms, anchor, type, doubt(sizes, where_else(inside, t0 - length, 1), terms)), inside, type);
}

AnchoredGauge lmi_gauge(const at::Tensor& F, const at::Tensor& anchor, at::ScalarType type) {
  const at::Tensor directions = F.slice(0, 1);
  const at::Tensor at_anchor = F[0] + at::tensordot(anchor, directions, {-1}, {0});
  const at::Tensor inside = std::get<1>(at::linalg_cholesky_ex(at_anchor.detach())) == 0;
  const at::Tensor eye = at::eye(F.size(-1), F.options());
  const at::Tensor L = at::linalg_cholesky(at::where(inside.unsqueeze(-1).unsqueeze(-1), at_anchor, eye));
  const at::Tensor inverse = at::linalg_inv(L);
  const at::Tensor lipschitz = inverse.square().sum({-1, -2}).unsqueeze(-1) * directions.norm();
  return guard(
      [directions, inverse, type](const at::Tensor& d) {
        const at::Tensor sum = at::tensordot(d.to(at::kDouble), directions, {-1}, {0});
        const at::Tensor G = -inverse.matmul(sum).matmul(inverse.transpose(-1, -2));
        return at::linalg_eigvalsh(G).narrow(-1, G.size(-1) - 1, 1).relu().to(d.scalar_type());
      },
      margin(lipschitz, 8.0 * static_cast<double>(F.size(-1)), anchor, type,
             doubt(lipschitz * size_of(anchor) + inverse.square().sum({-1, -2}).unsqueeze(-1) * F[0].norm(),
                   at::ones_like(lipschitz), static_cast<double>(F.size(-1)))),
      inside.unsqueeze(-1), type);
}

// {h <= 0} for an h that a ball of radius slack / steepest around the anchor does not leave.
// `sizes` are those of the terms of h.
AnchoredGauge level_gauge(const LevelFunction& h, const at::Tensor& slack, const at::Tensor& sizes, double steepest,
                          const at::Tensor& anchor, at::ScalarType type) {
  const at::Tensor inside = slack > 0;
  const at::Tensor lipschitz = steepest / where_else(inside, slack, 1);
  const at::Tensor longest = 1 / (lipschitz * std::numeric_limits<double>::epsilon());
  return guard(make_level_gauge(h, at::where(inside, anchor, anchor.detach()), longest.detach()),
               margin(lipschitz, 8, anchor, type,
                      doubt(sizes, where_else(inside, slack, 1), static_cast<double>(anchor.size(-1)))),
               inside, type);
}

// The fields of a description, as tensors in double.
class Fields {
 public:
  Fields(const Description& set, const at::Tensor& like) : set_(set), device_(like.device()) {}

  [[nodiscard]] const Description::Value& value(const std::string& name) const {
    for (const auto& [key, value] : set_.fields) {
      if (key == name) return value;
    }
    throw InvalidSet(set_.type + ": no field " + name);
  }
  [[nodiscard]] double number(const std::string& name) const { return std::get<double>(value(name)); }
  [[nodiscard]] at::Tensor vector(const std::string& name) const {
    return ops::to_tensor(std::get<Eigen::VectorXd>(value(name))).to(device_);
  }
  [[nodiscard]] at::Tensor matrix(const std::string& name) const {
    return ops::to_tensor(std::get<Eigen::MatrixXd>(value(name))).to(device_);
  }
  [[nodiscard]] const std::vector<Description>& parts(const std::string& name) const {
    return std::get<std::vector<Description>>(value(name));
  }
  [[nodiscard]] at::Tensor matrices(const std::string& name) const {
    std::vector<at::Tensor> all;
    for (const auto& m : std::get<std::vector<Eigen::MatrixXd>>(value(name))) all.push_back(ops::to_tensor(m));
    return at::stack(all).to(device_);
  }

 private:
  const Description& set_;
  at::Device device_;
};

AnchoredGauge largest_of(const std::vector<AnchoredGauge>& parts,
                         const std::vector<std::pair<int64_t, int64_t>>& columns) {
  std::vector<Gauge> gauges;
  at::Tensor kappa = parts.front().kappa;
  at::Tensor interior = parts.front().interior;
  for (const AnchoredGauge& part : parts) {
    gauges.push_back(part.gauge);
    kappa = at::maximum(kappa, part.kappa);
    interior = interior.logical_and(part.interior);
  }
  return {[gauges, columns](const at::Tensor& d) {
            std::vector<at::Tensor> values;
            for (std::size_t i = 0; i < gauges.size(); ++i) {
              values.push_back(gauges[i](d.narrow(-1, columns[i].first, columns[i].second)));
            }
            return largest(at::cat(values, -1));
          },
          kappa, interior};
}

std::size_t dim_of(const Description& set);

using Builder = AnchoredGauge (*)(const Description&, const Fields&, const at::Tensor& anchor, at::ScalarType type);

at::Tensor filled(const at::Tensor& anchor, double value) {
  return at::full({anchor.size(-1)}, value, anchor.options());
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const std::map<std::string, Builder>& builders() {
  static const std::map<std::string, Builder> all{
      {"box", [](const Description&, const Fields& f, const at::Tensor& u0,
                 at::ScalarType type) { return sides(f.vector("lower"), f.vector("upper"), u0, type); }},
      {"simplex", [](const Description&, const Fields&, const at::Tensor& u0,
                     at::ScalarType type) { return sides(filled(u0, 0), filled(u0, kInfinity), u0, type); }},
      {"capped_simplex",
       [](const Description&, const Fields& f, const at::Tensor& u0, at::ScalarType type) {
         const auto* const one = std::get_if<double>(&f.value("cap"));
         return sides(filled(u0, 0), one != nullptr ? filled(u0, *one) : f.vector("cap"), u0, type);
       }},
      {"polyhedron", [](const Description&, const Fields& f, const at::Tensor& u0,
                        at::ScalarType type) { return rows_gauge(f.matrix("A"), f.vector("b"), u0, type); }},
      {"ball",
       [](const Description&, const Fields& f, const at::Tensor& u0, at::ScalarType type) {
         return ball_gauge(f.vector("center"), filled(u0, f.number("radius")).narrow(0, 0, 1), u0, type);
       }},
      {"ellipsoid",
       [](const Description&, const Fields& f, const at::Tensor& u0, at::ScalarType type) {
         return ellipsoid_gauge(f.vector("center"), f.matrix("shape"), u0, type);
       }},
      {"quadratic",
       [](const Description&, const Fields& f, const at::Tensor& u0, at::ScalarType type) {
         const at::Tensor P = f.matrix("P");
         const at::Tensor q = f.vector("q");
         const at::Tensor image = u0.matmul(P);
         const at::Tensor A = -(row_dot(u0, image) + 2 * row_dot(q, u0) + 2 * f.number("c"));
         const at::Tensor sizes =
             P.norm() * size_of(u0).square() + 2 * q.norm() * size_of(u0) + 2 * std::abs(f.number("c"));
         return quadratic_gauge(A, sizes, image + q, psd_factor(P), u0, type);
       }},
      {"second_order_cone",
       [](const Description&, const Fields& f, const at::Tensor& u0, at::ScalarType type) {
         return cone_gauge(f.matrix("M"), f.vector("s"), f.vector("c"), f.number("e"), u0, type);
       }},
      {"lmi", [](const Description&, const Fields& f, const at::Tensor& u0,
                 at::ScalarType type) { return lmi_gauge(f.matrices("F"), u0, type); }},
      {"lp_ball",
       [](const Description&, const Fields& f, const at::Tensor& u0, at::ScalarType type) {
         const double p = f.number("p");
         const double radius = f.number("radius");
         const at::Tensor slack = radius - lp_norm(u0 - f.vector("center"), p).detach();
         // |v|_p <= n^max(0, 1/p - 1/2) |v|_2
         const double steepest = std::pow(static_cast<double>(u0.size(-1)), std::max(0.0, 1 / p - 0.5));
         const auto& center = std::get<Eigen::VectorXd>(f.value("center"));
         return level_gauge(LpDistanceForm{center, radius, p}, slack, size_of(u0) + center.norm() + radius, steepest,
                            u0, type);
       }},
      {"log_sum_exp",
       [](const Description&, const Fields& f, const at::Tensor& u0, at::ScalarType type) {
         const at::Tensor slack = f.number("bound") - u0.detach().logsumexp(-1, true);
         const at::Tensor sizes = largest(u0.abs()) + std::abs(f.number("bound")) + 1;
         return level_gauge(LogSumExpForm{f.number("bound")}, slack, sizes, 1, u0, type);
       }},
      {"kl_ball",
       [](const Description&, const Fields& f, const at::Tensor& u0, at::ScalarType type) {
         // As in the core: the divergence, continued by its tangents below kEdge r_j, and the bounds x >= 0 that it implies.
         constexpr double kEdge = std::numeric_limits<double>::epsilon();
         const auto& reference = std::get<Eigen::VectorXd>(f.value("reference"));
         const double radius = f.number("radius");
         const at::Tensor r = f.vector("reference");
         const at::Tensor inside = at::maximum(u0.detach(), kEdge * r);
         const at::Tensor slack = radius - (inside * (inside / r).log()).sum(-1, true);
         // Slopes of the curve for x in [0, 2], where the sum leaves every point of the ball, and of its tangents.
         const double slope = std::max(-std::log(kEdge), std::log(2 / reference.minCoeff())) + 1;
         const double steepest = slope * std::sqrt(static_cast<double>(reference.size()));
         const AnchoredGauge curve = level_gauge(DivergenceForm{reference, radius, kEdge}, slack,
                                                 filled(u0, radius + 2).narrow(0, 0, 1), steepest, u0, type);
         return largest_of({curve, sides(filled(u0, 0), filled(u0, kInfinity), u0, type)}, {2, {0, u0.size(-1)}});
       }},
      {"intersection",
       [](const Description&, const Fields& f, const at::Tensor& u0, at::ScalarType type) {
         std::vector<AnchoredGauge> parts;
         for (const Description& part : f.parts("sets")) parts.push_back(anchored_gauge(part, u0, type));
         return largest_of(parts, {parts.size(), {0, u0.size(-1)}});
       }},
      {"product",
       [](const Description&, const Fields& f, const at::Tensor& u0, at::ScalarType type) {
         std::vector<AnchoredGauge> parts;
         std::vector<std::pair<int64_t, int64_t>> columns;
         int64_t first = 0;
         for (const Description& part : f.parts("sets")) {
           const auto dim = static_cast<int64_t>(dim_of(part));
           columns.emplace_back(first, dim);
           parts.push_back(anchored_gauge(part, u0.narrow(-1, first, dim), type));
           first += dim;
         }
         return largest_of(parts, columns);
       }},
      {"affine_preimage",
       [](const Description&, const Fields& f, const at::Tensor& u0, at::ScalarType type) {
         const at::Tensor A = f.matrix("A");
         AnchoredGauge inner = anchored_gauge(f.parts("set").front(), u0.matmul(A.t()) + f.vector("b"), type);
         // The image A d is rounded besides: as much again.
         return AnchoredGauge{[gauge = inner.gauge, columns = A.t().to(working_type(type))](const at::Tensor& d) {
                                return gauge(d.matmul(columns));
                              },
                              inner.kappa * (2 * A.norm()).to(inner.kappa.options()), inner.interior};
       }},
      {"scaled",
       [](const Description&, const Fields& f, const at::Tensor& u0, at::ScalarType type) {
         const double factor = f.number("factor");
         AnchoredGauge inner = anchored_gauge(f.parts("set").front(), u0 / factor, type);
         return AnchoredGauge{[gauge = inner.gauge, factor](const at::Tensor& d) { return gauge(d / factor); },
                              inner.kappa / factor, inner.interior};
       }},
  };
  return all;
}

std::size_t dim_of(const Description& set) {
  for (const auto& [name, value] : set.fields) {
    if (const auto* vector = std::get_if<Eigen::VectorXd>(&value)) return static_cast<std::size_t>(vector->size());
    if (name == "dim") return static_cast<std::size_t>(std::get<double>(value));
    if (name == "F") return std::get<std::vector<Eigen::MatrixXd>>(value).size() - 1;
    if (name == "set" && set.type == "scaled") return dim_of(std::get<std::vector<Description>>(value).front());
    if (const auto* matrix = std::get_if<Eigen::MatrixXd>(&value)) return static_cast<std::size_t>(matrix->cols());
    if (name == "sets") {
      const auto& parts = std::get<std::vector<Description>>(value);
      if (set.type == "intersection") return dim_of(parts.front());
      std::size_t sum = 0;
      for (const Description& part : parts) sum += dim_of(part);
      return sum;
    }
  }
  return 0;
}

}  // namespace

AnchoredGauge anchored_gauge(const Description& set, const at::Tensor& anchor, at::ScalarType type) {
  const auto known = builders().find(set.type);
  if (known == builders().end()) {
    throw InvalidSet(set.type + ": an anchor for each sample is not available for this set");
  }
  return known->second(set, Fields(set, anchor), anchor, type);
}

AnchoredGauge ball_gauge(const at::Tensor& center, const at::Tensor& radius, const at::Tensor& anchor,
                         at::ScalarType type) {
  const at::Tensor e0 = anchor - center;
  const at::Tensor length = safe_norm(e0);
  const at::Tensor room = where_else(radius > 0, (radius - length) * (radius + length), 0);
  const at::Tensor sizes = radius.square() + length * (length + size_of(anchor) + size_of(center));
  return quadratic_gauge(room, sizes, e0, {}, anchor, type);
}

AnchoredGauge ellipsoid_gauge(const at::Tensor& center, const at::Tensor& shape, const at::Tensor& anchor,
                              at::ScalarType type) {
  const at::Tensor e0 = anchor - center;
  const at::Tensor image = e0.matmul(shape);
  const at::Tensor length = size_of(e0);
  const at::Tensor sizes = 1 + shape.norm() * length * (length + size_of(anchor) + size_of(center));
  return quadratic_gauge(1 - row_dot(e0, image), sizes, image, psd_factor(shape), anchor, type);
}

}  // namespace softradial::composite
