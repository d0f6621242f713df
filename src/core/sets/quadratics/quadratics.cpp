#include "softradial/sets/quadratics.hpp"

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <vector>

#include "algebra/as_doubles.hpp"
#include "algebra/symmetric_eigen.hpp"
#include "kernels/matrix_product_kernels.hpp"
#include "kernels/row_kernels.hpp"
#include "numbers.hpp"
#include "sets/log_barrier.hpp"
#include "sets/margin.hpp"
#include "sets/number_text.hpp"
#include "sets/sized_gauge.hpp"
#include "sets/validation.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets/cones.hpp"

// Along a ray a convex quadratic h with h(u0) < 0 gives  A gamma^2 - 2 (g.d) gamma - |L d|^2 = 0, A > 0, and so
//
//   gamma(d) = beta.d + sqrt(|V d|^2 + (beta.d)^2),     V = L / sqrt(A),  beta = g / A.
//
//   ball        A = R^2 - |u0 - c|^2,          g = u0 - c,        L = I
//   ellipsoid   A = 1 - (u0-c)'S(u0-c),        g = S (u0 - c),    L'L = S
//   quadratic   A = -2 h(u0),                  g = P u0 + q,      L'L = P
namespace softradial {
namespace {

constexpr std::string_view kBall = "ball";
constexpr std::string_view kQuadratic = "quadratic";
constexpr std::string_view kEllipsoid = "ellipsoid";

using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

LongVector widened(std::span<const double> x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())).cast<long double>();
}

long double quadratic_form(const Eigen::MatrixXd& S, const LongVector& d) {
  long double sum = 0;
  for (Eigen::Index j = 0; j < S.cols(); ++j) sum += d[j] * S.col(j).cast<long double>().dot(d);
  return sum;
}

// -log(s + t) for a slack s(x) with gradient g and Hessian -S, S symmetric.
std::optional<BarrierTerms> slack_barrier(double slack, double t, const Eigen::VectorXd& g, const Eigen::MatrixXd& S) {
  const Eigen::Index last = g.size();
  Eigen::VectorXd gradient(last + 1);
  gradient << g, 1;
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(last + 1, last + 1);
  hessian.topLeftCorner(last, last) = -S;
  return log_barrier(slack + t, gradient, hessian);
}

// Axes of an ellipsoid that differ by no more are alike: rounding of its matrix is then small beside each.
constexpr double kLikeAxes = 1 << 16;

// The factor of the symmetric S (k x k), row i sqrt(lambda_i) v_i'. Eigenvalues within k eps |S| of 0, in these sizes, count as
// 0. One below that: InvalidSet "<set>: <name> is not positive semidefinite: its smallest eigenvalue is ...".
PsdFactor psd_factor(std::string_view set, std::string_view name, const Eigen::MatrixXd& S) {
  const Eigen::VectorXd steepness = S.diagonal().cwiseMax(0).cwiseSqrt();
  const Eigen::VectorXd sizes = unlike_sizes({steepness.data(), static_cast<std::size_t>(steepness.size())}, kLikeAxes,
                                             guard::kLargestNorm<float>)
                                    .value_or(Eigen::VectorXd::Ones(S.rows()));
  // Halves first: a sum of two entries of the largest doubles would overflow.
  const Eigen::MatrixXd symmetric = sizes.asDiagonal() * (S / 2 + S.transpose() / 2) * sizes.asDiagonal();
  const SymmetricEigen<double> eigen(symmetric, SymmetricEigen<double>::Want::vectors);
  const Eigen::VectorXd& values = eigen.values();  // ascending
  const double tolerance =
      static_cast<double>(S.rows()) * std::numeric_limits<double>::epsilon() * values.cwiseAbs().maxCoeff();
  if (values[0] < -tolerance) {
    reject(set,
           std::string(name) + " is not positive semidefinite: its smallest eigenvalue is " + number_text(values[0]));
  }
  const Eigen::Index rank = (values.array() > tolerance).count();
  return {values.tail(rank).cwiseSqrt().asDiagonal() * eigen.vectors().rightCols(rank).transpose(), sizes};
}

using Extended = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
using ExtendedMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

// A and g are kept in extended precision, whose exponents hold the square of every double.
struct QuadraticData {
  long double A;        // A of the table above
  long double A_error;  // bound of its rounding error
  Extended g;
  Eigen::MatrixXd L;    // no rows: the identity
  double factor_error;  // bound of |L'L - P| in the Frobenius norm
};

// gamma = b + sqrt(curved + b^2) and the square root; for b < 0 by the form without cancellation, curved / (length - b).
template <class N>
struct Root {
  N gamma;
  N length;
};
template <class N>
Root<N> positive_root(const N& curved, const N& b) {
  const N length = softradial::root(curved + b * b);
  const auto ahead = b >= 0;
  const N gap = where_else(!ahead && length > 0, length - b, 1);
  return {choose(ahead, length + b, curved / gap), length};
}

// A and g of the table above. V: vectors in extended precision, or tensors with a row for each sample.
template <class V>
struct AtAnchor {
  decltype(dot(std::declval<V>(), std::declval<V>())) A;
  V g;
};
template <class V, class N>
AtAnchor<V> ball_at(const V& e0, const N& radius) {
  const auto length = norm(e0);
  return {(radius - length) * (radius + length), e0};
}
template <class V, class M>
AtAnchor<V> ellipsoid_at(const V& e0, const M& shape) {
  const V image = product(shape, e0);
  return {1 - dot(e0, image), image};
}
template <class V, class M, class N>
AtAnchor<V> quadratic_at(const V& u0, const M& P, const V& q, const N& c) {
  const V image = product(P, u0);
  return {-(dot(u0, image) + 2 * dot(q, u0) + 2 * c), image + q};
}

// V and beta are stored in units of a power of two next to the gauge's Lipschitz constant, which is exact: neither their
// squares nor those of V d leave the range of T, however small or large the set is.
template <class T>
class QuadraticGauge final : public GuardedGauge<T> {
 public:
  QuadraticGauge(const QuadraticData& q, const Eigen::VectorXd& u0, const std::string& name)
      : QuadraticGauge(q, margin_of(q, u0), name) {}

  struct Scratch final : GaugeScratch {
    explicit Scratch(std::size_t size) : w(size) {}
    std::vector<T> w;  // V d, row after row
  };
  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t max_rows) const override {
    return std::make_unique<Scratch>(max_rows * rank_);
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept override {
    const Rows<T> w = images(d, scratch);
    for (std::size_t i = 0; i < d.count(); ++i) at[i] = {unit_ * root(d[i], w[i]).gamma, 0};
  }

  // n = (V'V d + gamma beta) / sqrt(|V d|^2 + (beta.d)^2); the root is 0 only where d is a recession direction.
  void add_gradient(T scale, std::span<const T> d, const GaugeAt<T>&, std::span<T> out,
                    GaugeScratch& scratch) const noexcept override {
    const std::span<const T> w = images(Rows<const T>(d), scratch)[0];
    const Root<T> r = root(d, w);
    if (!(r.length > 0)) return;
    const T by_length = scale * unit_ / r.length;
    kernels::add_scaled(by_length * r.gamma, beta_.data(), out.data(), out.size());
    kernels::add_scaled(by_length * inflation_, d.data(), out.data(), out.size());
    for (std::size_t k = 0; k < rank_; ++k) {
      kernels::add_scaled(by_length * w[k], V_.data() + k * out.size(), out.data(), out.size());
    }
  }

  // sqrt(|V e_j|^2 + beta_j^2) + |beta_j| <= |V e_j| + 2 |beta_j|
  [[nodiscard]] std::vector<double> steepness(std::size_t dim) const override {
    std::vector<double> squares(dim, static_cast<double>(inflation_));
    for (std::size_t k = 0; k < V_.size(); ++k) squares[k % dim] += static_cast<double>(V_[k]) * V_[k];
    std::vector<double> steepest(dim);
    for (std::size_t j = 0; j < dim; ++j) {
      steepest[j] = static_cast<double>(unit_) * (std::sqrt(squares[j]) + 2 * std::abs(static_cast<double>(beta_[j])));
    }
    return steepest;
  }

  [[nodiscard]] TensorGauge in_tensors(const TensorSpace& space) const override {
    const Tensor beta = space.working_constant(as_doubles<T>(beta_));
    const double inflation = inflation_;
    const double unit = unit_;
    if (identity_) {
      return [=](const Tensor& d) { return unit * positive_root(inflation * dot(d, d), dot(d, beta)).gamma; };
    }
    const Tensor columns = space.working_constant(Eigen::MatrixXd(as_doubles<T>(V_, beta_.size()).transpose()));
    return [=](const Tensor& d) {
      const Tensor w = product(columns, d);
      return unit * positive_root(inflation * dot(d, d) + dot(w, w), dot(d, beta)).gamma;
    };
  }

 private:
  QuadraticGauge(const QuadraticData& q, Margin margin, const std::string& name)
      : GuardedGauge<T>(margin),
        identity_(q.L.rows() == 0),
        rank_(static_cast<std::size_t>(q.L.rows())),
        panels_(rank_, static_cast<std::size_t>(q.g.size())) {
    require_resolvable<T>(margin.sigma, name, static_cast<double>(q.A));
    require_reach<T>(margin.lipschitz);
    unit_ = power_of_two_near<T>(margin.lipschitz);
    const long double grow = 1 / (1 - static_cast<long double>(margin.sigma)) / unit_;
    const long double by_root = grow / std::sqrt(q.A);
    for (const long double g : q.g) beta_.push_back(static_cast<T>(grow * g / q.A));
    for (Eigen::Index k = 0; k < q.L.rows(); ++k) {
      for (Eigen::Index j = 0; j < q.L.cols(); ++j) {
        V_.push_back(static_cast<T>(by_root * q.L(k, j)));
        panels_.set(static_cast<std::size_t>(k), static_cast<std::size_t>(j), V_.back());
      }
    }
    // V'V is the identity over A, or falls short of P / A by the factorisation's rounding: the latter is added back as
    // a multiple of the identity, so that the guarded set stays inside the given one.
    inflation_ = static_cast<T>(by_root * by_root * (identity_ ? 1 : q.factor_error));
  }

  static Margin margin_of(const QuadraticData& q, const Eigen::VectorXd& u0) {
    const double spread = q.L.rows() == 0 ? 1.0 : q.L.stableNorm();
    const auto lipschitz = static_cast<double>(2 * q.g.norm() / q.A + spread / std::sqrt(q.A));
    const auto terms = static_cast<std::size_t>(q.g.size() + q.L.rows());
    return general_margin<double>({kUlp<T>}, lipschitz, terms, u0.stableNorm(), static_cast<double>(q.A_error / q.A));
  }

  // V d for every row, in the scratch.
  [[nodiscard]] Rows<T> images(Rows<const T> d, GaugeScratch& scratch) const noexcept {
    const Rows<T> w(static_cast<Scratch&>(scratch).w.data(), d.count(), rank_);
    if (rank_ > 0) kernels::multiply(panels_, d, w);
    return w;
  }

  // The root for w = V d.
  [[nodiscard]] Root<T> root(std::span<const T> d, std::span<const T> w) const noexcept {
    const T curved =
        inflation_ * kernels::dot(d.data(), d.data(), d.size()) + kernels::dot(w.data(), w.data(), w.size());
    return positive_root(curved, kernels::dot(beta_.data(), d.data(), d.size()));
  }

  bool identity_;
  std::size_t rank_;
  T unit_ = 1;
  std::vector<T> V_;           // row by row
  kernels::Panels<T> panels_;  // the same for products with blocks
  std::vector<T> beta_;
  T inflation_ = 0;
};

// Bound of |P - L'L| for a factor from an eigendecomposition with small eigenvalues dropped.
double factor_error(const Eigen::MatrixXd& P) {
  return 8 * static_cast<double>(P.rows()) * kUlp<double> * P.stableNorm();
}

QuadraticData ball_data(const Eigen::VectorXd& center, double radius, const Eigen::VectorXd& u0) {
  const Extended e0 = u0.cast<long double>() - center.cast<long double>();
  const AtAnchor<Extended> at = ball_at(e0, static_cast<long double>(radius));
  const long double length = e0.norm();
  require_inside(static_cast<double>(radius - length), "radius");
  const long double error = kUlp<double> * length * length * 1e-2L + kUlp<double> * at.A;
  return {at.A, error, at.g, Eigen::MatrixXd(0, u0.size()), 0};
}

QuadraticData ellipsoid_data(const Eigen::VectorXd& center, const Eigen::MatrixXd& S, const Eigen::MatrixXd& L,
                             const Eigen::VectorXd& u0) {
  const Extended e0 = u0.cast<long double>() - center.cast<long double>();
  const ExtendedMatrix shape = S.cast<long double>();
  const AtAnchor<Extended> at = ellipsoid_at(e0, shape);
  require_inside(static_cast<double>(at.A), "ellipsoid");
  const double sizes = (e0.cwiseAbs().transpose() * shape.cwiseAbs() * e0.cwiseAbs()).cast<double>()(0);
  const double n = static_cast<double>(u0.size());
  const long double error = kUlp<long double> * 4 * n * (1 + sizes) + kUlp<double> * at.A;
  return {at.A, error, at.g, L, factor_error(S)};
}

QuadraticData quadratic_data(const Eigen::MatrixXd& P, const Eigen::VectorXd& q, double c, const Eigen::MatrixXd& L,
                             const Eigen::VectorXd& u0) {
  const Extended x = u0.cast<long double>();
  const ExtendedMatrix wide = P.cast<long double>();
  const AtAnchor<Extended> at = quadratic_at<Extended>(x, wide, q.cast<long double>(), c);
  require_inside(static_cast<double>(at.A / 2), "quadratic");
  const double sizes = (x.cwiseAbs().transpose() * wide.cwiseAbs() * x.cwiseAbs()).cast<double>()(0) +
                       2 * q.cwiseAbs().dot(u0.cwiseAbs()) + 2 * std::abs(c);
  const double n = static_cast<double>(u0.size());
  const long double error = kUlp<long double> * 4 * n * sizes + kUlp<double> * at.A;
  return {at.A, error, at.g, L.rows() > 0 ? L : Eigen::MatrixXd::Zero(1, u0.size()), factor_error(P)};
}

// The gauge in the sizes of a factor, where there are some: rounding of the matrix, and of its factor, is small beside each axis
// there.
template <class T, class Data>
GaugePtr<T> quadratic_gauge_of(const QuadraticSet& set, const PsdFactor& factor, const AnchoredHull& at,
                               const std::string& name, const Data& data_at) {
  if (!factor.has_sizes()) return std::make_unique<QuadraticGauge<T>>(data_at(at.point), at.point, name);
  const Eigen::VectorXd point = at.point.cwiseQuotient(factor.sizes);
  return gauge_from_sizes<T>((*set.in_sizes(factor.sizes))->gauge<T>({point, at.hull}), factor.sizes);
}
template <class T>
GaugePtr<T> ellipsoid_gauge(const Ellipsoid& set, const PsdFactor& factor, const AnchoredHull& at) {
  const QuadraticForm form = set.form();
  return quadratic_gauge_of<T>(set, factor, at, "ellipsoid", [&](const Eigen::VectorXd& u0) {
    return ellipsoid_data(form.center, form.P, factor.rows, u0);
  });
}
template <class T>
GaugePtr<T> quadratic_gauge(const Quadratic& set, const PsdFactor& factor, const AnchoredHull& at) {
  const QuadraticForm form = set.form();
  return quadratic_gauge_of<T>(set, factor, at, "quadratic", [&](const Eigen::VectorXd& u0) {
    return quadratic_data(form.P, form.q, form.c, factor.rows, u0);
  });
}

// The gauge of the table above for an anchor of each sample. A is a difference of terms of these `sizes`. Without rows, L
// stands for the identity.
TensorGaugeAt gauge_of(const AtAnchor<Tensor>& at, const Tensor& sizes, const Eigen::MatrixXd& L, const Tensor& anchor,
                       const TensorSpace& space) {
  const Tensor inside = at.A > 0;
  const Tensor A = where_else(inside, at.A, 1);
  const Tensor beta = at.g / A;
  const bool identity = L.rows() == 0;
  const Tensor lipschitz = frozen(2 * norm(beta) + (identity ? 1.0 : L.norm()) / root(A));
  const Tensor unit = where_else(lipschitz > 0 && isfinite(lipschitz), lipschitz, 1);  // keeps the squares in range
  const std::size_t terms = anchor.value().width() + static_cast<std::size_t>(L.rows());
  const Tensor columns = identity ? Tensor() : space.working_constant(Eigen::MatrixXd(L.transpose()));
  const TensorGauge gauge = [columns, by_root = space.working(1 / root(A) / unit), beta = space.working(beta / unit),
                             unit = space.working(unit)](const Tensor& d) {
    const Tensor image = by_root * (columns.defined() ? product(columns, d) : d);
    return unit * positive_root(dot(image, image), dot(beta, d)).gamma;
  };
  return guarded(gauge, general_margin(space, lipschitz, terms, anchor, slack_error(sizes, A, terms)), inside, space);
}

}  // namespace

Ball::Ball(Eigen::VectorXd center, double radius) : center_(std::move(center)), radius_(radius) {
  require_dim(kBall, dim());
  require_finite(kBall, "center", center_);
  require_positive(kBall, "radius", radius_);
}

Description Ball::describe() const { return {std::string(kBall), {{"center", center_}, {"radius", radius_}}}; }

QuadraticForm Ball::form() const {
  const auto n = center_.size();
  return {center_, Eigen::MatrixXd::Identity(n, n) / (radius_ * radius_), Eigen::VectorXd::Zero(n), -0.5};
}

// radius - |x - center|. A long double's exponent holds the square of every double.
void Ball::slacks(std::span<const double> x, std::span<double> out) const {
  long double square = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const long double d = static_cast<long double>(x[j]) - center_[j];
    square += d * d;
  }
  out[0] = static_cast<double>(radius_ - std::sqrt(square));
}

// -log(w),  w = (R + t)^2 - |d|^2,  d = x - center,  on R + t > |d|: the barrier of the second-order cone.
//   grad w = (-2 d, 2 (R + t)),   Hess w = diag(-2, ..., -2, 2)
std::optional<BarrierTerms> Ball::barrier(const Eigen::VectorXd& x, double t) const {
  const Eigen::VectorXd d = x - center_;
  const double reach = radius_ + t;
  const double distance = d.stableNorm();
  if (!(reach > distance)) return std::nullopt;

  const Eigen::Index last = d.size();
  Eigen::VectorXd gradient(last + 1);
  gradient << -2 * d, 2 * reach;
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(last + 1, last + 1);
  hessian.diagonal().setConstant(-2);
  hessian(last, last) = 2;
  return log_barrier((reach - distance) * (reach + distance), gradient, hessian);
}

Quadratic::Quadratic(Eigen::MatrixXd P, Eigen::VectorXd q, double c) : P_(std::move(P)), q_(std::move(q)), c_(c) {
  require_dim(kQuadratic, dim());
  require_symmetric(kQuadratic, "P", P_);
  require_entries(kQuadratic, "q", q_.size(), P_.rows(), "rows of P");
  require_finite(kQuadratic, "q", q_);
  require_finite(kQuadratic, "c", c_);
  factor_ = psd_factor(kQuadratic, "P", P_);
}

Description Quadratic::describe() const { return {std::string(kQuadratic), {{"P", P_}, {"q", q_}, {"c", c_}}}; }

QuadraticForm Quadratic::form() const { return {Eigen::VectorXd::Zero(q_.size()), P_, q_, c_}; }

void Quadratic::slacks(std::span<const double> x, std::span<double> out) const {
  const LongVector wide = widened(x);
  out[0] = static_cast<double>(-(quadratic_form(P_, wide) / 2 + q_.cast<long double>().dot(wide) + c_));
}

std::optional<BarrierTerms> Quadratic::barrier(const Eigen::VectorXd& x, double t) const {
  double slack = 0;
  slacks({x.data(), dim()}, {&slack, 1});
  return slack_barrier(slack, t, -(P_ * x + q_), P_);
}

// The minimiser of the quadratic, x = -P^+ q, provided q lies in the range of P (otherwise the quadratic has none) and
// its value there is negative beyond rounding. In the sizes of the factor, x = diag(sizes) y and q_y = diag(sizes) q, with its rows
// V_i, |V_i|^2 = lambda_i:
//   P_y^+ q_y = sum_i V_i' (V_i.q_y) / lambda_i^2.
std::optional<Eigen::VectorXd> Quadratic::closed_form_anchor() const {
  // Components of q outside the range come out at a few dim * eps; a real one is as large as q itself.
  constexpr double kOutsideRange = 1e-9;
  const Eigen::MatrixXd& V = factor_.rows;
  const Eigen::VectorXd q = factor_.sizes.cwiseProduct(q_);
  const Eigen::ArrayXd eigenvalues = V.rowwise().squaredNorm().array();
  const Eigen::VectorXd components = ((V * q).array() / eigenvalues).matrix();
  if ((q - V.transpose() * components).norm() > kOutsideRange * q.norm()) return std::nullopt;
  const Eigen::VectorXd y = -V.transpose() * (components.array() / eigenvalues).matrix();
  Eigen::VectorXd x = factor_.sizes.cwiseProduct(y);

  double slack = 0;
  slacks({x.data(), dim()}, {&slack, 1});
  // At the minimiser 1/2 x'Px = -1/2 q'x: the largest of the terms that cancel in the slack is |q'x| or |c|.
  const double rounding = static_cast<double>(dim()) * std::numeric_limits<double>::epsilon() *
                          (q_.cwiseAbs().dot(x.cwiseAbs()) + std::abs(c_));
  if (!(slack > rounding)) return std::nullopt;
  return x;
}

Ellipsoid::Ellipsoid(Eigen::VectorXd center, Eigen::MatrixXd shape)
    : center_(std::move(center)), shape_(std::move(shape)) {
  require_dim(kEllipsoid, dim());
  require_symmetric(kEllipsoid, "shape", shape_);
  require_entries(kEllipsoid, "center", center_.size(), shape_.rows(), "rows of shape");
  require_finite(kEllipsoid, "center", center_);
  factor_ = psd_factor(kEllipsoid, "shape", shape_);
}

Description Ellipsoid::describe() const { return {std::string(kEllipsoid), {{"center", center_}, {"shape", shape_}}}; }

QuadraticForm Ellipsoid::form() const { return {center_, shape_, Eigen::VectorXd::Zero(center_.size()), -0.5}; }

void Ellipsoid::slacks(std::span<const double> x, std::span<double> out) const {
  out[0] = static_cast<double>(1 - quadratic_form(shape_, widened(x) - center_.cast<long double>()));
}

std::optional<BarrierTerms> Ellipsoid::barrier(const Eigen::VectorXd& x, double t) const {
  double slack = 0;
  slacks({x.data(), dim()}, {&slack, 1});
  return slack_barrier(slack, t, -2 * (shape_ * (x - center_)), 2 * shape_);
}

GaugePtr<float> Ball::gauge_f32(const AnchoredHull& at) const {
  return std::make_unique<QuadraticGauge<float>>(ball_data(center_, radius_, at.point), at.point, "radius");
}
GaugePtr<double> Ball::gauge_f64(const AnchoredHull& at) const {
  return std::make_unique<QuadraticGauge<double>>(ball_data(center_, radius_, at.point), at.point, "radius");
}
GaugePtr<float> Ellipsoid::gauge_f32(const AnchoredHull& at) const {
  return ellipsoid_gauge<float>(*this, factor_, at);
}
GaugePtr<double> Ellipsoid::gauge_f64(const AnchoredHull& at) const {
  return ellipsoid_gauge<double>(*this, factor_, at);
}
GaugePtr<float> Quadratic::gauge_f32(const AnchoredHull& at) const {
  return quadratic_gauge<float>(*this, factor_, at);
}
GaugePtr<double> Quadratic::gauge_f64(const AnchoredHull& at) const {
  return quadratic_gauge<double>(*this, factor_, at);
}

// {|diag(sizes) y - center| <= radius}
std::optional<Set> Ball::in_sizes(const Eigen::VectorXd& sizes) const {
  return SecondOrderCone(sizes.asDiagonal(), -center_, Eigen::VectorXd::Zero(center_.size()), radius_);
}
std::optional<Set> Ellipsoid::in_sizes(const Eigen::VectorXd& sizes) const {
  return Ellipsoid(center_.cwiseQuotient(sizes), sizes.asDiagonal() * shape_ * sizes.asDiagonal());
}
std::optional<Set> Quadratic::in_sizes(const Eigen::VectorXd& sizes) const {
  return Quadratic(sizes.asDiagonal() * P_ * sizes.asDiagonal(), q_.cwiseProduct(sizes), c_);
}

// Sizes are bounds by norms: |e0|^2 may be the difference of |u0|^2 and |center|^2.
TensorGaugeAt Ball::gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const {
  const Tensor center = data.value_or("center", center_);
  const Tensor radius = data.value_or("radius", radius_);
  const Tensor e0 = anchor - center;
  AtAnchor<Tensor> at = ball_at(e0, radius);
  at.A = where_else(radius > 0, at.A, 0);
  const Tensor length = norm(e0);
  const Tensor sizes = radius * radius + length * (length + norm(anchor) + norm(center));
  return gauge_of(at, sizes, Eigen::MatrixXd(0, center_.size()), anchor, data.space());
}
Tensor Ball::anchor_in_tensors(const SampleTensors& data, const Eigen::VectorXd& /*own*/) const {
  return data.value_or("center", center_);
}

TensorGaugeAt Ellipsoid::gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const {
  const Tensor center = data.value_or("center", center_);
  const Tensor e0 = anchor - center;
  const Tensor length = norm(e0);
  const Tensor sizes = 1 + shape_.norm() * length * (length + norm(anchor) + norm(center));
  return gauge_of(ellipsoid_at(e0, data.space().constant(shape_)), sizes, factor_.of_given(), anchor, data.space());
}
Tensor Ellipsoid::anchor_in_tensors(const SampleTensors& data, const Eigen::VectorXd& /*own*/) const {
  return data.value_or("center", center_);
}

TensorGaugeAt Quadratic::gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const {
  const TensorSpace& space = data.space();
  const Tensor q = data.value_or("q", q_);
  const Tensor c = data.value_or("c", c_);
  const Tensor size = norm(anchor);
  const Tensor sizes = P_.norm() * size * size + 2 * norm(q) * size + 2 * abs(c);
  return gauge_of(quadratic_at(anchor, space.constant(P_), q, c), sizes,
                  factor_.rows.rows() > 0 ? factor_.of_given() : Eigen::MatrixXd::Zero(1, q_.size()), anchor, space);
}

SetType Ball::type() {
  return {
      .name = kBall,
      .title = "Ball",
      .formula = "{|x - center| <= radius}",
      .fields = {{.name = "center", .kind = FieldKind::numbers, .learned_as = "center", .meaning = "(dim)"},
                 {.name = "radius", .kind = FieldKind::number, .learned_as = "radius", .meaning = "a positive number"}},
      .sample_data = {"center", "radius"},
      .example = R"({"type": "ball", "center": [0, 0, 0], "radius": 1})",
      .make = [](const Fields& f) -> Set { return Ball(f.numbers("center"), f.number("radius")); }};
}

SetType Ellipsoid::type() {
  return {.name = kEllipsoid,
          .title = "Ellipsoid",
          .formula = "{(x - center)' shape (x - center) <= 1}, shape positive semidefinite",
          .fields = {{.name = "center", .kind = FieldKind::numbers, .learned_as = "center", .meaning = "(dim)"},
                     {.name = "shape", .kind = FieldKind::matrix, .meaning = "(dim, dim): symmetric"}},
          .sample_data = {"center"},
          .example = R"({"type": "ellipsoid", "center": [0, 0], "shape": [[4, 0], [0, 1]]})",
          .make = [](const Fields& f) -> Set { return Ellipsoid(f.numbers("center"), f.matrix("shape")); }};
}

SetType Quadratic::type() {
  return {.name = kQuadratic,
          .title = "Quadratic",
          .formula = "{1/2 x'Px + q'x + c <= 0}, P positive semidefinite",
          .fields = {{.name = "P", .kind = FieldKind::matrix, .meaning = "(dim, dim): symmetric"},
                     {.name = "q", .kind = FieldKind::numbers, .meaning = "(dim)"},
                     {.name = "c", .kind = FieldKind::number, .meaning = "a number"}},
          .sample_data = {"q", "c"},
          .example = R"({"type": "quadratic", "P": [[2, 0], [0, 1]], "q": [0, -1], "c": -1})",
          .make = [](const Fields& f) -> Set { return Quadratic(f.matrix("P"), f.numbers("q"), f.number("c")); }};
}

}  // namespace softradial
