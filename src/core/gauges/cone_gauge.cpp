#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "algebra/as_doubles.hpp"
#include "gauges/margin.hpp"
#include "kernels/row_kernels.hpp"
#include "softradial/sets/second_order_cone.hpp"

namespace softradial {
namespace {

using Extended = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
using ExtendedMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

struct ConeData {
  ExtendedMatrix W;
  Extended tau;
  double slack;
  double setup_error;
};

// With w0 = M u0 + s, t0 = c.u0 + e > |w0|, the boost that takes (w0, t0) to (0, a), a^2 = t0^2 - |w0|^2, keeps the cone
// and turns the ray's exit into
//
//   gamma(d) = max(0, |W d| - tau.d),     tau = (omega_t c - M'omega) / a,   W = (M - omega (c + a tau)' / (1 + omega_t)) / a
//
// with (omega, omega_t) = (w0, t0) / a. No square is subtracted from a square: the quadratic's discriminant
// b^2 + A (|M d|^2 - (c.d)^2), which cancels near the cone, never appears. No rows in M: a halfspace.
ConeData boost(const Eigen::MatrixXd& M, const Eigen::VectorXd& s, const Eigen::VectorXd& c, double e,
               const Eigen::VectorXd& u0) {
  const ExtendedMatrix Mx = M.cast<long double>();
  const Extended cx = c.cast<long double>();
  const Extended x = u0.cast<long double>();
  const Extended w0 = Mx * x + s.cast<long double>();
  const long double t0 = cx.dot(x) + e;
  const long double length = w0.norm();
  const long double slack = t0 - length;
  require_inside(static_cast<double>(slack), "cone");
  const long double a = std::sqrt(slack * (t0 + length));
  const Extended omega = w0 / a;
  const long double omega_t = t0 / a;
  const Extended tau = (omega_t * cx - Mx.transpose() * omega) / a;
  const ExtendedMatrix W = (Mx - omega * (cx + a * tau).transpose() / (1 + omega_t)) / a;
  const double sizes =
      (M.cwiseAbs() * u0.cwiseAbs() + s.cwiseAbs()).norm() + c.cwiseAbs().dot(u0.cwiseAbs()) + std::abs(e);
  const double terms = static_cast<double>(u0.size() + M.rows() + 4);
  return {W, tau, static_cast<double>(slack), 4 * kUlp<long double> * terms * sizes / static_cast<double>(slack)};
}

template <class T>
class ConeGauge final : public GuardedGauge<T> {
 public:
  ConeGauge(const ConeData& data, const Eigen::VectorXd& u0) : ConeGauge(data, margin_of(data, u0)) {}

  struct Scratch final : GaugeScratch {
    explicit Scratch(std::size_t rows) : w(rows) {}
    std::vector<T> w;
  };
  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t) const override {
    return std::make_unique<Scratch>(rows_);
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept override {
    for (std::size_t i = 0; i < d.count(); ++i) {
      const T gamma = length(d[i], scratch) - kernels::dot(tau_.data(), d.row(i), d.dim());
      at[i] = {gamma > 0 ? gamma : T{0}, 0};
    }
  }

  // n = W'W d / |W d| - tau
  void add_gradient(T scale, std::span<const T> d, const GaugeAt<T>& at, std::span<T> out,
                    GaugeScratch& scratch) const noexcept override {
    if (!(at.gamma > 0)) return;
    kernels::add_scaled(-scale, tau_.data(), out.data(), out.size());
    const T size = length(d, scratch);
    if (!(size > 0)) return;
    const auto& w = static_cast<Scratch&>(scratch).w;
    for (std::size_t k = 0; k < rows_; ++k) {
      kernels::add_scaled(scale * (w[k] / size), W_.data() + k * out.size(), out.data(), out.size());
    }
  }

  [[nodiscard]] GaugeForm form() const override {
    return ConeForm{as_doubles<T>(W_, tau_.size()), as_doubles<T>(tau_)};
  }

 private:
  ConeGauge(const ConeData& data, Margin margin)
      : GuardedGauge<T>(margin), rows_(static_cast<std::size_t>(data.W.rows())) {
    require_resolvable<T>(margin.sigma, "cone", data.slack);
    const long double grow = 1 / (1 - static_cast<long double>(margin.sigma));
    for (const long double v : data.tau) tau_.push_back(static_cast<T>(grow * v));
    for (Eigen::Index k = 0; k < data.W.rows(); ++k) {
      for (Eigen::Index j = 0; j < data.W.cols(); ++j) W_.push_back(static_cast<T>(grow * data.W(k, j)));
    }
  }

  static Margin margin_of(const ConeData& data, const Eigen::VectorXd& u0) {
    const double lipschitz = static_cast<double>(data.W.norm() + data.tau.norm());
    return general_margin<T>(lipschitz, static_cast<std::size_t>(u0.size() + data.W.rows()), u0, data.setup_error);
  }

  // |W d|, leaving W d in the scratch.
  [[nodiscard]] T length(std::span<const T> d, GaugeScratch& scratch) const noexcept {
    auto& w = static_cast<Scratch&>(scratch).w;
    T squares = 0;
    for (std::size_t k = 0; k < rows_; ++k) {
      w[k] = kernels::dot(W_.data() + k * d.size(), d.data(), d.size());
      squares += w[k] * w[k];
    }
    return std::sqrt(squares);
  }

  std::size_t rows_;
  std::vector<T> W_;  // row by row
  std::vector<T> tau_;
};

}  // namespace

GaugePtr<float> SecondOrderCone::gauge_f32(const AnchoredHull& at) const {
  return std::make_unique<ConeGauge<float>>(boost(M_, s_, c_, e_, at.point), at.point);
}
GaugePtr<double> SecondOrderCone::gauge_f64(const AnchoredHull& at) const {
  return std::make_unique<ConeGauge<double>>(boost(M_, s_, c_, e_, at.point), at.point);
}

}  // namespace softradial
