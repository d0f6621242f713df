#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "boundary_gauge.hpp"
#include "builders.hpp"
#include "eigen_rows.hpp"
#include "option_checks.hpp"
#include "orthogonal/parts.hpp"
#include "soft_orthogonal_parts.hpp"
#include "softradial/errors.hpp"
#include "softradial/pool.hpp"
#include "softradial/sets/coordinates.hpp"

// docs/math/soft_orthogonal.md has the formulas and their proofs.
namespace softradial::layers {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The map of one row in double, by any orthogonal projection:
//   p = Proj_D(u),   D = u0 + (1 - delta) (C - u0),   w = P_hull(u) - p
//   x = p + phi w,   phi = kappa / (1 + kappa gamma(p, w))
class SoftOrthogonalMap {
 public:
  SoftOrthogonalMap(const Set& set, const SoftOrthogonal& method, const Anchor& anchor)
      : kappa_(method.kappa),
        shrink_(1 - method.delta),
        u0_(anchor.point),
        hull_(anchor.hull),
        nearest_(method.steps > 0 ? make_orthogonal_polyhedron<double>(linear_part(set), method.steps)
                                  : make_orthogonal<double>(set, "soft_orthogonal")),
        rows_(linear_part(set).A),
        curved_(*curved_constraints(set)),
        gauge_(linear_part(set), curved_, hull_) {}

  [[nodiscard]] Index dim() const noexcept { return u0_.size(); }
  [[nodiscard]] std::size_t inner_state_dim() const noexcept { return nearest_->state_dim(); }

  // What the backward pass of a row needs, besides u.
  struct Place {
    VectorXd p;
    std::vector<double> inner;  // the state of the projection
  };

  // The place of u, which is finite.
  [[nodiscard]] Place place(const VectorXd& u, std::size_t& steps) const {
    Place out{VectorXd(dim()), std::vector<double>(nearest_->state_dim())};
    const VectorXd far = enlarged(u);
    steps += nearest_->project(row(far), row(out.p), {out.inner.data(), 1, out.inner.size()});
    // If the projection is off, because u is far away or its search did not end, the ray from the anchor is followed
    // instead: from any point of D the rest of the map ends inside.
    VectorXd d = on_hull(out.p - u0_);
    double reach = gauge_.value(u0_, d);
    if (!std::isfinite(reach) || !d.allFinite()) {
      d = on_hull(far - u0_);
      reach = gauge_.value(u0_, d);
    }
    if (reach > 1) d /= reach;
    out.p = u0_ + shrink_ * d;
    return out;
  }

  [[nodiscard]] VectorXd value(const VectorXd& u, const VectorXd& p) const {
    const VectorXd w = on_hull(u - p);
    return p + phi(gauge_.value(p, w)) * w;
  }

  // J'g. With nu the gauge's gradient in w:  dx = dp + phi dw - phi^2 (nu.(dw + gamma dp)) w,  dw = P du - dp.
  [[nodiscard]] VectorXd vjp(const VectorXd& u, const Place& at, const VectorXd& g) const {
    const VectorXd w = on_hull(u - at.p);
    const BoundaryGauge::At edge = gauge_.at(at.p, w);
    const double scale = phi(edge.gamma);
    const double turn = scale * scale * w.dot(g);
    const VectorXd of_w = scale * g - turn * edge.normal;
    const VectorXd of_p = (1 - scale) * g - turn * (edge.gamma - 1) * edge.normal;
    return on_hull(of_w) + through_projection(u, at, of_p);
  }

  // J v; the projection's Jacobian is symmetric.
  [[nodiscard]] VectorXd jvp(const VectorXd& u, const Place& at, const VectorXd& v) const {
    const VectorXd w = on_hull(u - at.p);
    const BoundaryGauge::At edge = gauge_.at(at.p, w);
    const double scale = phi(edge.gamma);
    const VectorXd dp = through_projection(u, at, v);
    const VectorXd dw = on_hull(v) - dp;
    return dp + scale * dw - scale * scale * edge.normal.dot(dw + edge.gamma * dp) * w;
  }

  // u = p + (x - p) / (kappa (1 - gamma(p, x - p))), p = Proj_D(x). A point that rounding puts on the boundary counts as the
  // outermost point.
  [[nodiscard]] VectorXd inverse(const VectorXd& x, double ulp) const {
    std::size_t steps = 0;
    const Place at = place(x, steps);
    VectorXd e = on_hull(x - at.p);
    // The duals of a polyhedron, or a single curved constraint, give the normal without the rounding of p, which would be
    // enlarged with it.
    if (curved_.empty()) {
      const Eigen::Map<const VectorXd> duals(at.inner.data(), static_cast<Index>(at.inner.size()));
      e = shrink_ * on_hull(rows_.transpose() * duals);
    } else if (rows_.rows() == 0 && curved_.size() == 1) {
      const VectorXd normal = on_hull(curved_[0].gradient(u0_ + (at.p - u0_) / shrink_)).normalized();
      e = normal * normal.dot(e);
    }
    // Inside D, e is only the rounding of p.
    if (gauge_.value(u0_, on_hull(x - u0_)) <= shrink_) return x;
    const double left = std::max(1 - gauge_.value(at.p, e), ulp);
    return at.p + e / (kappa_ * left);
  }

  // log |det| of the Jacobian on a basis of the hull's directions.
  [[nodiscard]] double log_abs_det(const VectorXd& u, const MatrixXd& basis) const {
    if (basis.cols() == 0) return 0;
    std::size_t steps = 0;
    const Place at = place(u, steps);
    if (curved_.empty()) return soft_log_det(kappa_, gauge_.value(at.p, on_hull(u - at.p)), lost_dimensions(at));
    MatrixXd J(dim(), basis.cols());
    for (Index k = 0; k < basis.cols(); ++k) J.col(k) = jvp(u, at, basis.col(k));
    const Eigen::PartialPivLU<MatrixXd> factor(basis.transpose() * J);
    return factor.matrixLU().diagonal().cwiseAbs().array().log().sum();
  }

 private:
  static Rows<const double> row(const VectorXd& v) { return {v.data(), 1, static_cast<std::size_t>(v.size())}; }
  static Rows<double> row(VectorXd& v) { return {v.data(), 1, static_cast<std::size_t>(v.size())}; }

  [[nodiscard]] double phi(double gamma) const noexcept { return 1 / (1 / kappa_ + gamma); }

  // Projecting onto D means projecting u0 + (u - u0) / (1 - delta) onto C, then shrinking.
  [[nodiscard]] VectorXd enlarged(const VectorXd& u) const { return u0_ + (u - u0_) / shrink_; }

  [[nodiscard]] VectorXd on_hull(const VectorXd& d) const { return hull_.along(d); }

  // The rank of the active rows on the hull. The state of a polyhedron's projection holds the duals of its rows.
  [[nodiscard]] std::size_t lost_dimensions(const Place& at) const {
    std::vector<Index> active;
    for (std::size_t i = 0; i < at.inner.size(); ++i) {
      if (at.inner[i] > 0) active.push_back(static_cast<Index>(i));
    }
    if (active.empty()) return 0;
    MatrixXd normals(dim(), static_cast<Index>(active.size()));
    for (std::size_t k = 0; k < active.size(); ++k) {
      normals.col(static_cast<Index>(k)) = on_hull(rows_.row(active[k]).transpose().normalized());
    }
    Eigen::ColPivHouseholderQR<MatrixXd> factor(normals);
    factor.setThreshold(kConstantOnHull);
    return static_cast<std::size_t>(factor.rank());
  }

  [[nodiscard]] VectorXd through_projection(const VectorXd& u, const Place& at, const VectorXd& g) const {
    const VectorXd far = enlarged(u);
    const VectorXd image = u0_ + (at.p - u0_) / shrink_;
    VectorXd out(dim());
    nearest_->project_vjp(row(far), row(image), {at.inner.data(), 1, at.inner.size()}, row(g), row(out));
    return on_hull(out);
  }

  double kappa_;
  double shrink_;
  VectorXd u0_;
  AffineHull hull_;
  LayerPtr<double> nearest_;
  MatrixXd rows_;  // rows of the linear inequalities
  std::vector<QuadraticConstraint> curved_;
  BoundaryGauge gauge_;
};

// Rows longer than this are pulled in to it, so that squares do not overflow.
inline constexpr double kLongest = 1e100;

template <class T>
class SoftOrthogonalLayer final : public Layer<T> {
 public:
  SoftOrthogonalLayer(const Set& set, const SoftOrthogonal& method, const ProjectionOptions& options)
      : guard_(set, HardRadial{}, options), map_(set, method, guard_.anchor()), basis_(hull_basis(guard_.anchor())) {}

  [[nodiscard]] std::size_t dim() const noexcept override { return guard_.dim(); }
  [[nodiscard]] std::size_t state_dim() const noexcept override { return dim() + map_.inner_state_dim(); }

  // Applies the map in double, then the guard: x is strictly inside whatever the projection and rounding did.
  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T> state) const override {
    std::size_t steps = 0;
    for (std::size_t i = 0; i < u.count(); ++i) {
      const VectorXd from = point(u[i]);
      if (!from.allFinite()) {
        std::fill_n(x.row(i), x.dim(), std::numeric_limits<T>::quiet_NaN());
        if (state.given()) std::fill_n(state.row(i), state.dim(), std::numeric_limits<T>::quiet_NaN());
        continue;
      }
      const SoftOrthogonalMap::Place at = map_.place(from, steps);
      // If the digits give out, far along an unbounded set, the guard alone decides.
      const VectorXd image = map_.value(from, at.p);
      const bool has_digits =
          image.allFinite() && image.cwiseAbs().maxCoeff() <= static_cast<double>(std::numeric_limits<T>::max());
      write(has_digits ? image : from, x[i]);
      if (!state.given()) continue;
      write(at.p, state[i].first(dim()));
      std::transform(at.inner.begin(), at.inner.end(), state[i].begin() + static_cast<std::ptrdiff_t>(dim()),
                     [](double v) { return static_cast<T>(v); });
    }
    const auto workspace = workspaces_.lend([this] { return guard_.make_workspace(); });
    guard_.project(x, x, *workspace);
    return steps;
  }

  void project_vjp(Rows<const T> u, Rows<const T>, Rows<const T> state, Rows<const T> grad_x,
                   Rows<T> grad_u) const override {
    for (std::size_t i = 0; i < u.count(); ++i) {
      const VectorXd from = point(u[i]);
      if (!from.allFinite()) {
        std::fill_n(grad_u.row(i), grad_u.dim(), std::numeric_limits<T>::quiet_NaN());
        continue;
      }
      const std::span<const T> kept = state[i];
      const SoftOrthogonalMap::Place at{
          point_of(kept.first(dim())),
          std::vector<double>(kept.begin() + static_cast<std::ptrdiff_t>(dim()), kept.end())};
      write(or_zero(map_.vjp(from, at, point_of(grad_x[i]))), grad_u[i]);
    }
  }

  void project_jvp(Rows<const T> u, Rows<const T> tangent_u, Rows<T> tangent_x) const override {
    for_each_finite(u, tangent_x, [&](std::size_t i, const VectorXd& from) {
      std::size_t steps = 0;
      write(or_zero(map_.jvp(from, map_.place(from, steps), point_of(tangent_u[i]))), tangent_x[i]);
    });
  }

  // The guard decides which points are inside.
  void inverse(Rows<const T> x, Rows<T> u) const override {
    const auto workspace = workspaces_.lend([this] { return guard_.make_workspace(); });
    guard_.inverse(x, u, *workspace);
    for (std::size_t i = 0; i < x.count(); ++i) {
      if (std::isnan(u[i][0])) continue;
      write(map_.inverse(point_of(x[i]), std::numeric_limits<T>::epsilon()), u[i]);
    }
  }

  void log_abs_det(Rows<const T> u, std::span<T> out) const override {
    for_each_finite(u, Rows<T>(out.data(), out.size(), 1), [&](std::size_t i, const VectorXd& from) {
      // If the digits give out, the Jacobian counts as singular.
      const double found = map_.log_abs_det(from, basis_);
      out[i] =
          found < std::numeric_limits<double>::infinity() ? static_cast<T>(found) : -std::numeric_limits<T>::infinity();
    });
  }

 private:
  static MatrixXd hull_basis(const Anchor& anchor) {
    const Index n = anchor.point.size();
    if (anchor.hull.codimension() == 0) return MatrixXd::Identity(n, n);
    return Eigen::FullPivLU<MatrixXd>(anchor.hull.normals).kernel().householderQr().householderQ() *
           MatrixXd::Identity(n, n - anchor.hull.normals.rows());
  }

  static VectorXd point_of(std::span<const T> row) {
    return Eigen::Map<const Eigen::VectorX<T>>(row.data(), static_cast<Index>(row.size())).template cast<double>();
  }
  static VectorXd point(std::span<const T> row) {
    VectorXd out = point_of(row);
    const double size = out.cwiseAbs().maxCoeff();
    if (size > kLongest) out *= kLongest / size;
    return out;
  }
  // If the digits give out, far along an unbounded set, derivatives count as 0.
  static VectorXd or_zero(const VectorXd& v) { return v.allFinite() ? v : VectorXd::Zero(v.size()).eval(); }
  static void write(const VectorXd& v, std::span<T> out) {
    std::transform(v.begin(), v.end(), out.begin(), [](double value) { return static_cast<T>(value); });
  }

  template <class Body>
  void for_each_finite(Rows<const T> u, Rows<T> out, const Body& body) const {
    for (std::size_t i = 0; i < u.count(); ++i) {
      const VectorXd from = point(u[i]);
      if (from.allFinite()) {
        body(i, from);
      } else {
        std::fill_n(out.row(i), out.dim(), std::numeric_limits<T>::quiet_NaN());
      }
    }
  }

  Projection<T> guard_;
  SoftOrthogonalMap map_;
  MatrixXd basis_;  // orthonormal basis of the hull's directions, in columns
  mutable Pool<Workspace<T>> workspaces_;
};

}  // namespace

template <class T>
LayerPtr<T> make_soft_orthogonal(const Set& set, const SoftOrthogonal& method, const ProjectionOptions& options) {
  require_invertible<T>("kappa", method.kappa);
  if (method.kappa > 1) reject_option("kappa", method.kappa, "above 1");
  require_fraction("delta", method.delta);
  require_between<T>("delta", method.delta, std::numeric_limits<T>::min(), 1);
  const auto curved = curved_constraints(set);
  if (!curved) reject_orthogonal("soft_orthogonal", set);
  const auto* const coordinates = dynamic_cast<const CoordinateSet*>(&*set);
  if (method.steps > 0 && (coordinates != nullptr || !curved->empty())) {
    throw InvalidOption("steps is for polyhedra: on a set of type " + set->describe().type +
                        " the projection is exact");
  }
  if (coordinates != nullptr) {
    const Anchor anchor =
        options.anchor_point ? check_anchor(set, *options.anchor_point) : require_anchor(set, options.anchor);
    // Throws for bounds that T does not resolve.
    static_cast<void>(Evaluator<T>(set, anchor, HardRadial{}, 1));
    return make_soft_orthogonal_coordinates<T>(*coordinates, method, anchor);
  }
  return std::make_unique<SoftOrthogonalLayer<T>>(set, method, options);
}
template LayerPtr<float> make_soft_orthogonal<float>(const Set&, const SoftOrthogonal&, const ProjectionOptions&);
template LayerPtr<double> make_soft_orthogonal<double>(const Set&, const SoftOrthogonal&, const ProjectionOptions&);

}  // namespace softradial::layers
