#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <vector>

#include "algebra/symmetric_eigen.hpp"
#include "gauges/margin.hpp"
#include "kernels/row_kernels.hpp"
#include "softradial/sets/lmi.hpp"

namespace softradial {
namespace {

// gamma(d) = largest eigenvalue of G(d) = sum_i d_i G_i, floored at 0;  G_i = -L^-1 F_i L^-T, F(u0) = L L'.
// n_i = v'G_i v with v a unit eigenvector of the largest eigenvalue.
template <class T>
class LmiGauge final : public GuardedGauge<T> {
 public:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  LmiGauge(std::vector<Eigen::MatrixXd> G, Margin margin) : GuardedGauge<T>(margin), order_(G.front().rows()) {
    const double grow = 1 / (1 - margin.sigma);
    for (const auto& g : G) G_.push_back((grow * g).cast<T>());
  }

  struct Scratch final : GaugeScratch {
    explicit Scratch(Eigen::Index order) : sum(order, order), v(order), image(order), solver(order), shifted(order) {}
    Matrix sum;
    Eigen::Matrix<T, Eigen::Dynamic, 1> v;
    Eigen::Matrix<T, Eigen::Dynamic, 1> image;
    SymmetricEigen<T> solver;
    Eigen::LLT<Matrix> shifted;
  };
  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t) const override {
    return std::make_unique<Scratch>(order_);
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept override {
    auto& s = static_cast<Scratch&>(scratch);
    for (std::size_t i = 0; i < d.count(); ++i) {
      combine(d[i], s);
      s.solver.compute(s.sum, SymmetricEigen<T>::Want::values);
      const T largest = s.solver.values()[order_ - 1];
      at[i] = {largest > 0 ? largest : T{0}, 0};
    }
  }

  void add_gradient(T scale, std::span<const T> d, const GaugeAt<T>& at, std::span<T> out,
                    GaugeScratch& scratch) const noexcept override {
    if (!(at.gamma > 0)) return;
    auto& s = static_cast<Scratch&>(scratch);
    combine(d, s);
    find_vector(at.gamma, s);
    for (std::size_t i = 0; i < out.size(); ++i) {
      s.image.noalias() = G_[i] * s.v;
      out[i] += scale * s.v.dot(s.image);
    }
  }

  [[nodiscard]] GaugeForm form() const override {
    LmiForm lmi;
    for (const Matrix& g : G_) lmi.G.emplace_back(g.template cast<double>());
    return lmi;
  }

 private:
  // The unit eigenvector of the largest eigenvalue gamma, by inverse iteration: (1 + delta) I - G(d) / gamma is positive
  // definite for a delta above the error of gamma, and its Cholesky factor takes a third of a decomposition's time. Each
  // step gains a factor gap / delta; four reach the accuracy that a gap allows. Eigen's solver with vectors was the
  // alternative: three times slower, and it allocates.
  void find_vector(T gamma, Scratch& s) const noexcept {
    constexpr int kSteps = 4;
    s.sum /= -gamma;  // by the size of d: squares of a tiny direction would underflow
    const T delta = 4 * static_cast<T>(order_) * std::numeric_limits<T>::epsilon() * s.sum.norm();
    s.sum.diagonal().array() += 1 + delta;
    s.shifted.compute(s.sum);
    // A start that no eigenvector of a structured matrix is likely to be orthogonal to.
    for (Eigen::Index k = 0; k < order_; ++k) s.v[k] = 1 + std::sin(static_cast<T>(k + 1)) / 2;
    for (int step = 0; step < kSteps; ++step) {
      s.shifted.solveInPlace(s.v);
      s.v /= s.v.norm();
    }
  }

  void combine(std::span<const T> d, Scratch& s) const noexcept {
    s.sum.setZero();
    const auto size = static_cast<std::size_t>(s.sum.size());
    for (std::size_t i = 0; i < d.size(); ++i) kernels::add_scaled(d[i], G_[i].data(), s.sum.data(), size);
  }

  Eigen::Index order_;
  std::vector<Matrix> G_;
};

// The error of a symmetric eigensolver is a modest multiple of order * ulp * |G(d)|; 4 is taken. The
// congruence with L loses the condition of F(u0), in double.
template <class T>
GaugePtr<T> make_lmi_gauge(const std::vector<Eigen::MatrixXd>& F, const Eigen::MatrixXd& value,
                           const Eigen::VectorXd& u0) {
  const SymmetricEigen<double> spectrum(value, SymmetricEigen<double>::Want::values);
  const double smallest = spectrum.values().minCoeff();
  require_inside(smallest, "smallest eigenvalue");
  const double order = static_cast<double>(value.rows());
  const double setup = 16 * order * order * kUlp<double> * spectrum.values().maxCoeff() / smallest;
  require_resolvable<T>(setup, "smallest eigenvalue", smallest);

  const Eigen::LLT<Eigen::MatrixXd> llt(value);
  std::vector<Eigen::MatrixXd> G;
  double squares = 0;
  for (std::size_t i = 1; i < F.size(); ++i) {
    const Eigen::MatrixXd half = llt.matrixL().solve(F[i]);
    const Eigen::MatrixXd g = -llt.matrixL().solve(half.transpose());
    G.emplace_back((g + g.transpose()) / 2);
    squares += G.back().squaredNorm();
  }
  const auto terms = static_cast<std::size_t>(u0.size() + 8 * value.rows());
  const Margin margin = general_margin<T>(std::sqrt(squares), terms, u0, setup);
  require_resolvable<T>(margin.sigma, "smallest eigenvalue", smallest);
  return std::make_unique<LmiGauge<T>>(std::move(G), margin);
}

}  // namespace

GaugePtr<float> Lmi::gauge_f32(const AnchoredHull& at) const {
  return make_lmi_gauge<float>(F_, value(at.point), at.point);
}
GaugePtr<double> Lmi::gauge_f64(const AnchoredHull& at) const {
  return make_lmi_gauge<double>(F_, value(at.point), at.point);
}

}  // namespace softradial
