#include "orthogonal/polyhedron_projector.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <limits>
#include <vector>

#include "active_set.hpp"
#include "algebra/row_units.hpp"
#include "anchor/equality_hull.hpp"
#include "packed_matrix.hpp"
#include "softradial/affine_hull.hpp"

namespace softradial::layers {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The alternating direction method on the dual problem, for all samples at once:
//   v <- (S + rho I)^-1 (c + rho (z - y)),   v~ = alpha v + (1 - alpha) z,   z <- max(0, v~ + y),   y <- y + v~ - z
class DualSplitting {
 public:
  explicit DualSplitting(const MatrixXd& S) {
    MatrixXd shifted = S;
    shifted.diagonal().array() += kRho;
    inverse_ = PackedMatrix(shifted.llt().solve(MatrixXd::Identity(S.rows(), S.cols())));
  }

  void step(const MatrixXd& c, MatrixXd& z, MatrixXd& y) const {
    MatrixXd v = inverse_ * (c + kRho * (z - y));
    v = kRelaxation * v + (1 - kRelaxation) * z + y;
    z = v.cwiseMax(0.0);
    y = v - z;
  }

 private:
  // S has ones on its diagonal.
  static constexpr double kRho = 0.3;
  static constexpr double kRelaxation = 1.6;

  PackedMatrix inverse_;
};

std::vector<Index> active_rows(const VectorXd& duals) {
  std::vector<Index> active;
  for (Index i = 0; i < duals.size(); ++i) {
    if (duals[i] > 0) active.push_back(i);
  }
  return active;
}

// The hull {x : E x = 0}; which levels E x has does not matter to directions.
AffineHull directions_of(const MatrixXd& E) {
  std::vector<LinearSystem::Row> rows(static_cast<std::size_t>(E.rows()));
  for (Index k = 0; k < E.rows(); ++k) {
    for (Index j = 0; j < E.cols(); ++j) {
      if (E(k, j) != 0) rows[static_cast<std::size_t>(k)].entries.push_back({static_cast<std::size_t>(j), E(k, j)});
    }
  }
  return equality_hull(static_cast<std::size_t>(E.cols()), rows).hull;
}

}  // namespace

// With N the orthonormal normals of the hull and D E of rows of length 1,
//   P = I - N'N,   E^+ = N' (D E N')^+ D,   rows of A P
// each with the rounding of its coordinates' own units (docs/math/anchors.md).
PolyhedronProjector::PolyhedronProjector(const MatrixXd& A, const MatrixXd& E) : A_(A), E_(E) {
  const Index n = A.cols();
  if (E_.rows() == 0) E_.resize(0, n);
  const AffineHull hull = directions_of(E_);
  P_ = hull.along(MatrixXd::Identity(n, n));
  pseudo_inverse_.resize(n, E_.rows());
  if (!E_.allFinite()) {
    P_.setConstant(std::numeric_limits<double>::quiet_NaN());
    pseudo_inverse_.setConstant(std::numeric_limits<double>::quiet_NaN());
  } else if (E_.rows() > 0) {
    const VectorXd units = row_units(E_);
    const MatrixXd on_normals = units.asDiagonal() * E_ * hull.normals.transpose();
    pseudo_inverse_ =
        hull.normals.transpose() * on_normals.completeOrthogonalDecomposition().pseudoInverse() * units.asDiagonal();
  }
  rows_ = hull.along(A_.transpose()).transpose();
  lengths_.resize(A_.rows());
  const HullReach reach(hull);
  for (Index i = 0; i < A_.rows(); ++i) {
    lengths_[i] = reach.length(A_.row(i));
    if (lengths_[i] > 0) {
      rows_.row(i).normalize();
    } else {
      rows_.row(i).setZero();
    }
  }
  packed_ = {PackedMatrix(P_), PackedMatrix(A_), PackedMatrix(rows_), PackedMatrix(rows_.transpose()),
             PackedMatrix(pseudo_inverse_)};
  gram_ = packed_.rows * rows_.transpose();
}

MatrixXd PolyhedronProjector::on_hull(const MatrixXd& d) const {
  if (E_.rows() == 0) return d;
  return packed_.onto_hull * d;
}

PolyhedronProjector::Nearest PolyhedronProjector::solve(const MatrixXd& u, const MatrixXd& b, const MatrixXd& f,
                                                        std::optional<int> steps) const {
  // Enough for a guess of the active rows from which the exact solution is found in a few steps. If there are few rows, those
  // that the nearest point of the hull violates are guess enough.
  constexpr int kGuessSteps = 10;
  constexpr Index kFewRows = 12;
  // Limits for samples whose active rows cannot be found exactly.
  constexpr int kMostSteps = 20000;
  constexpr double kTolerance = 1e-11;
  const Index batch = u.cols();
  const Index m = A_.rows();
  Nearest out;
  MatrixXd y = on_hull(u);
  if (E_.rows() > 0) y += packed_.pseudo_inverse * f;
  MatrixXd c = packed_.A * y - b;
  // A row that is constant on the hull, or without a bound, holds nothing back.
  for (Index i = 0; i < m; ++i) {
    if (lengths_[i] > 0) {
      c.row(i) /= lengths_[i];
    } else {
      c.row(i).setConstant(-1);
    }
  }
  c = (b.array() == std::numeric_limits<double>::infinity()).select(-1, c);
  MatrixXd duals = MatrixXd::Zero(m, batch);
  std::optional<DualSplitting> splitting;
  const int guesses = steps.value_or(m > kFewRows ? kGuessSteps : 0);
  const bool any_outside = m > 0 && !((c.array() <= 0).all());
  if (any_outside && guesses > 0) {
    splitting.emplace(gram_);
    MatrixXd rest = MatrixXd::Zero(m, batch);
    for (int i = 0; i < guesses; ++i) splitting->step(c, duals, rest);
    out.iterations = static_cast<std::size_t>(guesses) * static_cast<std::size_t>(batch);
  } else {
    duals = c.cwiseMax(0.0);
  }
  const ActiveSet exact(gram_, 0);
  for (Index s = 0; s < batch; ++s) {
    if (!c.col(s).allFinite()) {
      duals.col(s).setConstant(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    if (m == 0 || c.col(s).maxCoeff() <= 0) {
      duals.col(s).setZero();
      continue;
    }
    if (steps) continue;
    VectorXd v = duals.col(s);
    if (exact.solve(c.col(s), v, out.iterations)) {
      duals.col(s) = v;
      continue;
    }
    // Rounding kept the active rows from settling: the splitting goes on alone.
    if (!splitting) splitting.emplace(gram_);
    MatrixXd z = duals.col(s);
    MatrixXd rest = MatrixXd::Zero(m, 1);
    const MatrixXd breaks = c.col(s);
    const double tolerance = kTolerance * std::max(1.0, breaks.cwiseAbs().maxCoeff());
    bool settled = false;
    for (int i = 0; i < kMostSteps && !settled; ++i, ++out.iterations) {
      const MatrixXd before = z;
      splitting->step(breaks, z, rest);
      settled = (z - before).cwiseAbs().maxCoeff() <= tolerance;
    }
    if (!settled) ++out.unsolved;
    duals.col(s) = z;
  }
  out.x = m > 0 ? MatrixXd(y - packed_.directions * duals) : y;
  for (Index i = 0; i < m; ++i) {
    if (lengths_[i] > 0) duals.row(i) /= lengths_[i];
  }
  out.duals = std::move(duals);
  return out;
}

PolyhedronProjector::Cotangents PolyhedronProjector::through(const MatrixXd& duals, const MatrixXd& grad_x) const {
  const Index batch = grad_x.cols();
  Cotangents out;
  out.u = on_hull(grad_x);
  out.b = MatrixXd::Zero(A_.rows(), batch);
  const MatrixXd image = packed_.rows * out.u;
  for (Index s = 0; s < batch; ++s) {
    const std::vector<Index> active = active_rows(duals.col(s));
    if (active.empty()) continue;
    const VectorXd mu = solve_rows(gram_, active, image.col(s));
    for (std::size_t a = 0; a < active.size(); ++a) {
      const Index i = active[a];
      out.u.col(s) -= rows_.row(i).transpose() * mu[static_cast<Index>(a)];
      out.b(i, s) = mu[static_cast<Index>(a)] / lengths_[i];
    }
  }
  return out;
}

// Solves E'mu_f = grad_x - w - A'mu_b for mu_f; w drops out because E w = 0.
MatrixXd PolyhedronProjector::through_levels(const MatrixXd& grad_x, const Cotangents& found) const {
  return pseudo_inverse_.transpose() * (grad_x - A_.transpose() * found.b);
}

// The multipliers of the equalities follow from E'v = u - x - A'v.
PolyhedronProjector::RowCotangents PolyhedronProjector::through_rows(const MatrixXd& u, const MatrixXd& x,
                                                                     const MatrixXd& duals, const Cotangents& found,
                                                                     const MatrixXd& of_levels) const {
  // Samples without a solution are left out.
  const auto known = [](const MatrixXd& values) -> MatrixXd { return values.array().isFinite().select(values, 0.0); };
  const MatrixXd at = known(x);
  const MatrixXd multipliers = known(duals);
  const MatrixXd prices = known(pseudo_inverse_.transpose() * (u - x - A_.transpose() * duals));
  return {-(found.b * at.transpose() + multipliers * found.u.transpose()),
          -(of_levels * at.transpose() + prices * found.u.transpose())};
}

VectorXd PolyhedronProjector::lost_dimensions(const MatrixXd& duals) const {
  VectorXd out = VectorXd::Zero(duals.cols());
  for (Index s = 0; s < duals.cols(); ++s) {
    const std::vector<Index> active = active_rows(duals.col(s));
    if (active.empty()) continue;
    Eigen::ColPivHouseholderQR<MatrixXd> factor(MatrixXd(rows_(active, Eigen::indexing::all).transpose()));
    factor.setThreshold(kConstantOnHull);
    out[s] = static_cast<double>(factor.rank());
  }
  return out;
}

}  // namespace softradial::layers
