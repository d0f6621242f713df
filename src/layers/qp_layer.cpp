#include "softradial/qp_layer.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "active_set.hpp"
#include "softradial/errors.hpp"

namespace softradial {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using layers::ActiveSet;
using layers::solve_rows;

// The splitting of OSQP for min 1/2 x'Qx + p'x, R x = z, z <= rhs (= on the first num_equalities rows), batched:
//   x <- (Q + sigma I + R'D R)^-1 (sigma x - p + R'(D z - y))
//   z~ <- alpha R x + (1 - alpha) z,   z <- min(z~ + y / rho, rhs),   y <- y + rho (z~ - z)
// D = rho I, and kStiff times that on equalities. All samples share the matrix, so that a step is three products.
class Splitting {
 public:
  Splitting(const MatrixXd& Q, const MatrixXd& R, Index num_equalities, double rho)
      : R_(R), weights_(VectorXd::Constant(R.rows(), rho)) {
    weights_.head(num_equalities).array() *= kStiff;
    MatrixXd K = Q + R.transpose() * weights_.asDiagonal() * R;
    K.diagonal().array() += kSigma;
    inverse_ = K.llt().solve(MatrixXd::Identity(Q.rows(), Q.cols()));
    num_equalities_ = num_equalities;
  }

  void step(const MatrixXd& p, const MatrixXd& rhs, MatrixXd& x, MatrixXd& z, MatrixXd& y) const {
    constexpr double kRelaxation = 1.6;
    const MatrixXd pull = weights_.asDiagonal() * z - y;
    const MatrixXd right = kSigma * x - p + R_.transpose() * pull;
    x.noalias() = inverse_ * right;
    MatrixXd image = R_ * x;
    image = kRelaxation * image + (1 - kRelaxation) * z;
    const MatrixXd wish = image + weights_.cwiseInverse().asDiagonal() * y;
    z = wish.cwiseMin(rhs);
    z.topRows(num_equalities_) = rhs.topRows(num_equalities_);
    y += weights_.asDiagonal() * (image - z);
  }

 private:
  static constexpr double kSigma = 1e-6;
  static constexpr double kStiff = 1e3;

  const MatrixXd& R_;
  VectorXd weights_;
  MatrixXd inverse_;
  Index num_equalities_ = 0;
};

void require_shape(bool fits, const std::string& what) {
  if (!fits) throw ShapeError("quadratic programme: " + what);
}

}  // namespace

QpLayer::QpLayer(const MatrixXd& Q, const MatrixXd& G, const VectorXd& h, const MatrixXd& A, const VectorXd& b,
                 const Options& options)
    : Q_(Q), G_(G), h_(h), A_(A), b_(b), options_(options) {
  const Index n = Q.rows();
  require_shape(n > 0 && Q.cols() == n, "Q must be square");
  if (G_.rows() == 0) G_.resize(0, n);
  if (A_.rows() == 0) A_.resize(0, n);
  require_shape(G_.cols() == n && h.size() == G_.rows(), "G and h do not fit Q");
  require_shape(A_.cols() == n && b.size() == A_.rows(), "A and b do not fit Q");
  if (!Q.isApprox(Q.transpose(), 1e-12)) throw InvalidSet("quadratic programme: Q is not symmetric");
  const Eigen::LLT<MatrixXd> factor(Q);
  if (factor.info() != Eigen::Success) throw InvalidSet("quadratic programme: Q is not positive definite");
  rows_.resize(A_.rows() + G_.rows(), n);
  rows_ << A_, G_;
  lengths_ = rows_.rowwise().norm();
  for (Index i = 0; i < rows_.rows(); ++i) {
    if (!(lengths_[i] > 0)) {
      throw InvalidSet("quadratic programme: row " + std::to_string(i < A_.rows() ? i : i - A_.rows()) + " of " +
                       (i < A_.rows() ? "A" : "G") + " is zero or not finite");
    }
  }
  rows_ = lengths_.cwiseInverse().asDiagonal() * rows_;
  inverse_Q_ = factor.solve(MatrixXd::Identity(n, n));
  Qr_ = inverse_Q_ * rows_.transpose();
  gram_ = rows_ * Qr_;
}

QpLayer::Solution QpLayer::solve(const MatrixXd& p) const {
  return solve(p, h_.replicate(1, p.cols()), b_.replicate(1, p.cols()));
}

QpLayer::Solution QpLayer::solve(const MatrixXd& p, const MatrixXd& h, const MatrixXd& b) const {
  // Enough for a guess of the active rows from which the exact solution is found in a few steps. A bad guess takes
  // longer, but the solution is exact all the same. If there are few rows, those that the free solution violates are enough.
  constexpr int kGuessIterations = 20;
  constexpr Index kFewRows = 12;
  const Index batch = p.cols();
  const Index m = rows_.rows();
  const Index equalities = A_.rows();
  require_shape(p.rows() == dim(), "p must have " + std::to_string(dim()) + " numbers for each sample");
  require_shape(h.rows() == G_.rows() && h.cols() == batch, "h does not fit G and the batch");
  require_shape(b.rows() == equalities && b.cols() == batch, "b does not fit A and the batch");
  Solution out;
  const MatrixXd free = -(inverse_Q_ * p);
  if (m == 0) {
    out.x = free;
    out.duals.resize(0, batch);
    out.prices.resize(0, batch);
    return out;
  }
  MatrixXd rhs(m, batch);
  rhs << b, h;
  rhs = lengths_.cwiseInverse().asDiagonal() * rhs;
  const MatrixXd breaks = rows_ * free - rhs;

  // The rows have length 1, so that rho is of the size of Q.
  const double rho = Q_.diagonal().mean();
  std::optional<Splitting> splitting;
  MatrixXd x = free;
  MatrixXd z = breaks.cwiseMin(0.0) + rhs;
  MatrixXd y = MatrixXd::Zero(m, batch);
  if (m > kFewRows) {
    splitting.emplace(Q_, rows_, equalities, rho);
    for (int i = 0; i < kGuessIterations; ++i) splitting->step(p, rhs, x, z, y);
    out.iterations = static_cast<std::size_t>(kGuessIterations) * static_cast<std::size_t>(batch);
  }

  const ActiveSet exact(gram_, equalities);
  MatrixXd multipliers(m, batch);
  for (Index k = 0; k < batch; ++k) {
    if (!breaks.col(k).allFinite()) {
      multipliers.col(k).setConstant(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    if (equalities == 0 && breaks.col(k).maxCoeff() <= 0) {
      multipliers.col(k).setZero();
      continue;
    }
    VectorXd v = (m > kFewRows ? y : breaks).col(k);
    if (!exact.solve(breaks.col(k), v, out.iterations)) {
      // Rounding kept the active set from settling: this sample is solved by the splitting alone.
      if (!splitting) splitting.emplace(Q_, rows_, equalities, rho);
      MatrixXd x1 = x.col(k);
      MatrixXd z1 = z.col(k);
      MatrixXd y1 = y.col(k);
      const MatrixXd p1 = p.col(k);
      const MatrixXd rhs1 = rhs.col(k);
      bool settled = false;
      for (int i = 0; i < options_.max_iterations && !settled; ++i) {
        const MatrixXd before = x1;
        splitting->step(p1, rhs1, x1, z1, y1);
        ++out.iterations;
        const double size = std::max(1.0, x1.cwiseAbs().maxCoeff());
        settled = (x1 - before).cwiseAbs().maxCoeff() <= options_.tolerance * size &&
                  (rows_ * x1 - z1).cwiseAbs().maxCoeff() <= options_.tolerance * size;
      }
      if (!settled) ++out.unsolved;
      v = y1;
      v.tail(G_.rows()) = v.tail(G_.rows()).cwiseMax(0.0);
    }
    multipliers.col(k) = v;
  }
  out.x = free - Qr_ * multipliers;
  multipliers = lengths_.cwiseInverse().asDiagonal() * multipliers;
  out.prices = multipliers.topRows(equalities);
  out.duals = multipliers.bottomRows(G_.rows());
  return out;
}

// With w, mu from  [Q R_a'; R_a 0] [w; mu] = [grad_x; 0]  on the active rows a, and v their multipliers:
//   grad_p = -w,   grad_rhs = mu,   grad_R = -(mu x' + v w'),   grad_Q = -(w x' + x w') / 2
QpLayer::Gradient QpLayer::vjp(const Solution& at, const MatrixXd& grad_x) const {
  const Index batch = grad_x.cols();
  const Index equalities = A_.rows();
  require_shape(grad_x.rows() == dim() && at.x.cols() == batch, "grad_x does not fit the solution");
  Gradient out;
  out.p.resize(dim(), batch);
  out.Q = MatrixXd::Zero(dim(), dim());
  MatrixXd grad_rhs = MatrixXd::Zero(rows_.rows(), batch);
  MatrixXd grad_rows = MatrixXd::Zero(rows_.rows(), dim());
  const MatrixXd through = inverse_Q_ * grad_x;
  for (Index k = 0; k < batch; ++k) {
    std::vector<Index> active;
    for (Index i = 0; i < rows_.rows(); ++i) {
      if (i < equalities || at.duals(i - equalities, k) > 0) active.push_back(i);
    }
    VectorXd w = through.col(k);
    if (!active.empty()) {
      const VectorXd mu = solve_rows(gram_, active, rows_ * w);
      for (std::size_t a = 0; a < active.size(); ++a) {
        const Index i = active[a];
        const double m = mu[static_cast<Index>(a)] / lengths_[i];
        w -= Qr_.col(i) * mu[static_cast<Index>(a)];
        grad_rhs(i, k) = m;
      }
      for (const Index i : active) {
        const double v = i < equalities ? at.prices(i, k) : at.duals(i - equalities, k);
        grad_rows.row(i) -= grad_rhs(i, k) * at.x.col(k).transpose() + v * w.transpose();
      }
    }
    out.p.col(k) = -w;
    out.Q -= (w * at.x.col(k).transpose() + at.x.col(k) * w.transpose()) / 2;
  }
  out.b = grad_rhs.topRows(equalities);
  out.h = grad_rhs.bottomRows(G_.rows());
  out.A = grad_rows.topRows(equalities);
  out.G = grad_rows.bottomRows(G_.rows());
  return out;
}

}  // namespace softradial
