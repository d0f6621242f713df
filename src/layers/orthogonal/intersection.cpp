#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "eigen_rows.hpp"
#include "orthogonal/parts.hpp"
#include "softradial/qp_layer.hpp"

namespace softradial::layers {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Projects onto curved constraints and one polyhedron by Dykstra's cyclic corrections:
//   x <- P_k(x + r_k),   r_k <- x_before + r_k - x     for each part k in turn
// They always converge, but slowly if u is far away or if boundaries meet at a small angle (10^5 cycles were not enough
// at 10^6 diameters). So they come last. Where the projection onto one part satisfies the others, it is the answer; else
// Newton's method on the optimality conditions is tried from there, and again after a few cycles. A single curved constraint
// is projected onto directly.
template <class T>
class OrthogonalIntersection final : public Layer<T> {
 public:
  OrthogonalIntersection(std::size_t dim, std::vector<QuadraticConstraint> curved, const LinearData& linear)
      : dim_(dim), curved_(std::move(curved)), linear_(linear) {
    if (linear.A.rows() + linear.E.rows() > 0) {
      qp_.emplace(MatrixXd::Identity(linear.A.cols(), linear.A.cols()), linear.A, linear.b, linear.E, linear.f);
      if (curved_.size() == 1) ball_ = curved_[0].as_ball();
    }
  }
  [[nodiscard]] std::size_t dim() const noexcept override { return dim_; }

  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T>) const override {
    std::size_t steps = 0;
    for (std::size_t i = 0; i < u.count(); ++i) write_columns<T>(onto(columns<T>(u.slice(i, 1)), steps), x.slice(i, 1));
    return steps;
  }

  // KKT: x - u + sum_k l_k grad h_k(x) = 0, h_k(x) = 0 on the active k. With M = I + sum l_k hess h_k and N the gradients,
  //   [M N'; N 0] [grad_u; .] = [grad_x; 0].
  // The multipliers are not saved: the first equation gives them, by least squares.
  void project_vjp(Rows<const T> u, Rows<const T> x, Rows<const T>, Rows<const T> grad_x,
                   Rows<T> grad_u) const override {
    for (std::size_t i = 0; i < u.count(); ++i) {
      const VectorXd at = columns<T>(x.slice(i, 1));
      const VectorXd pull = VectorXd(columns<T>(u.slice(i, 1))) - at;
      write_columns<T>(vjp(at, pull, columns<T>(grad_x.slice(i, 1))), grad_u.slice(i, 1));
    }
  }

 private:
  static constexpr int kCycles = 100000;
  static constexpr int kFirstCycles = 20;

  VectorXd onto(const VectorXd& u, std::size_t& steps) const {
    if (!u.allFinite()) return VectorXd::Constant(u.size(), std::numeric_limits<double>::quiet_NaN());
    if (curved_.size() == 1 && !qp_) return curved_[0].project(u, steps);
    if (satisfies(u)) return u;
    const std::size_t parts = curved_.size() + (qp_ ? 1 : 0);
    for (std::size_t k = 0; k < parts; ++k) {
      VectorXd nearest = onto_part(k, u);
      if (satisfies(nearest)) return nearest;
      if (k + 1 < parts) continue;
      const auto solution = ball_ ? on_sphere(u, steps) : newton(u, nearest, steps);
      if (solution) return *solution;
    }
    std::vector<VectorXd> corrections(parts, VectorXd::Zero(u.size()));
    VectorXd x = u;
    const double size = 1 + u.cwiseAbs().maxCoeff();
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      if (cycle == kFirstCycles) {
        if (const auto solution = newton(u, x, steps)) return *solution;
      }
      ++steps;
      double change = 0;
      for (std::size_t k = 0; k < parts; ++k) {
        const VectorXd from = x + corrections[k];
        VectorXd to = onto_part(k, from);
        const VectorXd correction = from - to;
        // The corrections must settle too: x alone may stand still for a cycle.
        change = std::max(change, (correction - corrections[k]).cwiseAbs().maxCoeff());
        corrections[k] = correction;
        x = std::move(to);
      }
      if (change <= 1e-13 * size) break;
    }
    return x;
  }

  // Projects onto part k: the curved parts come first, then the polyhedron.
  [[nodiscard]] VectorXd onto_part(std::size_t k, const VectorXd& from) const {
    std::size_t inner = 0;
    return k < curved_.size() ? curved_[k].project(from, inner) : VectorXd(qp_->solve(-from).x);
  }

  // Whether x satisfies every part, up to the rounding of a projection onto one part.
  [[nodiscard]] bool satisfies(const VectorXd& x) const {
    const double rounding = 1e-14 * (1 + x.cwiseAbs().maxCoeff());
    for (const QuadraticConstraint& constraint : curved_) {
      if (!(constraint.value(x) <= rounding * constraint.gradient(x).norm())) return false;
    }
    for (Index i = 0; i < linear_.A.rows(); ++i) {
      if (!(linear_.A.row(i).dot(x) - linear_.b[i] <= rounding * linear_.A.row(i).norm())) return false;
    }
    for (Index i = 0; i < linear_.E.rows(); ++i) {
      if (!(std::abs(linear_.E.row(i).dot(x) - linear_.f[i]) <= rounding * linear_.E.row(i).norm())) return false;
    }
    return true;
  }

  // If both a ball and the polyhedron hold u back, the optimality conditions say that x is the projection of
  // c + s (u - c) onto the polyhedron alone, for the s in (0, 1) at which x lies on the sphere. On one face x is affine in s,
  // and |x - c| grows: Newton's method in a bracket takes a few steps.
  [[nodiscard]] std::optional<VectorXd> on_sphere(const VectorXd& u, std::size_t& steps) const {
    constexpr int kIterations = 60;
    const VectorXd reach = u - ball_->center;
    double low = 0;
    double high = 1;
    double s = std::min(1.0, ball_->radius / reach.norm());
    for (int i = 0; i < kIterations; ++i) {
      ++steps;
      const QpLayer::Solution at = qp_->solve(-(ball_->center + s * reach));
      const VectorXd x = at.x.col(0);
      const VectorXd out = x - ball_->center;
      const double excess = out.norm() - ball_->radius;
      if (at.unsolved > 0 || !std::isfinite(excess)) return std::nullopt;
      if (std::abs(excess) <= 4 * std::numeric_limits<double>::epsilon() * (ball_->radius + x.cwiseAbs().maxCoeff())) {
        return x;
      }
      (excess > 0 ? high : low) = s;
      const double slope = -qp_->vjp(at, out / out.norm()).p.col(0).dot(reach);
      double next = s - excess / slope;
      if (!(next > low && next < high)) next = low / 2 + high / 2;
      if (next == s) return x;
      s = next;
    }
    return std::nullopt;
  }

  // A sequence of quadratic programmes. The curved constraints are replaced by their tangents at x; their curvature goes
  // into the objective, Q = I + sum_k l_k hess h_k, where l are the multipliers of the last programme. At a fixed point
  // the optimality conditions hold.
  [[nodiscard]] std::optional<VectorXd> newton(const VectorXd& u, VectorXd x, std::size_t& steps) const {
    constexpr int kIterations = 40;
    const Index n = u.size();
    const auto curved = static_cast<Index>(curved_.size());
    const Index m = linear_.A.rows();
    VectorXd multipliers = VectorXd::Zero(curved);
    MatrixXd G(m + curved, n);
    VectorXd h(m + curved);
    G.topRows(m) = linear_.A;
    h.head(m) = linear_.b;
    for (int i = 0; i < kIterations; ++i) {
      ++steps;
      MatrixXd Q = MatrixXd::Identity(n, n);
      for (Index k = 0; k < curved; ++k) {
        const auto& constraint = curved_[static_cast<std::size_t>(k)];
        const VectorXd normal = constraint.gradient(x);
        if (!(normal.norm() > 0)) return std::nullopt;
        Q += multipliers[k] * constraint.hessian();
        G.row(m + k) = normal.transpose();
        h[m + k] = normal.dot(x) - constraint.value(x);
      }
      const auto at = QpLayer(Q, G, h, linear_.E, linear_.f).solve(x - u - Q * x);
      if (at.unsolved > 0 || !at.x.allFinite()) return std::nullopt;
      const double moved = (at.x.col(0) - x).cwiseAbs().maxCoeff();
      x = at.x.col(0);
      const VectorXd next = at.duals.col(0).tail(curved);
      const double changed = (next - multipliers).cwiseAbs().maxCoeff();
      multipliers = next;
      if (moved <= 1e-13 * (1 + x.cwiseAbs().maxCoeff()) && changed <= 1e-9 * (1 + multipliers.maxCoeff())) return x;
    }
    return std::nullopt;
  }

  [[nodiscard]] VectorXd vjp(const VectorXd& x, const VectorXd& pull, const VectorXd& grad_x) const {
    const Index n = x.size();
    const double size = 1 + x.cwiseAbs().maxCoeff();
    const double tolerance = std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon())) * size;
    if (pull.cwiseAbs().maxCoeff() <= 16 * std::numeric_limits<T>::epsilon() * size && linear_.E.rows() == 0)
      return grad_x;
    std::vector<VectorXd> normals;
    std::vector<const QuadraticConstraint*> owners;
    std::vector<bool> free_sign;
    for (const auto& constraint : curved_) {
      const VectorXd normal = constraint.gradient(x);
      if (std::abs(constraint.value(x)) > tolerance * normal.norm()) continue;
      normals.push_back(normal);
      owners.push_back(&constraint);
      free_sign.push_back(false);
    }
    const auto take_rows = [&](const MatrixXd& rows, const VectorXd& bounds, bool equality) {
      for (Index i = 0; i < rows.rows(); ++i) {
        if (!equality && bounds[i] - rows.row(i).dot(x) > tolerance * rows.row(i).norm()) continue;
        normals.emplace_back(rows.row(i).transpose());
        owners.push_back(nullptr);
        free_sign.push_back(equality);
      }
    };
    take_rows(linear_.E, linear_.f, true);
    take_rows(linear_.A, linear_.b, false);
    // A row that touches x without holding it back has a multiplier that is not positive. Such rows are dropped one by
    // one.
    VectorXd multipliers;
    MatrixXd N;
    for (;;) {
      const auto k = static_cast<Index>(normals.size());
      N.resize(k, n);
      for (Index i = 0; i < k; ++i) N.row(i) = normals[static_cast<std::size_t>(i)].transpose();
      if (k == 0) return grad_x;
      multipliers = N.transpose().colPivHouseholderQr().solve(pull);
      Index worst = -1;
      double least = 1e-9 * (1 + multipliers.cwiseAbs().maxCoeff());
      for (Index i = 0; i < k; ++i) {
        if (free_sign[static_cast<std::size_t>(i)] || multipliers[i] > least) continue;
        least = multipliers[i];
        worst = i;
      }
      if (worst < 0) break;
      const auto at = static_cast<std::ptrdiff_t>(worst);
      normals.erase(normals.begin() + at);
      owners.erase(owners.begin() + at);
      free_sign.erase(free_sign.begin() + at);
    }
    const Index k = N.rows();
    MatrixXd system = MatrixXd::Zero(n + k, n + k);
    system.topLeftCorner(n, n).setIdentity();
    for (Index i = 0; i < k; ++i) {
      const auto* owner = owners[static_cast<std::size_t>(i)];
      if (owner != nullptr) system.topLeftCorner(n, n) += multipliers[i] * owner->hessian();
    }
    system.topRightCorner(n, k) = N.transpose();
    system.bottomLeftCorner(k, n) = N;
    VectorXd right = VectorXd::Zero(n + k);
    right.head(n) = grad_x;
    return system.fullPivLu().solve(right).head(n);
  }

  std::size_t dim_;
  std::vector<QuadraticConstraint> curved_;
  LinearData linear_;
  std::optional<QpLayer> qp_;
  std::optional<QuadraticConstraint::Sphere> ball_;  // the curved part, if it is a ball beside a polyhedron
};

}  // namespace

template <class T>
LayerPtr<T> make_orthogonal_intersection(std::size_t dim, std::vector<QuadraticConstraint> curved,
                                         const LinearData& linear) {
  return std::make_unique<OrthogonalIntersection<T>>(dim, std::move(curved), linear);
}
template LayerPtr<float> make_orthogonal_intersection<float>(std::size_t, std::vector<QuadraticConstraint>,
                                                             const LinearData&);
template LayerPtr<double> make_orthogonal_intersection<double>(std::size_t, std::vector<QuadraticConstraint>,
                                                               const LinearData&);

}  // namespace softradial::layers
