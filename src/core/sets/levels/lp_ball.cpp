#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "numbers.hpp"
#include "sets/log_barrier.hpp"
#include "sets/margin.hpp"
#include "sets/number_text.hpp"
#include "sets/validation.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets/levels.hpp"

namespace softradial {
namespace {

constexpr std::string_view kLpBall = "lp_ball";

std::span<const double> span_of(const Eigen::VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

// |y|_p = m (sum_j (|y_j| / m)^p)^(1/p),  m = max_j |y_j|: no power overflows. p = infinity: m. `size` gives |y_j| from the
// j-th entries of one vector, or of two.
template <class Real, class Size, class... V>
Real p_norm_of(double p, const Size& size, const V&... vectors) {
  using std::isfinite;
  Real top = largest_over<Real>(vectors..., size);
  if (std::isinf(p)) return top;
  // Derivatives are divided by the unit, too: with tensors, what is smaller than this counts as 0.
  constexpr double kSmallest = Scalar<Real> ? 0 : 1e-290;
  const Real unit = frozen(where_else(top > kSmallest && isfinite(top), top, 1));
  const auto raised = [&](const auto&... entries) { return power(size(entries...) / unit, p); };
  return unit * power_root(sum_over<Real>(vectors..., raised), p);
}
template <class Real, class Y>
Real p_norm(const Y& y, double p) {
  return p_norm_of<Real>(
      p,
      [](const Real& yj) {
        using std::abs;
        return abs(yj);
      },
      y);
}
// |x - c|_p
template <class Real>
Real distance(std::span<const double> x, const Eigen::VectorXd& center, double p) noexcept {
  return p_norm_of<Real>(
      p, [](Real xj, Real cj) { return std::abs(xj - cj); }, x, center);
}

// The gradient of |y|_p: sign(y_j) (|y_j| / |y|_p)^(p-1), 0 where y_j = 0. Finite p.
template <class N>
N normal_entry(const N& y, const N& norm, double p) {
  using std::abs;
  return sign(y) * (p == 1 ? abs(sign(y)) : power(abs(y) / norm, p - 1));
}

// The largest |v|_p over unit vectors of length 1 in |v|_2: n^max(0, 1/p - 1/2).
double norm_ratio(std::size_t n, double p) { return std::pow(static_cast<double>(n), std::max(0.0, 1 / p - 0.5)); }

// h(x) = |x - c|_p - R
class LpDistance final : public ConvexFunction {
 public:
  LpDistance(Eigen::VectorXd center, double radius, double p) : center_(std::move(center)), radius_(radius), p_(p) {}

  [[nodiscard]] std::size_t dim() const noexcept override { return static_cast<std::size_t>(center_.size()); }

  [[nodiscard]] double value(std::span<const double> x) const noexcept override {
    return distance<double>(x, center_, p_) - radius_;
  }

  // sign(d_j) (|d_j| / |d|_p)^(p-1),  d = x - c;  0 where d_j = 0.
  // p = infinity: sign(d_j) at the first j where |d_j| is largest.
  void gradient(std::span<const double> x, std::span<double> out) const noexcept override {
    const double norm = distance<double>(x, center_, p_);
    bool largest_found = false;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double d = x[j] - center_[j];
      out[j] = 0;
      if (d == 0) continue;
      if (std::isinf(p_)) {
        if (largest_found || std::abs(d) != norm) continue;
        largest_found = true;
        out[j] = std::copysign(1.0, d);
      } else {
        out[j] = normal_entry(d, norm, p_);
      }
    }
  }

  // With u = eps / 2 and to first order: d_j carries a relative error u, d_j / m three times that, its p-th power 3 p u
  // + 2 u (pow: 1 ulp), the sum n u more; the root divides all this by p and adds 2 u; m and the product add 2 u. Near
  // h = 0 the norm is R, and the subtraction of R is exact. Together (7 + (n + 2) / p) u R; eps leaves a factor 2.
  [[nodiscard]] double value_error(std::span<const double> /*anchor*/) const noexcept override {
    return (7 + (static_cast<double>(dim()) + 2) / p_) * std::numeric_limits<double>::epsilon() * radius_;
  }

  // |v|_p <= n^max(0, 1/p - 1/2) |v|_2
  [[nodiscard]] std::optional<double> steepest() const override { return norm_ratio(dim(), p_); }

  [[nodiscard]] TensorFunction in_tensors(const TensorSpace& space) const override {
    return [center = space.constant(center_), radius = radius_, p = p_](const Tensor& x,
                                                                        const Tensor& v) -> TensorSlope {
      const Tensor y = x - center;
      const Tensor size = p_norm<Tensor>(y, p);
      const Tensor positive = where_else(size > 0, size, 1);
      const Tensor normal = std::isinf(p) ? choose(abs(y) >= positive, sign(y), 0 * y) : normal_entry(y, positive, p);
      return {size - radius, dot(normal, v)};
    };
  }

 private:
  Eigen::VectorXd center_;
  double radius_;
  double p_;
};

std::shared_ptr<const ConvexFunction> checked_function(const Eigen::VectorXd& center, double radius, double p) {
  require_dim(kLpBall, static_cast<std::size_t>(center.size()));
  require_finite(kLpBall, "center", center);
  require_positive(kLpBall, "radius", radius);
  if (!(p >= 1)) reject(kLpBall, "p is " + number_text(p) + ", below 1");
  return std::make_shared<const LpDistance>(center, radius, p);
}

// Smooth barriers of {(d, T) : |d|_p < T} in the variables (d, T), T last: one of three, by p. -log(T - |d|_p) itself
// has a kink at d = 0, exactly where Newton's method likes to go. Empty outside the domain.

// p = infinity: the 2n halfspaces, -sum_j log(T - d_j) + log(T + d_j).
std::optional<BarrierTerms> max_norm_barrier(const Eigen::VectorXd& d, double T) {
  if (!(d.cwiseAbs().maxCoeff() < T)) return std::nullopt;
  const Eigen::Index last = d.size();
  const Eigen::ArrayXd above = (T - d.array()).inverse();
  const Eigen::ArrayXd below = (T + d.array()).inverse();
  BarrierTerms terms(static_cast<std::size_t>(last));
  terms.value = above.log().sum() + below.log().sum();
  terms.gradient << above - below, -(above + below).sum();
  terms.hessian.diagonal() << above.square() + below.square(), (above.square() + below.square()).sum();
  terms.hessian.col(last).head(last) = below.square() - above.square();
  terms.hessian.row(last).head(last) = terms.hessian.col(last).head(last).transpose();
  return if_finite(std::move(terms));
}

// The root lambda of  F(lambda) = sum_j (1 + q_j) + 1 - lambda T,  q_j = sqrt(1 + lambda^2 d_j^2).
// F is convex and, where |d|_1 < T, decreasing with F(0) > 0: Newton's method from the left rises monotonically.
double sum_norm_multiplier(const Eigen::VectorXd& d, double T) {
  constexpr int kMaxIterations = 100;
  constexpr double kRelativeStep = 4 * std::numeric_limits<double>::epsilon();
  double lambda = static_cast<double>(2 * d.size() + 1) / T;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Eigen::ArrayXd q = (1 + (lambda * d.array()).square()).sqrt();
    const double value = (1 + q).sum() + 1 - lambda * T;
    const double slope = (lambda * d.array().square() / q).sum() - T;
    const double step = -value / slope;
    lambda += step;
    if (!(step > kRelativeStep * lambda)) break;
  }
  return lambda;
}

// p = 1: the barrier of {|d_j| < v_j, sum(v) < T}, minimised over v; partial minimisation keeps it self-concordant.
//   B = min_v -sum_j log(v_j^2 - d_j^2) - log(T - sum(v))
// Stationary in v: v_j = (1 + q_j) / lambda with 1 / lambda = T - sum(v), which is F(lambda) = 0 above. Then
//   B = (2n + 1) log lambda - sum_j log(2 (1 + q_j))
//   B_j = lambda^2 d_j / (1 + q_j),   B_T = -lambda
//   B_jk = delta_jk lambda^2 / (q_j (1 + q_j)) + lambda^3 w_j w_k / m,   w_j = d_j / q_j,   m = -F'(lambda) > 0
//   B_jT = -lambda^2 w_j / m,   B_TT = lambda / m
std::optional<BarrierTerms> sum_norm_barrier(const Eigen::VectorXd& d, double T) {
  if (!(d.lpNorm<1>() < T)) return std::nullopt;
  const Eigen::Index last = d.size();
  const double lambda = sum_norm_multiplier(d, T);
  const Eigen::ArrayXd q = (1 + (lambda * d.array()).square()).sqrt();
  const Eigen::VectorXd w = (d.array() / q).matrix();
  const double m = T - lambda * d.dot(w);
  if (!(m > 0)) return std::nullopt;

  BarrierTerms terms(static_cast<std::size_t>(last));
  terms.value = static_cast<double>(2 * last + 1) * std::log(lambda) - (2 * (1 + q)).log().sum();
  terms.gradient << lambda * lambda * d.array() / (1 + q), -lambda;
  terms.hessian.topLeftCorner(last, last) = lambda * lambda * lambda / m * w * w.transpose();
  terms.hessian.diagonal().head(last).array() += lambda * lambda / (q * (1 + q));
  terms.hessian.col(last).head(last) = -lambda * lambda / m * w;
  terms.hessian.row(last).head(last) = terms.hessian.col(last).head(last).transpose();
  terms.hessian(last, last) = lambda / m;
  return if_finite(std::move(terms));
}

// 1 < p < infinity: -log(w) for the perspective  w = T - T^(1-p) sum_j |d_j|^p,  concave in (d, T). With y = d / T,
// S = sum_j |y_j|^p:
//   w = T (1 - S),   w_j = -p |y_j|^(p-1) sign(y_j),   w_T = 1 + (p - 1) S
//   w_jj = -p (p-1) |y_j|^(p-2) / T,   w_jT = p (p-1) |y_j|^(p-1) sign(y_j) / T,   w_TT = -p (p-1) S / T
// For p < 2 the curvature w_jj is infinite at d_j = 0; there |y_j| counts as kSmallest, which keeps Newton's steps
// finite and changes nothing elsewhere.
std::optional<BarrierTerms> power_norm_barrier(const Eigen::VectorXd& d, double T, double p) {
  constexpr double kSmallest = 1e-8;
  const Eigen::ArrayXd y = d.array() / T;
  const Eigen::ArrayXd size = y.abs();
  if (!(T > 0) || !(size.maxCoeff() < 1)) return std::nullopt;
  const double S = size.pow(p).sum();
  const Eigen::ArrayXd slope = p * size.pow(p - 1) * y.sign();

  const Eigen::Index last = d.size();
  Eigen::VectorXd gradient(last + 1);
  gradient << -slope, 1 + (p - 1) * S;
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(last + 1, last + 1);
  const Eigen::ArrayXd curved = p < 2 ? size.max(kSmallest).eval() : size;
  hessian.diagonal() << -p * (p - 1) * curved.pow(p - 2), -p * (p - 1) * S;
  hessian.col(last).head(last) = (p - 1) * slope;
  hessian.row(last).head(last) = hessian.col(last).head(last).transpose();
  return log_barrier(T * (1 - S), gradient, hessian / T);
}

std::optional<BarrierTerms> lp_cone_barrier(const Eigen::VectorXd& d, double T, double p) {
  if (p == 1) return sum_norm_barrier(d, T);
  if (std::isinf(p)) return max_norm_barrier(d, T);
  return power_norm_barrier(d, T, p);
}

// From the centre, gamma(d) = |d|_p / R, evaluated in double with the largest entry scaled out:
//   |d|_p = m (sum_j (|d_j| / m)^p)^(1/p),  m = max_j |d_j|;      n_j = sign(d_j) (|d_j| / |d|_p)^(p-1) / R.
// p = infinity: the largest entry, smallest index first. p = 1: sign(d_j), 0 at 0.
template <class T>
class LpGauge final : public GuardedGauge<T> {
 public:
  LpGauge(double p, double radius, Margin margin)
      : GuardedGauge<T>(margin), p_(p), per_radius_(1 / (radius * (1 - margin.sigma))) {}

  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t) const override {
    return std::make_unique<GaugeScratch>();
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch&) const noexcept override {
    for (std::size_t i = 0; i < d.count(); ++i) at[i] = {static_cast<T>(per_radius_ * p_norm<double>(d[i], p_)), 0};
  }

  void add_gradient(T scale, std::span<const T> d, const GaugeAt<T>& at, std::span<T> out,
                    GaugeScratch&) const noexcept override {
    if (!(at.gamma > 0)) return;
    const double size = p_norm<double>(d, p_);
    const double factor = static_cast<double>(scale) * per_radius_;
    if (std::isinf(p_)) {
      const auto first = std::max_element(d.begin(), d.end(), [](T a, T b) { return std::abs(a) < std::abs(b); });
      out[static_cast<std::size_t>(first - d.begin())] += static_cast<T>(*first > 0 ? factor : -factor);
      return;
    }
    for (std::size_t j = 0; j < d.size(); ++j) {
      out[j] += static_cast<T>(factor * normal_entry(static_cast<double>(d[j]), size, p_));
    }
  }

  [[nodiscard]] TensorGauge in_tensors(const TensorSpace& /*space*/) const override {
    return [p = p_, per_radius = per_radius_](const Tensor& d) {
      return (per_radius * p_norm<Tensor>(d.value().in_double(), p)).value().rounded_like(d);
    };
  }

 private:
  double p_;
  double per_radius_;
};

// Null if the anchor is not the centre, up to the anchor's own rounding: then the level set's root gives the gauge.
template <class T>
GaugePtr<T> make_lp_gauge(const Eigen::VectorXd& center, double radius, double p, const Eigen::VectorXd& u0) {
  const double offset = distance<double>(span_of(u0), center, p);
  if (offset > kUlp<T> * p_norm<double>(span_of(center), p)) return nullptr;
  const double n = static_cast<double>(center.size());
  const double lipschitz = norm_ratio(static_cast<std::size_t>(center.size()), p) / radius;
  const Margin margin = general_margin<T>(lipschitz, 8, u0, offset / radius + 2 * n * kUlp<double>);
  require_resolvable<T>(margin.sigma, "radius", radius);
  return std::make_unique<LpGauge<T>>(p, radius, margin);
}

}  // namespace

LpBall::LpBall(const Eigen::VectorXd& center, double radius, double p)
    : LevelSet(checked_function(center, radius, p), std::string(kLpBall)), center_(center), radius_(radius), p_(p) {}

Description LpBall::describe() const {
  return {std::string(kLpBall), {{"center", center_}, {"radius", radius_}, {"p", p_}}};
}

void LpBall::slacks(std::span<const double> x, std::span<double> out) const {
  out[0] = static_cast<double>(radius_ - distance<long double>(x, center_, p_));
}

std::optional<BarrierTerms> LpBall::barrier(const Eigen::VectorXd& x, double t) const {
  return lp_cone_barrier(x - center_, radius_ + t, p_);
}

GaugePtr<float> LpBall::gauge_f32(const AnchoredHull& at) const {
  auto gauge = make_lp_gauge<float>(center_, radius_, p_, at.point);
  return gauge ? std::move(gauge) : LevelSet::gauge_f32(at);
}
GaugePtr<double> LpBall::gauge_f64(const AnchoredHull& at) const {
  auto gauge = make_lp_gauge<double>(center_, radius_, p_, at.point);
  return gauge ? std::move(gauge) : LevelSet::gauge_f64(at);
}

SetType LpBall::type() {
  return {
      .name = kLpBall,
      .title = "LpBall",
      .formula = "{|x - center|_p <= radius}, 1 <= p <= inf",
      .fields = {{.name = "center", .kind = FieldKind::numbers, .meaning = "(dim)"},
                 {.name = "radius", .kind = FieldKind::number, .meaning = "a positive number"},
                 {.name = "p",
                  .kind = FieldKind::number_or_infinity,
                  .meaning = "at least 1; inf for the largest |x_j - center_j|"}},
      .sample_data = {},
      .example = R"({"type": "lp_ball", "center": [0, 0, 0], "radius": 1, "p": 1.5})",
      .make = [](const Fields& f) -> Set { return LpBall(f.numbers("center"), f.number("radius"), f.number("p")); }};
}

}  // namespace softradial
