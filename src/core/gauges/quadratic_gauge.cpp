#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "algebra/as_doubles.hpp"
#include "gauges/margin.hpp"
#include "kernels/row_kernels.hpp"
#include "softradial/sets/ball.hpp"
#include "softradial/sets/quadratic.hpp"

// Along a ray a convex quadratic h with h(u0) < 0 gives  A gamma^2 - 2 (g.d) gamma - |L d|^2 = 0, A > 0, and so
//
//   gamma(d) = beta.d + sqrt(|V d|^2 + (beta.d)^2),     V = L / sqrt(A),  beta = g / A.
//
//   ball        A = R^2 - |u0 - c|^2,          g = u0 - c,        L = I
//   ellipsoid   A = 1 - (u0-c)'S(u0-c),        g = S (u0 - c),    L'L = S
//   quadratic   A = -2 h(u0),                  g = P u0 + q,      L'L = P
namespace softradial {
namespace {

using Extended = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
using ExtendedMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

struct QuadraticData {
  double A;        // as above
  double A_error;  // bound of its rounding error
  Eigen::VectorXd g;
  Eigen::MatrixXd L;    // no rows: the identity
  double factor_error;  // bound of |L'L - P| in the Frobenius norm
};

template <class T>
class QuadraticGauge final : public GuardedGauge<T> {
 public:
  QuadraticGauge(const QuadraticData& q, const Eigen::VectorXd& u0, const std::string& name)
      : QuadraticGauge(q, margin_of(q, u0), name) {}

  struct Scratch final : GaugeScratch {
    explicit Scratch(std::size_t rank) : w(rank) {}
    std::vector<T> w;
  };
  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t) const override {
    return std::make_unique<Scratch>(rank_);
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept override {
    for (std::size_t i = 0; i < d.count(); ++i) at[i] = {root(d[i], scratch).gamma, 0};
  }

  // n = (V'V d + gamma beta) / sqrt(|V d|^2 + (beta.d)^2); the root is 0 only where d is a recession direction.
  void add_gradient(T scale, std::span<const T> d, const GaugeAt<T>&, std::span<T> out,
                    GaugeScratch& scratch) const noexcept override {
    const Root r = root(d, scratch);
    if (!(r.length > 0)) return;
    const T by_length = scale / r.length;
    kernels::add_scaled(by_length * r.gamma, beta_.data(), out.data(), out.size());
    kernels::add_scaled(by_length * inflation_, d.data(), out.data(), out.size());
    if (identity_) return;
    const auto& w = static_cast<Scratch&>(scratch).w;
    for (std::size_t k = 0; k < rank_; ++k) {
      kernels::add_scaled(by_length * w[k], V_.data() + k * out.size(), out.data(), out.size());
    }
  }

  [[nodiscard]] GaugeForm form() const override {
    return QuadraticForm{as_doubles<T>(V_, beta_.size()), as_doubles<T>(beta_), inflation_};
  }

 private:
  struct Root {
    T gamma;
    T length;
  };

  QuadraticGauge(const QuadraticData& q, Margin margin, const std::string& name)
      : GuardedGauge<T>(margin), identity_(q.L.rows() == 0), rank_(static_cast<std::size_t>(q.L.rows())) {
    require_resolvable<T>(margin.sigma, name, q.A);
    const double grow = 1 / (1 - margin.sigma);
    const double by_root = grow / std::sqrt(q.A);
    for (const double g : q.g) beta_.push_back(static_cast<T>(grow * g / q.A));
    for (Eigen::Index k = 0; k < q.L.rows(); ++k) {
      for (Eigen::Index j = 0; j < q.L.cols(); ++j) V_.push_back(static_cast<T>(by_root * q.L(k, j)));
    }
    // V'V is the identity over A, or falls short of P / A by the factorisation's rounding: the latter is added back as
    // a multiple of the identity, so that the guarded set stays inside the given one.
    inflation_ = static_cast<T>(by_root * by_root * (identity_ ? 1.0 : q.factor_error));
  }

  static Margin margin_of(const QuadraticData& q, const Eigen::VectorXd& u0) {
    const double spread = q.L.rows() == 0 ? 1.0 : q.L.norm();
    const double lipschitz = 2 * q.g.norm() / q.A + spread / std::sqrt(q.A);
    const auto terms = static_cast<std::size_t>(q.g.size() + q.L.rows());
    return general_margin<T>(lipschitz, terms, u0, q.A_error / q.A);
  }

  // The form without cancellation: for b < 0 the root is |V d|^2 / (length - b).
  [[nodiscard]] Root root(std::span<const T> d, GaugeScratch& scratch) const noexcept {
    auto& w = static_cast<Scratch&>(scratch).w;
    T curved = inflation_ * kernels::dot(d.data(), d.data(), d.size());
    for (std::size_t k = 0; k < rank_; ++k) {
      w[k] = kernels::dot(V_.data() + k * d.size(), d.data(), d.size());
      curved += w[k] * w[k];
    }
    const T b = kernels::dot(beta_.data(), d.data(), d.size());
    const T length = std::sqrt(curved + b * b);
    if (b >= 0) return {length + b, length};
    return {length > 0 ? curved / (length - b) : T{0}, length};
  }

  bool identity_;
  std::size_t rank_;
  std::vector<T> V_;  // row by row
  std::vector<T> beta_;
  T inflation_ = 0;
};

// Bound of |P - L'L| for a factor from an eigendecomposition with small eigenvalues dropped.
double factor_error(const Eigen::MatrixXd& P) { return 8 * static_cast<double>(P.rows()) * kUlp<double> * P.norm(); }

QuadraticData ball_data(const Eigen::VectorXd& center, double radius, const Eigen::VectorXd& u0) {
  const Extended e0 = u0.cast<long double>() - center.cast<long double>();
  const long double length = e0.norm();
  const long double A = (radius - length) * (radius + length);
  require_inside(static_cast<double>(A), "radius");
  const double error =
      kUlp<double> * static_cast<double>(length * length) * 1e-2 + kUlp<double> * static_cast<double>(A);
  return {static_cast<double>(A), error, e0.cast<double>(), Eigen::MatrixXd(0, u0.size()), 0};
}

QuadraticData ellipsoid_data(const Eigen::VectorXd& center, const Eigen::MatrixXd& S, const Eigen::MatrixXd& L,
                             const Eigen::VectorXd& u0) {
  const Extended e0 = u0.cast<long double>() - center.cast<long double>();
  const Extended Se0 = S.cast<long double>() * e0;
  const long double A = 1 - e0.dot(Se0);
  require_inside(static_cast<double>(A), "ellipsoid");
  const double sizes = (e0.cwiseAbs().transpose() * S.cast<long double>().cwiseAbs() * e0.cwiseAbs()).cast<double>()(0);
  const double n = static_cast<double>(u0.size());
  const double error = kUlp<long double> * 4 * n * (1 + sizes) + kUlp<double> * static_cast<double>(A);
  return {static_cast<double>(A), error, Se0.cast<double>(), L, factor_error(S)};
}

QuadraticData quadratic_data(const Eigen::MatrixXd& P, const Eigen::VectorXd& q, double c, const Eigen::MatrixXd& L,
                             const Eigen::VectorXd& u0) {
  const Extended x = u0.cast<long double>();
  const Extended Px = P.cast<long double>() * x;
  const long double qx = q.cast<long double>().dot(x);
  const long double A = -(x.dot(Px) + 2 * qx + 2 * static_cast<long double>(c));
  require_inside(static_cast<double>(A / 2), "quadratic");
  const double sizes = (x.cwiseAbs().transpose() * P.cast<long double>().cwiseAbs() * x.cwiseAbs()).cast<double>()(0) +
                       2 * q.cwiseAbs().dot(u0.cwiseAbs()) + 2 * std::abs(c);
  const double n = static_cast<double>(u0.size());
  const double error = kUlp<long double> * 4 * n * sizes + kUlp<double> * static_cast<double>(A);
  const Eigen::VectorXd g = (Px + q.cast<long double>()).cast<double>();
  return {static_cast<double>(A), error, g, L.rows() > 0 ? L : Eigen::MatrixXd::Zero(1, u0.size()), factor_error(P)};
}

}  // namespace

GaugePtr<float> Ball::gauge_f32(const AnchoredHull& at) const {
  return std::make_unique<QuadraticGauge<float>>(ball_data(center_, radius_, at.point), at.point, "radius");
}
GaugePtr<double> Ball::gauge_f64(const AnchoredHull& at) const {
  return std::make_unique<QuadraticGauge<double>>(ball_data(center_, radius_, at.point), at.point, "radius");
}
GaugePtr<float> Ellipsoid::gauge_f32(const AnchoredHull& at) const {
  return std::make_unique<QuadraticGauge<float>>(ellipsoid_data(center_, shape_, factor_, at.point), at.point,
                                                 "ellipsoid");
}
GaugePtr<double> Ellipsoid::gauge_f64(const AnchoredHull& at) const {
  return std::make_unique<QuadraticGauge<double>>(ellipsoid_data(center_, shape_, factor_, at.point), at.point,
                                                  "ellipsoid");
}
GaugePtr<float> Quadratic::gauge_f32(const AnchoredHull& at) const {
  return std::make_unique<QuadraticGauge<float>>(quadratic_data(P_, q_, c_, factor_, at.point), at.point, "quadratic");
}
GaugePtr<double> Quadratic::gauge_f64(const AnchoredHull& at) const {
  return std::make_unique<QuadraticGauge<double>>(quadratic_data(P_, q_, c_, factor_, at.point), at.point, "quadratic");
}

}  // namespace softradial
