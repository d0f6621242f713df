#include "active_set.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace softradial::layers {

Eigen::VectorXd solve_rows(const Eigen::MatrixXd& S, const std::vector<Eigen::Index>& active,
                           const Eigen::VectorXd& t) {
  // If active rows are dependent, S_aa is singular: their multipliers are not unique, but R'v is. A shift of the diagonal
  // far below the entries of S (rows have length 1, Q is of order 1) picks one solution, and one step of refinement
  // removes the shift's error from R'v.
  constexpr double kShift = 1e-12;
  const auto k = static_cast<Eigen::Index>(active.size());
  Eigen::MatrixXd block = S(active, active);
  const Eigen::VectorXd right = t(active);
  block.diagonal().array() += kShift * (k > 0 ? S.diagonal().maxCoeff() : 1);
  const Eigen::LLT<Eigen::MatrixXd> factor(block);
  Eigen::VectorXd v = factor.solve(right);
  block.diagonal().array() -= kShift * (k > 0 ? S.diagonal().maxCoeff() : 1);
  v += factor.solve(right - block * v);
  return v;
}

Eigen::VectorXd ActiveSet::solve_on(const std::vector<Eigen::Index>& active, const Eigen::VectorXd& c) const {
  return solve_rows(S_, active, c);
}

bool ActiveSet::by_blocks(const Eigen::VectorXd& c, Eigen::VectorXd& v, double tolerance, std::size_t& steps) const {
  constexpr int kRounds = 12;
  const Eigen::Index m = S_.rows();
  std::vector<Eigen::Index> active;
  for (Eigen::Index i = 0; i < m; ++i) {
    if (i < num_free_ || v[i] > 0) active.push_back(i);
  }
  for (int round = 0; round < kRounds; ++round) {
    ++steps;
    const Eigen::VectorXd on = solve_on(active, c);
    if (!on.allFinite()) return false;
    Eigen::VectorXd residual = c;
    for (std::size_t a = 0; a < active.size(); ++a) residual -= on[static_cast<Eigen::Index>(a)] * S_.col(active[a]);
    v.setZero();
    for (std::size_t a = 0; a < active.size(); ++a) v[active[a]] = on[static_cast<Eigen::Index>(a)];
    std::vector<Eigen::Index> next;
    for (Eigen::Index i = 0; i < m; ++i) {
      if (i < num_free_ || v[i] > 0 || (v[i] == 0 && residual[i] > tolerance)) next.push_back(i);
    }
    if (next == active) {
      // The active rows must hold. They cannot if they are dependent and contradict each other.
      return active.empty() || residual(active).cwiseAbs().maxCoeff() <= tolerance;
    }
    active = std::move(next);
  }
  return false;
}

bool ActiveSet::one_by_one(const Eigen::VectorXd& c, Eigen::VectorXd& v, double tolerance, std::size_t& steps) const {
  const Eigen::Index m = S_.rows();
  const std::size_t limit = steps + 10 * static_cast<std::size_t>(m) + 100;
  std::vector<Eigen::Index> active(static_cast<std::size_t>(num_free_));
  std::iota(active.begin(), active.end(), Eigen::Index{0});
  v.setZero();
  while (steps < limit) {
    // Move towards the solution on the active rows; drop those whose multiplier vanishes on the way.
    while (!active.empty()) {
      ++steps;
      const Eigen::VectorXd target = solve_on(active, c);
      if (!target.allFinite()) return false;
      double part = 1;
      for (std::size_t a = 0; a < active.size(); ++a) {
        const Eigen::Index i = active[a];
        const double to = target[static_cast<Eigen::Index>(a)];
        if (i >= num_free_ && to <= 0) part = std::min(part, v[i] / (v[i] - to));
      }
      for (std::size_t a = 0; a < active.size(); ++a) {
        v[active[a]] += part * (target[static_cast<Eigen::Index>(a)] - v[active[a]]);
      }
      if (part == 1 || steps >= limit) break;
      std::erase_if(active, [&](Eigen::Index i) {
        const bool gone = i >= num_free_ && v[i] <= 1e-14 * v.cwiseAbs().maxCoeff();
        if (gone) v[i] = 0;
        return gone;
      });
    }
    const Eigen::VectorXd residual = c - S_ * v;
    Eigen::Index worst = -1;
    double most = tolerance;
    for (Eigen::Index i = num_free_; i < m; ++i) {
      if (v[i] == 0 && residual[i] > most) {
        most = residual[i];
        worst = i;
      }
    }
    if (worst < 0) return true;
    active.insert(std::lower_bound(active.begin(), active.end(), worst), worst);
  }
  return false;
}

bool ActiveSet::solve(const Eigen::VectorXd& c, Eigen::VectorXd& v, std::size_t& steps) const {
  if (S_.rows() == 0) return true;
  // Residuals are differences of numbers of the size of c.
  const double tolerance = 1e-12 * std::max(1.0, c.cwiseAbs().maxCoeff());
  return by_blocks(c, v, tolerance, steps) || one_by_one(c, v, tolerance, steps);
}

}  // namespace softradial::layers
