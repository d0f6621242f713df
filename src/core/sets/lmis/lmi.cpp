#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <vector>

#include "algebra/symmetric_eigen.hpp"
#include "kernels/matrix_product_kernels.hpp"
#include "numbers.hpp"
#include "sets/log_barrier.hpp"
#include "sets/margin.hpp"
#include "sets/validation.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets/lmis.hpp"

namespace softradial {
namespace {

constexpr std::string_view kLmi = "lmi";

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

std::string entry_name(std::size_t i) { return "F[" + std::to_string(i) + "]"; }

LongMatrix long_value(const std::vector<Eigen::MatrixXd>& F, std::span<const double> x) {
  LongMatrix sum = F[0].cast<long double>();
  for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<long double>(x[i]) * F[i + 1].cast<long double>();
  return sum;
}

template <class T>
Eigen::Matrix<T, Eigen::Dynamic, 1> eigenvalues(const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& symmetric) {
  return SymmetricEigen<T>(symmetric, SymmetricEigen<T>::Want::values).values();
}

// gamma(d) = largest eigenvalue of G(d) = sum_i d_i G_i, floored at 0;  G_i = -L^-1 F_i L^-T, F(u0) = L L'.
// n_i = v'G_i v with v a unit eigenvector of the largest eigenvalue.
template <class T>
class LmiGauge final : public GuardedGauge<T> {
 public:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  LmiGauge(std::vector<Eigen::MatrixXd> G, Margin margin)
      : GuardedGauge<T>(margin), order_(G.front().rows()), panels_(triangle(), G.size()) {
    const double grow = 1 / (1 - margin.sigma);
    for (const auto& g : G) {
      const std::size_t i = G_.size();
      G_.push_back((grow * g).cast<T>());
      std::size_t place = 0;
      for (Eigen::Index c = 0; c < order_; ++c) {
        for (Eigen::Index r = c; r < order_; ++r) panels_.set(place++, i, G_.back()(r, c));
      }
    }
  }

  struct Scratch final : GaugeScratch {
    Scratch(Eigen::Index order, std::size_t size)
        : triangles(size), sum(Matrix::Zero(order, order)), v(order), image(order), solver(order), shifted(order) {}
    std::vector<T> triangles;  // the lower triangle of G(d), column after column, for each row
    Matrix sum;                // the triangle of one row's G(d); entries above the diagonal are not read
    Eigen::Matrix<T, Eigen::Dynamic, 1> v;
    Eigen::Matrix<T, Eigen::Dynamic, 1> image;
    SymmetricEigen<T> solver;
    Eigen::LLT<Matrix> shifted;
  };
  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t max_rows) const override {
    return std::make_unique<Scratch>(order_, max_rows * triangle());
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept override {
    auto& s = static_cast<Scratch&>(scratch);
    const Rows<T> triangles = combine(d, s);
    for (std::size_t i = 0; i < d.count(); ++i) {
      unpack(triangles[i], s.sum);
      const T largest = s.solver.largest(s.sum);
      at[i] = {largest > 0 ? largest : T{0}, 0};
    }
  }

  void add_gradient(T scale, std::span<const T> d, const GaugeAt<T>& at, std::span<T> out,
                    GaugeScratch& scratch) const noexcept override {
    if (!(at.gamma > 0)) return;
    auto& s = static_cast<Scratch&>(scratch);
    unpack(combine(Rows<const T>(d), s)[0], s.sum);
    find_vector(at.gamma, s);
    for (std::size_t i = 0; i < out.size(); ++i) {
      s.image.noalias() = G_[i] * s.v;
      out[i] += scale * s.v.dot(s.image);
    }
  }

  [[nodiscard]] std::vector<double> steepness(std::size_t /*dim*/) const override {
    std::vector<double> steepest;
    for (const Matrix& g : G_) steepest.push_back(static_cast<double>(g.stableNorm()));
    return steepest;
  }

  [[nodiscard]] TensorGauge in_tensors(const TensorSpace& space) const override {
    std::vector<Eigen::MatrixXd> matrices;
    for (const Matrix& g : G_) matrices.emplace_back(g.template cast<double>());
    const Tensor G = space.working(space.constant(matrices));
    return [G](const Tensor& d) { return larger(d.value().combination(G).value().largest_eigenvalue(), 0); };
  }

 private:
  // The unit eigenvector of the largest eigenvalue gamma, by inverse iteration: (1 + delta) I - G(d) / gamma is positive
  // definite for a delta above the error of gamma, and its Cholesky factor takes a third of a decomposition's time. Each
  // step gains a factor gap / delta; four reach the accuracy that a gap allows. Eigen's solver with vectors was the
  // alternative: three times slower, and it allocates.
  void find_vector(T gamma, Scratch& s) const noexcept {
    constexpr int kSteps = 4;
    s.sum /= -gamma;  // divided by the size of d: squares of a tiny direction would underflow
    T squares = 0;    // sum over all entries, from the lower triangle
    for (Eigen::Index c = 0; c < order_; ++c) {
      squares += 2 * s.sum.col(c).tail(order_ - c).squaredNorm() - s.sum(c, c) * s.sum(c, c);
    }
    const T delta = 4 * static_cast<T>(order_) * std::numeric_limits<T>::epsilon() * std::sqrt(squares);
    s.sum.diagonal().array() += 1 + delta;
    s.shifted.compute(s.sum);
    // A start that no eigenvector of a structured matrix is likely to be orthogonal to.
    for (Eigen::Index k = 0; k < order_; ++k) s.v[k] = 1 + std::sin(static_cast<T>(k + 1)) / 2;
    for (int step = 0; step < kSteps; ++step) {
      s.shifted.solveInPlace(s.v);
      s.v /= s.v.norm();
    }
  }

  [[nodiscard]] std::size_t triangle() const noexcept { return static_cast<std::size_t>(order_ * (order_ + 1) / 2); }

  // G(d) = sum_i d_i G_i for every row.
  [[nodiscard]] Rows<T> combine(Rows<const T> d, Scratch& s) const noexcept {
    const Rows<T> out(s.triangles.data(), d.count(), triangle());
    kernels::multiply(panels_, d, out);
    return out;
  }

  void unpack(std::span<const T> entries, Matrix& sum) const noexcept {
    const T* from = entries.data();
    for (Eigen::Index c = 0; c < order_; ++c) {
      const Eigen::Index below = order_ - c;
      sum.col(c).tail(below) = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>(from, below);
      from += below;
    }
  }

  Eigen::Index order_;
  kernels::Panels<T> panels_;  // the entries of the triangles, for products with blocks
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
  long double squares = 0;  // its exponent holds the square of every double
  for (std::size_t i = 1; i < F.size(); ++i) {
    const Eigen::MatrixXd half = llt.matrixL().solve(F[i]);
    const Eigen::MatrixXd g = -llt.matrixL().solve(half.transpose());
    G.emplace_back((g + g.transpose()) / 2);
    squares += G.back().cast<long double>().squaredNorm();
  }
  const auto terms = static_cast<std::size_t>(u0.size() + 8 * value.rows());
  const Margin margin = general_margin<T>(static_cast<double>(std::sqrt(squares)), terms, u0, setup);
  require_resolvable<T>(margin.sigma, "smallest eigenvalue", smallest);
  return std::make_unique<LmiGauge<T>>(std::move(G), margin);
}

}  // namespace

Lmi::Lmi(std::vector<Eigen::MatrixXd> F) : F_(std::move(F)) {
  if (F_.size() < 2) reject(kLmi, "F has " + std::to_string(F_.size()) + " matrices, at least 2 are needed");
  require_dim(kLmi, dim());
  if (F_[0].size() == 0) reject(kLmi, "F[0] is empty");
  for (std::size_t i = 0; i < F_.size(); ++i) {
    require_symmetric(kLmi, entry_name(i), F_[i]);
    if (F_[i].rows() != F_[0].rows()) {
      const auto size_text = [this](std::size_t k) {
        return std::to_string(F_[k].rows()) + "x" + std::to_string(F_[k].cols());
      };
      reject(kLmi, entry_name(i) + " is " + size_text(i) + ", F[0] is " + size_text(0));
    }
  }
}

Description Lmi::describe() const { return {std::string(kLmi), {{"F", F_}}}; }

std::optional<Set> Lmi::in_sizes(const Eigen::VectorXd& sizes) const {
  std::vector<Eigen::MatrixXd> F = F_;
  for (Eigen::Index i = 0; i < sizes.size(); ++i) F[static_cast<std::size_t>(i) + 1] *= sizes[i];
  return Lmi(std::move(F));
}

Eigen::MatrixXd Lmi::value(const Eigen::VectorXd& x) const { return long_value(F_, {x.data(), dim()}).cast<double>(); }

// The smallest eigenvalue of F(x). Doubles know it up to k eps |F(x)|, k the size of F; where that leaves its sign
// open it is found again in extended precision (ten times slower, and rarely needed).
void Lmi::slacks(std::span<const double> x, std::span<double> out) const {
  constexpr double kSafety = 8;
  const LongMatrix at_x = long_value(F_, x);
  const Eigen::MatrixXd rounded = at_x.cast<double>();
  if (!rounded.allFinite()) {
    out[0] = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  const Eigen::VectorXd lambda = eigenvalues(rounded);
  const double error = kSafety * static_cast<double>(lambda.size()) * std::numeric_limits<double>::epsilon() *
                       lambda.cwiseAbs().maxCoeff();
  out[0] = std::abs(lambda[0]) > error ? lambda[0] : static_cast<double>(eigenvalues(at_x)[0]);
}

// -log det G,  G = F(x) + t I = L L',  with S_i = L^-1 F_i L^-T and S_t = L^-1 L^-T:
//   gradient -tr S_i,   Hessian tr(S_i S_j).
std::optional<BarrierTerms> Lmi::barrier(const Eigen::VectorXd& x, double t) const {
  const Eigen::Index size = F_[0].rows();
  Eigen::MatrixXd G = value(x);
  G.diagonal().array() += t;
  if (!G.allFinite()) return std::nullopt;
  const Eigen::LLT<Eigen::MatrixXd> cholesky(G);
  if (cholesky.info() != Eigen::Success) return std::nullopt;
  const Eigen::VectorXd pivots = cholesky.matrixLLT().diagonal();

  BarrierTerms terms(dim());
  terms.value = -2 * pivots.array().log().sum();
  const Eigen::Index last = x.size();
  Eigen::MatrixXd stacked(size * size, last + 1);  // column i: the entries of S_i
  for (Eigen::Index i = 0; i <= last; ++i) {
    Eigen::MatrixXd half = i < last ? F_[i + 1] : Eigen::MatrixXd::Identity(size, size);
    cholesky.matrixL().solveInPlace(half);
    half.transposeInPlace();
    cholesky.matrixL().solveInPlace(half);
    terms.gradient[i] = -half.trace();
    stacked.col(i) = half.reshaped();
  }
  terms.hessian = stacked.transpose() * stacked;
  return if_finite(std::move(terms));
}

GaugePtr<float> Lmi::gauge_f32(const AnchoredHull& at) const {
  return make_lmi_gauge<float>(F_, value(at.point), at.point);
}
GaugePtr<double> Lmi::gauge_f64(const AnchoredHull& at) const {
  return make_lmi_gauge<double>(F_, value(at.point), at.point);
}

// The gauge with F(u0) = L L' for each sample: the largest eigenvalue of -L^-1 F(d) L^-T, in double.
TensorGaugeAt Lmi::gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const {
  const TensorSpace& space = data.space();
  const std::vector<Eigen::MatrixXd> slopes(F_.begin() + 1, F_.end());
  const Tensor F = space.constant(slopes);
  const Tensor at_anchor = anchor.value().combination(F) + space.constant(F_[0]);
  const auto [inverse, inside] = at_anchor.value().inverse_factor();
  double squares = 0;
  for (const Eigen::MatrixXd& slope : slopes) squares += slope.squaredNorm();
  const Tensor spread = inverse.value().squared_norm();
  const Tensor lipschitz = spread * std::sqrt(squares);
  const auto order = static_cast<std::size_t>(F_[0].rows());
  const TensorGauge gauge = [F, inverse = inverse](const Tensor& d) {
    const Tensor sum = d.value().in_double().value().combination(F);
    const Tensor largest = (-sum.value().congruent(inverse)).value().largest_eigenvalue();
    return larger(largest, 0).value().rounded_like(d);
  };
  const Tensor error = slack_error(lipschitz * norm(anchor) + spread * F_[0].norm(), space.constant(1.0), order);
  return guarded(gauge, general_margin(space, lipschitz, 8 * order, anchor, error), inside, space);
}

SetType Lmi::type() {
  return {.name = kLmi,
          .title = "Lmi",
          .formula = "{F[0] + sum_i x_i F[i] positive semidefinite}, F symmetric matrices",
          .fields = {{.name = "F",
                      .kind = FieldKind::matrices,
                      .meaning = "(dim + 1, k, k): symmetric matrices, F[0] the constant one"}},
          .sample_data = {},
          .example = R"({"type": "lmi", "F": [[[1, 0], [0, 1]], [[1, 0], [0, -1]], [[0, 1], [1, 0]]]})",
          .make = [](const Fields& f) -> Set { return Lmi(f.matrices("F")); }};
}

}  // namespace softradial
