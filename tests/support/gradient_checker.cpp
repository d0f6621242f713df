#include "support/gradient_checker.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "support/gauge_probe.hpp"
#include "support/point_layer.hpp"

namespace softradial::support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Step relative to |u - u0|: truncation O(h^4) = 1e-16, rounding 1e-16 / 1e-4 = 1e-12, times the set's condition.
constexpr double kStep = 1e-4;
// Central differences with steps h and 2h agree to O(h^2) = 1e-8 times the third derivative on smooth pieces.
constexpr double kSmooth = 3e-6;

MatrixXd jacobian_by_vjp(PointLayer& layer, const VectorXd& u) {
  MatrixXd jacobian(u.size(), u.size());
  for (Eigen::Index i = 0; i < u.size(); ++i) jacobian.row(i) = layer.vjp(u, VectorXd::Unit(u.size(), i)).transpose();
  return jacobian;
}

MatrixXd jacobian_by_jvp(PointLayer& layer, const VectorXd& u) {
  MatrixXd jacobian(u.size(), u.size());
  for (Eigen::Index j = 0; j < u.size(); ++j) jacobian.col(j) = layer.jvp(u, VectorXd::Unit(u.size(), j));
  return jacobian;
}

bool same_piece(GaugeProbe& probe, const VectorXd& d, const VectorXd& e) {
  const GaugeAt<double> a = probe.at(d);
  const GaugeAt<double> b = probe.at(e);
  return a.active == b.active && (a.gamma > 1) == (b.gamma > 1) && (a.gamma > 0) == (b.gamma > 0);
}

}  // namespace

GradientReport check_gradients(const Projection<double>& projection, RandomPoints& random,
                               const std::vector<double>& scales, std::size_t per_scale) {
  const Anchor& anchor = projection.anchor();
  PointLayer layer(projection.set(), projection.method(), {.anchor_point = anchor.point});
  GaugeProbe probe(projection.set(), anchor);
  const Batch<double> samples = rows_at_scales<double>(random, anchor.point, scales, per_scale);

  GradientReport report;
  for (std::size_t i = 0; i < samples.count(); ++i) {
    const VectorXd u = samples.get(i);
    const VectorXd d = anchor.hull.project(u) - anchor.point;
    const VectorXd v = random.unit_on(anchor.hull);
    const double h = kStep * d.norm();

    const MatrixXd by_jvp = jacobian_by_jvp(layer, u);
    const double size = by_jvp.norm();
    report.vjp_against_jvp = std::max(report.vjp_against_jvp, (jacobian_by_vjp(layer, u) - by_jvp).norm() / size);

    const VectorXd narrow = (layer.project(u + h * v) - layer.project(u - h * v)) / (2 * h);
    const VectorXd wide = (layer.project(u + 2 * h * v) - layer.project(u - 2 * h * v)) / (4 * h);
    const bool one_piece = same_piece(probe, d, d + 2 * h * v) && same_piece(probe, d, d - 2 * h * v);
    if (!one_piece || (narrow - wide).norm() > kSmooth * size) {
      ++report.near_kinks;
      continue;
    }
    ++report.checked;
    const VectorXd difference = (4 * narrow - wide) / 3;
    report.jvp_against_difference = std::max(report.jvp_against_difference, (by_jvp * v - difference).norm() / size);
  }
  return report;
}

}  // namespace softradial::support
