#include "reference/orthogonal_projection.hpp"

#include <algorithm>

namespace softradial::reference {

Eigen::VectorXd nearest_in_capped_simplex(const Eigen::VectorXd& u, const Eigen::VectorXd& caps, double sum) {
  const auto at = [&](double mu) { return (u.array() - mu).max(0.0).min(caps.array()).matrix().eval(); };
  // The sum of at(mu) falls from sum(caps) to 0 between these two.
  double low = (u - caps).minCoeff();
  double high = u.maxCoeff();
  for (int step = 0; step < 200; ++step) {
    const double middle = low + (high - low) / 2;
    (at(middle).sum() > sum ? low : high) = middle;
  }
  return at(high);
}

Eigen::VectorXd nearest_in_polyhedron(const Eigen::VectorXd& u, const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  Eigen::VectorXd x = u;
  Eigen::VectorXd multipliers = Eigen::VectorXd::Zero(A.rows());
  for (int sweep = 0; sweep < 100000; ++sweep) {
    const Eigen::VectorXd before = multipliers;
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      // Undo the last correction along a_i, then project: the correction is multiplier_i a_i.
      const double excess = (A.row(i).dot(x) - b[i]) / A.row(i).squaredNorm() + multipliers[i];
      const double multiplier = std::max(0.0, excess);
      x += (multipliers[i] - multiplier) * A.row(i).transpose();
      multipliers[i] = multiplier;
    }
    // x alone may stand still for a sweep while the corrections go on.
    if ((multipliers - before).norm() < 1e-14) break;
  }
  return x;
}

Eigen::VectorXd nearest_in_ball(const Eigen::VectorXd& u, const Eigen::VectorXd& center, double radius) {
  const Eigen::VectorXd d = u - center;
  return d.norm() <= radius ? u : center + radius / d.norm() * d;
}

}  // namespace softradial::reference
