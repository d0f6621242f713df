#include "boundary_gauge.hpp"

#include <cmath>

namespace softradial::layers {

using Eigen::Index;
using Eigen::VectorXd;

BoundaryGauge::BoundaryGauge(LinearData linear, std::vector<QuadraticConstraint> curved, const AffineHull& hull)
    : curved_(std::move(curved)) {
  const HullReach reach(hull);
  std::vector<Index> kept;
  for (Index i = 0; i < linear.A.rows(); ++i) {
    if (reach.length(linear.A.row(i)) > 0) kept.push_back(i);
  }
  A_ = linear.A(kept, Eigen::indexing::all);
  b_ = linear.b(kept);
}

BoundaryGauge::Largest BoundaryGauge::largest(const VectorXd& p, const VectorXd& w) const {
  Largest out;
  const VectorXd slack = b_ - A_ * p;
  const VectorXd along = A_ * w;
  for (Index i = 0; i < along.size(); ++i) {
    if (along[i] > out.gamma * slack[i]) {
      out.gamma = along[i] / slack[i];
      out.row = i;
    }
  }
  for (std::size_t k = 0; k < curved_.size(); ++k) {
    const double value = curved_[k].value(p);
    const double slope = curved_[k].gradient(p).dot(w);
    const double bend = 0.5 * w.dot(curved_[k].hessian() * w);
    const double root = std::sqrt(slope * slope - 4 * value * bend);
    // This form has no cancellation.
    const double gamma = slope > 0 ? (slope + root) / (-2 * value) : bend > 0 ? 2 * bend / (root - slope) : 0;
    if (gamma > out.gamma) out = {.gamma = gamma, .row = -1, .curve = static_cast<Index>(k), .root = root};
  }
  return out;
}

double BoundaryGauge::value(const VectorXd& p, const VectorXd& w) const { return largest(p, w).gamma; }

BoundaryGauge::At BoundaryGauge::at(const VectorXd& p, const VectorXd& w) const {
  const Largest most = largest(p, w);
  At out{most.gamma, VectorXd::Zero(p.size())};
  if (most.row >= 0) {
    out.normal = A_.row(most.row).transpose() / (b_[most.row] - A_.row(most.row).dot(p));
  } else if (most.curve >= 0) {
    const QuadraticConstraint& constraint = curved_[static_cast<std::size_t>(most.curve)];
    out.normal = (most.gamma * constraint.gradient(p) + constraint.hessian() * w) / most.root;
  }
  return out;
}

}  // namespace softradial::layers
