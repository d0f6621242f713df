#include "plane/plane_layer.hpp"

#include <cmath>
#include <numbers>

#include "softradial/errors.hpp"
#include "softradial/projection.hpp"

namespace softradial::plane {

PlaneLayer::PlaneLayer(const Layer<double>& layer, const PlaneView& view) : layer_(&layer), view_(&view) {
  const auto dim = static_cast<std::size_t>(view.origin.size());
  if (layer.input_dim() != dim || layer.dim() != dim) {
    throw InvalidSet("the layer takes " + std::to_string(layer.input_dim()) + " numbers, not a point of R^" +
                     std::to_string(dim));
  }
}

std::vector<Vector2d> PlaneLayer::project(std::span<const Vector2d> u) const {
  std::vector<Vector2d> out(u.size());
  if (u.empty()) return out;
  // One column for each point is one row of the layer. All points go at once: a vector for each would be allocated anew.
  const auto count = static_cast<Eigen::Index>(u.size());
  const Eigen::Map<const Eigen::Matrix2Xd> given(u.front().data(), 2, count);
  const Eigen::MatrixXd lifted = view_->basis.lazyProduct(given).colwise() + view_->origin;
  Eigen::MatrixXd x(lifted.rows(), count);
  layer_->project({lifted.data(), u.size(), layer_->dim()}, {x.data(), u.size(), layer_->dim()}, {});
  x.colwise() -= view_->origin;
  Eigen::Map<Eigen::Matrix2Xd>(out.front().data(), 2, count) = view_->basis.transpose().lazyProduct(x);
  return out;
}

void PlaneLayer::forward(const Eigen::VectorXd& u, Eigen::VectorXd& x, std::vector<double>& state) const {
  layer_->project({u.data(), 1, layer_->dim()}, {x.data(), 1, layer_->dim()}, {state.data(), 1, state.size()});
}

Vector2d PlaneLayer::backward(const Eigen::VectorXd& u, const Eigen::VectorXd& x, std::span<const double> state,
                              const Vector2d& grad_x) const {
  const Eigen::VectorXd lifted = view_->basis * grad_x;
  Eigen::VectorXd grad_u(u.size());
  const std::size_t dim = layer_->dim();
  layer_->project_vjp({u.data(), 1, dim}, {x.data(), 1, dim}, {state.data(), 1, state.size()}, {lifted.data(), 1, dim},
                      {grad_u.data(), 1, dim});
  return view_->basis.transpose() * grad_u;
}

Eigen::Matrix2d PlaneLayer::jacobian(const Vector2d& u) const {
  Eigen::Matrix2d out;
  for (int row = 0; row < 2; ++row) {
    out.row(row) = pull_back(u, [row](const Vector2d&) -> Vector2d { return Vector2d::Unit(row); }).grad_u;
  }
  return out;
}

Descent descend(const PlaneLayer& layer, const Vector2d& start, const Vector2d& target, double step, int steps) {
  Descent out;
  Vector2d u = start;
  for (int k = 0; k <= steps; ++k) {
    const auto [x, grad_u] = layer.pull_back(u, [&](const Vector2d& at) -> Vector2d { return at - target; });
    out.u.push_back(u);
    out.x.push_back(x);
    out.loss.push_back((x - target).squaredNorm() / 2);
    u -= step * grad_u;
  }
  return out;
}

std::vector<Vector2d> boundary(const Set& set, const Anchor& anchor, const PlaneView& view, double radius) {
  const LayerPtr<double> layer = make_layer<double>(set, HardRadial{}, {.anchor_point = anchor.point});
  const PlaneLayer exit(*layer, view);
  const Vector2d center = view.flattened(anchor.point);
  const auto at = [&](double angle) {
    const Vector2d far = center + radius * Vector2d(std::cos(angle), std::sin(angle));
    return exit.project({&far, 1}).front();
  };
  std::vector<Vector2d> points;
  // Adds the points after `a` up to `b`. An arc is halved until its middle lies on the chord: straight edges take no point, and
  // corners are found to one part in 2^kDepth of the first arc.
  constexpr int kArcs = 90;
  constexpr int kDepth = 14;
  constexpr double kFlat = 2e-4;
  const auto add = [&](const auto& self, double from, const Vector2d& a, double to, const Vector2d& b,
                       int depth) -> void {
    const double half = (from + to) / 2;
    const Vector2d middle = at(half);
    const Vector2d chord = b - a;
    const Vector2d off = middle - a;
    const double distance = std::abs(chord.x() * off.y() - chord.y() * off.x()) / std::max(chord.norm(), 1e-300);
    if (depth == 0 || distance < kFlat * (middle - center).norm()) {
      points.push_back(b);
      return;
    }
    self(self, from, a, half, middle, depth - 1);
    self(self, half, middle, to, b, depth - 1);
  };
  const double arc = 2 * std::numbers::pi / kArcs;
  Vector2d last = at(0);
  for (int k = 0; k < kArcs; ++k) {
    const Vector2d next = at((k + 1) * arc);
    add(add, k * arc, last, (k + 1) * arc, next, kDepth);
    last = next;
  }
  return points;
}

}  // namespace softradial::plane
