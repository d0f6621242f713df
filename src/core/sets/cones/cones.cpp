#include "softradial/sets/cones.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "algebra/as_doubles.hpp"
#include "kernels/matrix_product_kernels.hpp"
#include "kernels/row_kernels.hpp"
#include "numbers.hpp"
#include "sets/log_barrier.hpp"
#include "sets/margin.hpp"
#include "sets/number_text.hpp"
#include "sets/validation.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets/combinators.hpp"
#include "softradial/sets/coordinates.hpp"
#include "softradial/sets/levels.hpp"

namespace softradial {
namespace {

constexpr std::string_view kSecondOrderCone = "second_order_cone";

using Extended = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
using ExtendedMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

// With w0 = M u0 + s, t0 = c.u0 + e > |w0|, the boost that takes (w0, t0) to (0, a), a^2 = t0^2 - |w0|^2, keeps the cone
// and turns the ray's exit into
//
//   gamma(d) = max(0, |W d| - tau.d),     tau = (omega_t c - M'omega) / a,   W = (M - omega sweep') / a
//
// with (omega, omega_t) = (w0, t0) / a and sweep = (c + a tau) / (1 + omega_t). No square is subtracted from a square: the
// quadratic's discriminant b^2 + A (|M d|^2 - (c.d)^2), which cancels near the cone, never appears. No rows in M: a
// halfspace. V: vectors in extended precision, or tensors with a row for each sample; N their numbers. `rows` is M,
// `columns` its transpose, as `product` wants them. Where slack <= 0 the anchor is outside and a counts as 1.
template <class N, class V>
struct Boost {
  N slack;
  N a;
  V omega;
  V tau;
  V sweep;
};
template <class N, class V, class M>
Boost<N, V> boost(const M& rows, const M& columns, const V& s, const V& c, const N& e, const V& u0) {
  const V w0 = product(rows, u0) + s;
  const N t0 = dot(c, u0) + e;
  const N length = norm(w0);
  const N slack = t0 - length;
  const auto inside = slack > 0;
  const N a = root(where_else(inside, slack * (t0 + length), 1));
  const V omega = w0 / a;
  const N omega_t = where_else(inside, t0, 1) / a;
  const V tau = (c * omega_t - product(columns, omega)) / a;
  return {slack, a, omega, tau, (c + tau * a) / (1 + omega_t)};
}

struct ConeData {
  ExtendedMatrix W;
  Extended tau;
  double slack;
  double setup_error;
};

ConeData cone_data(const Eigen::MatrixXd& M, const Eigen::VectorXd& s, const Eigen::VectorXd& c, double e,
                   const Eigen::VectorXd& u0) {
  const ExtendedMatrix rows = M.cast<long double>();
  const ExtendedMatrix columns = rows.transpose();
  const auto at = boost<long double, Extended>(rows, columns, Extended(s.cast<long double>()),
                                               Extended(c.cast<long double>()), e, Extended(u0.cast<long double>()));
  require_inside(static_cast<double>(at.slack), "cone");
  const ExtendedMatrix W = (rows - at.omega * at.sweep.transpose()) / at.a;
  const double sizes =
      (M.cwiseAbs() * u0.cwiseAbs() + s.cwiseAbs()).norm() + c.cwiseAbs().dot(u0.cwiseAbs()) + std::abs(e);
  const double terms = static_cast<double>(u0.size() + M.rows() + 4);
  const auto slack = static_cast<double>(at.slack);
  return {W, at.tau, slack, 4 * kUlp<long double> * terms * sizes / slack};
}

template <class T>
class ConeGauge final : public GuardedGauge<T> {
 public:
  ConeGauge(const ConeData& data, const Eigen::VectorXd& u0) : ConeGauge(data, margin_of(data, u0)) {}

  struct Scratch final : GaugeScratch {
    explicit Scratch(std::size_t size) : images(size) {}
    std::vector<T> images;
  };
  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t max_rows) const override {
    return std::make_unique<Scratch>(max_rows * (rows_ + 1));
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept override {
    const Rows<T> w = images(d, scratch);
    for (std::size_t i = 0; i < d.count(); ++i) {
      const T gamma = unit_ * (length(w[i]) - w[i][rows_]);
      at[i] = {gamma > 0 ? gamma : T{0}, 0};
    }
  }

  // n = W'W d / |W d| - tau
  void add_gradient(T scale, std::span<const T> d, const GaugeAt<T>& at, std::span<T> out,
                    GaugeScratch& scratch) const noexcept override {
    if (!(at.gamma > 0)) return;
    kernels::add_scaled(-scale * unit_, tau_.data(), out.data(), out.size());
    const std::span<const T> w = images(Rows<const T>(d), scratch)[0];
    const T size = length(w);
    if (!(size > 0)) return;
    for (std::size_t k = 0; k < rows_; ++k) {
      kernels::add_scaled(scale * unit_ * (w[k] / size), W_.data() + k * out.size(), out.data(), out.size());
    }
  }

  // |W e_j| + |tau_j|
  [[nodiscard]] std::vector<double> steepness(std::size_t dim) const override {
    std::vector<double> squares(dim, 0);
    for (std::size_t k = 0; k < W_.size(); ++k) squares[k % dim] += static_cast<double>(W_[k]) * W_[k];
    std::vector<double> steepest(dim);
    for (std::size_t j = 0; j < dim; ++j) {
      steepest[j] = static_cast<double>(unit_) * (std::sqrt(squares[j]) + std::abs(static_cast<double>(tau_[j])));
    }
    return steepest;
  }

  [[nodiscard]] TensorGauge in_tensors(const TensorSpace& space) const override {
    const Tensor tau = space.working_constant(as_doubles<T>(tau_));
    const double unit = unit_;
    if (rows_ == 0) return [=](const Tensor& d) { return unit * larger(-dot(d, tau), 0); };
    const Tensor columns = space.working_constant(Eigen::MatrixXd(as_doubles<T>(W_, tau_.size()).transpose()));
    return [=](const Tensor& d) { return unit * larger(norm(product(columns, d)) - dot(d, tau), 0); };
  }

 private:
  ConeGauge(const ConeData& data, Margin margin)
      : GuardedGauge<T>(margin),
        rows_(static_cast<std::size_t>(data.W.rows())),
        panels_(rows_ + 1, static_cast<std::size_t>(data.tau.size())) {
    require_resolvable<T>(margin.sigma, "cone", data.slack);
    require_reach<T>(margin.lipschitz);
    unit_ = power_of_two_near<T>(margin.lipschitz);
    const long double grow = 1 / (1 - static_cast<long double>(margin.sigma)) / unit_;
    for (const long double v : data.tau) tau_.push_back(static_cast<T>(grow * v));
    for (Eigen::Index k = 0; k < data.W.rows(); ++k) {
      for (Eigen::Index j = 0; j < data.W.cols(); ++j) {
        W_.push_back(static_cast<T>(grow * data.W(k, j)));
        panels_.set(static_cast<std::size_t>(k), static_cast<std::size_t>(j), W_.back());
      }
    }
    for (std::size_t j = 0; j < tau_.size(); ++j) panels_.set(rows_, j, tau_[j]);
  }

  static Margin margin_of(const ConeData& data, const Eigen::VectorXd& u0) {
    const double lipschitz = static_cast<double>(data.W.norm() + data.tau.norm());
    return general_margin<T>(lipschitz, static_cast<std::size_t>(u0.size() + data.W.rows()), u0, data.setup_error);
  }

  // (W d, tau.d) for every row, in the scratch.
  [[nodiscard]] Rows<T> images(Rows<const T> d, GaugeScratch& scratch) const noexcept {
    const Rows<T> w(static_cast<Scratch&>(scratch).images.data(), d.count(), rows_ + 1);
    kernels::multiply(panels_, d, w);
    return w;
  }

  // |W d| of one row of images.
  [[nodiscard]] T length(std::span<const T> w) const noexcept {
    return std::sqrt(kernels::dot(w.data(), w.data(), rows_));
  }

  std::size_t rows_;
  kernels::Panels<T> panels_;  // W and, below it, tau, for products with blocks
  T unit_ = 1;                 // unit of W and tau: a power of two, so that no square leaves the range of T
  std::vector<T> W_;           // row by row
  std::vector<T> tau_;
};

constexpr double kOpen = std::numeric_limits<double>::infinity();

// {x : M x + s in cone} for a cone of R^3.
Set placed(std::string_view name, const Set& cone, const Eigen::MatrixXd& M, const Eigen::VectorXd& s) {
  require_dim(name, static_cast<std::size_t>(M.cols()));
  if (M.rows() != 3) reject(name, "M has " + std::to_string(M.rows()) + " rows, not 3");
  require_entries(name, "s", s.size(), 3, "rows of M");
  require_finite(name, "M", M);
  require_finite(name, "s", s);
  return AffinePreimage(cone, M, s);
}

// A function h of w in R^3 whose formula F::at<N>(a, b, c) gives its value and its gradient for any number type. Values of
// rows are taken in extended precision, and so are exact to the rounding of w.
template <class F>
class ConeFunction final : public ConvexFunction {
 public:
  explicit ConeFunction(F formula) : formula_(formula) {}

  [[nodiscard]] std::size_t dim() const noexcept override { return 3; }
  [[nodiscard]] double value(std::span<const double> w) const noexcept override {
    return static_cast<double>(formula_.template at<long double>(w[0], w[1], w[2])[0]);
  }
  void gradient(std::span<const double> w, std::span<double> out) const noexcept override {
    const auto found = formula_.template at<long double>(w[0], w[1], w[2]);
    for (std::size_t k = 0; k < 3; ++k) out[k] = static_cast<double>(found[k + 1]);
  }
  [[nodiscard]] double value_error(std::span<const double> w) const noexcept override {
    const double size = w.empty() ? 1 : std::max({1.0, std::abs(w[0]), std::abs(w[1]), std::abs(w[2])});
    return guard::kRoundings * kUlp<double> * size;
  }
  [[nodiscard]] TensorFunction in_tensors(const TensorSpace& /*space*/) const override {
    return [formula = formula_](const Tensor& w, const Tensor& v) -> TensorSlope {
      const auto entry = [](const Tensor& x, std::size_t k) { return x.value().columns(k, 1); };
      const auto at = formula.template at<Tensor>(entry(w, 0), entry(w, 1), entry(w, 2));
      return {at[0], at[1] * entry(v, 0) + at[2] * entry(v, 1) + at[3] * entry(v, 2)};
    };
  }

 private:
  F formula_;
};

template <class F>
Set cone_of(F formula, const Eigen::Vector3d& lower) {
  const Eigen::VectorXd open = Eigen::VectorXd::Constant(3, kOpen);
  return Intersection({LevelSet(std::make_shared<const ConeFunction<F>>(formula)), Box(lower, open)});
}

constexpr std::string_view kExponentialCone = "exponential_cone";

// h = a + b log(b / c), infinite for c <= 0: b exp(a / b) <= c, as a logarithm. Below b = kEdge c it goes on by its tangent,
// finite across the face b = 0, which is a piece of its own: at that face the gradient of h is not the face's normal.
struct ExponentialFormula {
  static constexpr double kEdge = std::numeric_limits<double>::epsilon();

  template <class N>
  [[nodiscard]] std::array<N, 4> at(const N& a, const N& b, const N& c) const {
    using std::log;
    const auto above = c > 0;
    const N safe = where_else(above, c, 1);
    const N ratio = larger(b / safe, static_cast<double>(kEdge));
    const N logs = log(ratio);
    const N value = a + choose(b >= kEdge * safe, b * logs, b * (logs + 1) - kEdge * safe);
    return {where_else(above, value, kOpen), where_else(above, N(1 + 0 * a), 1), logs + 1, -ratio};
  }
};

constexpr std::string_view kPowerCone = "power_cone";

// h = |c| - g,  g = a^alpha b^(1 - alpha), infinite outside a, b > 0.
struct PowerFormula {
  double alpha;

  template <class N>
  [[nodiscard]] std::array<N, 4> at(const N& a, const N& b, const N& c) const {
    using std::abs;
    const auto inside = a > 0 && b > 0;
    const N left = where_else(inside, a, 1);
    const N right = where_else(inside, b, 1);
    const N mean = power(left, alpha) * power(right, 1 - alpha);
    return {where_else(inside, abs(c) - mean, kOpen), -alpha * mean / left, -(1 - alpha) * mean / right, sign(c)};
  }
};

double checked_alpha(double alpha) {
  if (!(alpha > 0 && alpha < 1)) reject(kPowerCone, "alpha is " + number_text(alpha) + ", not between 0 and 1");
  return alpha;
}

}  // namespace

SecondOrderCone::SecondOrderCone(Eigen::MatrixXd M, Eigen::VectorXd s, Eigen::VectorXd c, double e)
    : M_(std::move(M)), s_(std::move(s)), c_(std::move(c)), e_(e) {
  require_dim(kSecondOrderCone, dim());
  if (M_.rows() == 0) M_.resize(0, c_.size());
  require_entries(kSecondOrderCone, "c", c_.size(), M_.cols(), "columns of M");
  require_entries(kSecondOrderCone, "s", s_.size(), M_.rows(), "rows of M");
  require_finite(kSecondOrderCone, "M", M_);
  require_finite(kSecondOrderCone, "s", s_);
  require_finite(kSecondOrderCone, "c", c_);
  require_finite(kSecondOrderCone, "e", e_);
}

Description SecondOrderCone::describe() const {
  return {std::string(kSecondOrderCone), {{"M", M_}, {"s", s_}, {"c", c_}, {"e", e_}}};
}

std::optional<Set> SecondOrderCone::in_sizes(const Eigen::VectorXd& sizes) const {
  return SecondOrderCone(M_ * sizes.asDiagonal(), s_, c_.cwiseProduct(sizes), e_);
}

// c.x + e - |M x + s|
void SecondOrderCone::slacks(std::span<const double> x, std::span<double> out) const {
  long double height = e_;
  for (Eigen::Index j = 0; j < c_.size(); ++j) height += static_cast<long double>(c_[j]) * x[j];
  long double square = 0;
  for (Eigen::Index i = 0; i < M_.rows(); ++i) {
    long double entry = s_[i];
    for (Eigen::Index j = 0; j < c_.size(); ++j) entry += static_cast<long double>(M_(i, j)) * x[j];
    square += entry * entry;
  }
  out[0] = static_cast<double>(height - std::sqrt(square));
}

// -log(w),  w = a^2 - |r|^2,  a = c.x + e + t,  r = M x + s,  on a > |r|.
//   grad w = 2 a (c, 1) - 2 (M'r, 0),   Hess w = 2 (c, 1)(c, 1)' - 2 diag(M'M, 0)
std::optional<BarrierTerms> SecondOrderCone::barrier(const Eigen::VectorXd& x, double t) const {
  const Eigen::VectorXd r = M_ * x + s_;
  const double height = c_.dot(x) + e_ + t;
  const double norm = r.stableNorm();
  if (!(height > norm)) return std::nullopt;

  const Eigen::Index last = c_.size();
  Eigen::VectorXd axis(last + 1);
  axis << c_, 1;
  Eigen::VectorXd gradient = 2 * height * axis;
  gradient.head(last) -= 2 * (M_.transpose() * r);
  Eigen::MatrixXd hessian = 2 * axis * axis.transpose();
  hessian.topLeftCorner(last, last) -= 2 * (M_.transpose() * M_);
  return log_barrier((height - norm) * (height + norm), gradient, hessian);
}

GaugePtr<float> SecondOrderCone::gauge_f32(const AnchoredHull& at) const {
  return std::make_unique<ConeGauge<float>>(cone_data(M_, s_, c_, e_, at.point), at.point);
}
GaugePtr<double> SecondOrderCone::gauge_f64(const AnchoredHull& at) const {
  return std::make_unique<ConeGauge<double>>(cone_data(M_, s_, c_, e_, at.point), at.point);
}

// |W d| a = |M d - omega (sweep.d)|: W itself would be a matrix for each sample.
TensorGaugeAt SecondOrderCone::gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const {
  const TensorSpace& space = data.space();
  const Tensor rows = space.constant(M_);
  const Tensor columns = space.constant(Eigen::MatrixXd(M_.transpose()));
  const Tensor s = data.value_or("s", s_);
  const Tensor c = data.value_or("c", c_);
  const Tensor e = data.value_or("e", e_);
  const auto at = boost<Tensor, Tensor>(columns, rows, s, c, e, anchor);
  const Tensor inside = at.slack > 0;
  const Tensor lipschitz = frozen((M_.norm() + norm(at.omega) * norm(at.sweep)) / at.a + norm(at.tau));
  const Tensor unit = where_else(lipschitz > 0 && isfinite(lipschitz), lipschitz, 1);
  const auto terms = static_cast<std::size_t>(M_.rows() + M_.cols());
  const Tensor sizes = (M_.norm() + norm(c)) * norm(anchor) + (norm(s) + abs(e));
  const TensorGauge gauge = [columns = space.working(columns), omega = space.working(at.omega),
                             sweep = space.working(at.sweep), by_a = space.working(1 / at.a / unit),
                             tau = space.working(at.tau / unit), unit = space.working(unit)](const Tensor& d) {
    return unit * larger(norm((product(columns, d) - omega * dot(sweep, d)) * by_a) - dot(tau, d), 0);
  };
  const Tensor error = slack_error(sizes, where_else(inside, at.slack, 1), terms);
  return guarded(gauge, general_margin(space, lipschitz, terms, anchor, error), inside, space);
}

SetType SecondOrderCone::type() {
  return {
      .name = kSecondOrderCone,
      .title = "SecondOrderCone",
      .formula = "{|M x + s| <= c.x + e}",
      .fields = {{.name = "M", .kind = FieldKind::matrix, .meaning = "(k, dim)"},
                 {.name = "s", .kind = FieldKind::numbers, .meaning = "(k)"},
                 {.name = "c", .kind = FieldKind::numbers, .meaning = "(dim)"},
                 {.name = "e", .kind = FieldKind::number, .meaning = "a number"}},
      .sample_data = {"s", "c", "e"},
      .example = R"({"type": "second_order_cone", "M": [[1, 0, 0], [0, 1, 0]], "s": [0, 0], "c": [0, 0, 1], "e": 1})",
      .make = [](const Fields& f) -> Set {
        return SecondOrderCone(f.matrix("M"), f.numbers("s"), f.numbers("c"), f.number("e"));
      }};
}

ThreeDimensionalCone::ThreeDimensionalCone(std::string_view name, Eigen::MatrixXd M, Eigen::VectorXd s, const Set& cone,
                                           Eigen::Vector3d inward)
    : M_(std::move(M)), s_(std::move(s)), inward_(std::move(inward)), image_(placed(name, cone, M_, s_)) {}

// The cone's own slack at M x + s, in extended precision.
void ThreeDimensionalCone::slacks(std::span<const double> x, std::span<double> out) const {
  const Eigen::Map<const Eigen::VectorXd> point(x.data(), M_.cols());
  const Point w = M_.cast<long double>() * point.cast<long double>() + s_.cast<long double>();
  out[0] = static_cast<double>(slack(w));
}

// F(M x + s + t inward), with J = (M, inward): gradient J'g, Hessian J'HJ.
std::optional<BarrierTerms> ThreeDimensionalCone::barrier(const Eigen::VectorXd& x, double t) const {
  const std::optional<Terms> at = cone_barrier(M_ * x + s_ + t * inward_);
  if (!at) return std::nullopt;
  Eigen::MatrixXd J(3, M_.cols() + 1);
  J << M_, inward_;
  BarrierTerms terms(dim());
  terms.value = at->value;
  terms.gradient = J.transpose() * at->gradient;
  terms.hessian = J.transpose() * at->hessian * J;
  return if_finite(std::move(terms));
}

ExponentialCone::ExponentialCone(Eigen::MatrixXd M, Eigen::VectorXd s)
    : ThreeDimensionalCone(kExponentialCone, std::move(M), std::move(s), cone_of(ExponentialFormula{}, {-kOpen, 0, 0}),
                           {-1, 1, 1}) {}

Description ExponentialCone::describe() const {
  return {std::string(kExponentialCone), {{"M", matrix()}, {"s", offset()}}};
}

long double ExponentialCone::slack(const Point& w) const {
  if (!(w[1] > 0)) return w[1];
  return std::min(w[1], w[2] - w[1] * std::exp(w[0] / w[1]));
}

// -log(p) - log b - log c,  p = b log(c / b) - a:
//   grad p = (-1, log(c / b) - 1, b / c),   p_bb = -1 / b,  p_bc = 1 / c,  p_cc = -b / c^2
std::optional<ThreeDimensionalCone::Terms> ExponentialCone::cone_barrier(const Eigen::Vector3d& w) const {
  const double b = w[1];
  const double c = w[2];
  if (!(b > 0 && c > 0)) return std::nullopt;
  const double logs = std::log(c / b);
  const double p = b * logs - w[0];
  if (!(p > 0)) return std::nullopt;
  const Eigen::Vector3d g = Eigen::Vector3d(-1, logs - 1, b / c) / p;
  Eigen::Matrix3d curved;
  curved << 0, 0, 0, 0, -1 / b, 1 / c, 0, 1 / c, -b / c / c;
  Terms terms{-std::log(p) - std::log(b) - std::log(c), -g, g * g.transpose() - curved / p};
  terms.gradient -= Eigen::Vector3d(0, 1 / b, 1 / c);
  terms.hessian.diagonal() += Eigen::Vector3d(0, 1 / b / b, 1 / c / c);
  return terms;
}

SetType ExponentialCone::type() {
  return {.name = kExponentialCone,
          .title = "ExponentialCone",
          .formula = "{M x + s in K}, K = {(a, b, c) : b exp(a / b) <= c, b > 0}, closed; M has 3 rows",
          .fields = {{.name = "M", .kind = FieldKind::matrix, .meaning = "(3, dim)"},
                     {.name = "s", .kind = FieldKind::numbers, .meaning = "(3)"}},
          .sample_data = {},
          .example = R"({"type": "exponential_cone", "M": [[1, 0], [0, 0], [0, 1]], "s": [0, 1, 0]})",
          .make = [](const Fields& f) -> Set { return ExponentialCone(f.matrix("M"), f.numbers("s")); }};
}

PowerCone::PowerCone(Eigen::MatrixXd M, Eigen::VectorXd s, double alpha)
    : ThreeDimensionalCone(kPowerCone, std::move(M), std::move(s),
                           cone_of(PowerFormula{checked_alpha(alpha)}, {0, 0, -kOpen}), {1, 1, 0}),
      alpha_(alpha) {}

Description PowerCone::describe() const {
  return {std::string(kPowerCone), {{"M", matrix()}, {"s", offset()}, {"alpha", alpha_}}};
}

long double PowerCone::slack(const Point& w) const {
  const long double least = std::min(w[0], w[1]);
  if (!(least > 0)) return least;
  const auto alpha = static_cast<long double>(alpha_);
  return std::min(least, std::pow(w[0], alpha) * std::pow(w[1], 1 - alpha) - std::abs(w[2]));
}

// -log(p) - (1 - alpha) log a - alpha log b,  p = m - c^2,  m = a^(2 alpha) b^(2 - 2 alpha):
//   grad p = (2 alpha m / a, 2 (1 - alpha) m / b, -2 c)
//   p_aa = 2 alpha (2 alpha - 1) m / a^2,  p_ab = 4 alpha (1 - alpha) m / (a b),  p_cc = -2,  p_bb like p_aa
std::optional<ThreeDimensionalCone::Terms> PowerCone::cone_barrier(const Eigen::Vector3d& w) const {
  const double a = w[0];
  const double b = w[1];
  const double beta = 1 - alpha_;
  if (!(a > 0 && b > 0)) return std::nullopt;
  const double mean = std::pow(a, alpha_) * std::pow(b, beta);
  const double m = mean * mean;
  const double p = (mean - std::abs(w[2])) * (mean + std::abs(w[2]));
  if (!(p > 0)) return std::nullopt;
  const Eigen::Vector3d g = Eigen::Vector3d(2 * alpha_ * m / a, 2 * beta * m / b, -2 * w[2]) / p;
  Eigen::Matrix3d curved = Eigen::Matrix3d::Zero();
  curved(0, 0) = 2 * alpha_ * (2 * alpha_ - 1) * m / a / a;
  curved(1, 1) = 2 * beta * (2 * beta - 1) * m / b / b;
  curved(0, 1) = curved(1, 0) = 4 * alpha_ * beta * m / a / b;
  curved(2, 2) = -2;
  Terms terms{-std::log(p) - beta * std::log(a) - alpha_ * std::log(b), -g, g * g.transpose() - curved / p};
  terms.gradient -= Eigen::Vector3d(beta / a, alpha_ / b, 0);
  terms.hessian.diagonal() += Eigen::Vector3d(beta / a / a, alpha_ / b / b, 0);
  return terms;
}

SetType PowerCone::type() {
  return {.name = kPowerCone,
          .title = "PowerCone",
          .formula = "{M x + s in K}, K = {(a, b, c) : |c| <= a^alpha b^(1 - alpha), a, b >= 0}; M has 3 rows",
          .fields = {{.name = "M", .kind = FieldKind::matrix, .meaning = "(3, dim)"},
                     {.name = "s", .kind = FieldKind::numbers, .meaning = "(3)"},
                     {.name = "alpha", .kind = FieldKind::number, .meaning = "between 0 and 1"}},
          .sample_data = {},
          .example = R"({"type": "power_cone", "M": [[1, 0], [0, 0], [0, 1]], "s": [0, 1, 0], "alpha": 0.5})",
          .make = [](const Fields& f) -> Set { return PowerCone(f.matrix("M"), f.numbers("s"), f.number("alpha")); }};
}

}  // namespace softradial
