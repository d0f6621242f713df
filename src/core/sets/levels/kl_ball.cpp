#include <algorithm>
#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "sets/log_barrier.hpp"
#include "sets/number_text.hpp"
#include "sets/validation.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets/combinators.hpp"
#include "softradial/sets/coordinates.hpp"
#include "softradial/sets/levels.hpp"

namespace softradial {
namespace {

constexpr std::string_view kKlBall = "kl_ball";

// sum_j x_j log(x_j / r_j), a term being 0 at x_j = 0 and +infinity for x_j < 0.
template <class Real>
Real divergence(std::span<const double> x, const Eigen::VectorXd& reference) noexcept {
  Real sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (x[j] < 0) return std::numeric_limits<Real>::infinity();
    if (x[j] == 0) continue;
    const auto entry = static_cast<Real>(x[j]);
    sum += entry * std::log(entry / static_cast<Real>(reference[j]));
  }
  return sum;
}

// h(x) = sum_j k_j(x_j) - radius with k_j(x) = x log(x / r_j), continued below kEdge r_j by its tangent: finite and convex
// on all of R^n. The bounds x >= 0 that the divergence implies are pieces of their own in the gauge: at a point with
// x_j = 0 inside the ball the divergence jumps to infinity, and its gradient there is not the normal of the boundary.
// The tangent lacks at most kEdge r_j of the divergence, kEdge in all, which value_error contains.
class DivergenceFunction final : public ConvexFunction {
 public:
  DivergenceFunction(Eigen::VectorXd reference, double radius) : reference_(std::move(reference)), radius_(radius) {}

  [[nodiscard]] std::size_t dim() const noexcept override { return static_cast<std::size_t>(reference_.size()); }

  [[nodiscard]] double value(std::span<const double> x) const noexcept override {
    return sum_over<double>(x, reference_, [](double xj, double rj) { return term(xj, rj); }) - radius_;
  }

  void gradient(std::span<const double> x, std::span<double> out) const noexcept override {
    for (std::size_t j = 0; j < x.size(); ++j) out[j] = slope(x[j], reference_[static_cast<Eigen::Index>(j)]);
  }

  [[nodiscard]] Eigen::MatrixXd hessian(const Eigen::VectorXd& x) const override {
    return (x.array() >= kEdge * reference_.array()).select(x.cwiseInverse(), 0.0).matrix().asDiagonal();
  }

  // With u = eps / 2: x_j / r_j carries a relative error u, an absolute one in the logarithm, and x_j sums to 1: u in
  // all; the logarithm (1 ulp) and the product add 3 u, the sum n u, relative to
  //   sum_j |x_j log(x_j / r_j)| <= radius + 2 / e      (x log(r / x) <= r / e, and r sums to 1);
  // near h = 0 the subtraction of radius is exact. Together (1 + (n + 3)(radius + 1)) u; eps leaves a factor 2.
  [[nodiscard]] double value_error(std::span<const double> /*anchor*/) const noexcept override {
    return kEdge + (1 + (static_cast<double>(dim()) + 3) * (radius_ + 1)) * std::numeric_limits<double>::epsilon();
  }

  // Slopes of the curve for x in [0, 2], where the sum leaves every point of the ball, and of its tangents.
  [[nodiscard]] std::optional<double> steepest() const override {
    const double slope = std::max(-std::log(kEdge), std::log(2 / reference_.minCoeff())) + 1;
    return slope * std::sqrt(static_cast<double>(dim()));
  }

  // Within half of the smallest coordinate no slope grows by more than log 2.
  [[nodiscard]] std::optional<double> inner_radius(std::span<const double> anchor, double slack) const override {
    double squares = 0;
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < anchor.size(); ++j) {
      const double most = std::abs(slope(anchor[j], reference_[static_cast<Eigen::Index>(j)])) + std::log(2.0);
      squares += most * most;
      smallest = std::min(smallest, anchor[j]);
    }
    if (!(smallest > 0)) return ConvexFunction::inner_radius(anchor, slack);
    return std::min(smallest / 2, slack / std::sqrt(squares));
  }

  [[nodiscard]] TensorFunction in_tensors(const TensorSpace& space) const override {
    return [reference = space.constant(reference_), radius = radius_](const Tensor& x, const Tensor& v) -> TensorSlope {
      return {sum(term(x, reference)) - radius, dot(slope(x, reference), v)};
    };
  }

 private:
  static constexpr double kEdge = std::numeric_limits<double>::epsilon();

  // log(x / r); below the edge, its value at the edge.
  template <class N>
  static N log_ratio(const N& x, const N& r) {
    using std::log;
    return log(larger(x / r, kEdge));
  }
  // k(x) and its slope log(x / r) + 1.
  template <class N>
  static N term(const N& x, const N& r) {
    const N logs = log_ratio(x, r);
    return choose(x >= kEdge * r, x * logs, x * (logs + 1) - kEdge * r);
  }
  template <class N>
  static N slope(const N& x, const N& r) {
    return log_ratio(x, r) + 1;
  }

  Eigen::VectorXd reference_;
  double radius_;
};

std::shared_ptr<const ConvexFunction> checked_function(const Eigen::VectorXd& reference, double radius) {
  // Room for a reference that was normalised in another precision or printed with ten digits.
  constexpr long double kSumTolerance = 1e-9L;
  require_dim(kKlBall, static_cast<std::size_t>(reference.size()));
  require_finite(kKlBall, "reference", reference);
  long double sum = 0;
  for (Eigen::Index j = 0; j < reference.size(); ++j) {
    if (!(reference[j] >= std::numeric_limits<double>::min())) {
      reject(kKlBall, "reference[" + std::to_string(j) + "] is " + number_text(reference[j]) + ", not positive");
    }
    sum += reference[j];
  }
  if (std::abs(sum - 1) > kSumTolerance) {
    reject(kKlBall, "the reference sums to " + number_text(static_cast<double>(sum)) + ", not to 1");
  }
  require_positive(kKlBall, "radius", radius);
  return std::make_shared<const DivergenceFunction>(reference, radius);
}

}  // namespace

KlBall::KlBall(const Eigen::VectorXd& reference, double radius)
    : LevelSet(checked_function(reference, radius), std::string(kKlBall)), reference_(reference), radius_(radius) {}

Description KlBall::describe() const {
  return {std::string(kKlBall), {{"reference", reference_}, {"radius", radius_}}};
}

bool KlBall::append_linear(LinearSystem& out) const {
  LinearSystem::Row sum{.entries = {}, .bound = 1, .name = "sum"};
  for (std::size_t j = 0; j < dim(); ++j) {
    out.add_inequality({.entries = {{j, -1.0}}, .bound = 0, .name = "lower bound " + std::to_string(j)});
    sum.entries.push_back({j, 1.0});
  }
  out.add_equality(std::move(sum));
  return false;
}

namespace {

// gamma = max over the curved piece and the bounds x >= 0.
Intersection pieces(const Eigen::VectorXd& reference, double radius) {
  const Eigen::VectorXd zeros = Eigen::VectorXd::Zero(reference.size());
  const Eigen::VectorXd open = Eigen::VectorXd::Constant(reference.size(), std::numeric_limits<double>::infinity());
  return Intersection({LevelSet(std::make_shared<const DivergenceFunction>(reference, radius)), Box(zeros, open)});
}

}  // namespace

GaugePtr<float> KlBall::gauge_f32(const AnchoredHull& at) const { return pieces(reference_, radius_).gauge_f32(at); }
GaugePtr<double> KlBall::gauge_f64(const AnchoredHull& at) const { return pieces(reference_, radius_).gauge_f64(at); }
TensorGaugeAt KlBall::gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const {
  return pieces(reference_, radius_).gauge_in_tensors(anchor, data);
}

void KlBall::slacks(std::span<const double> x, std::span<double> out) const {
  out[0] = static_cast<double>(radius_ - divergence<long double>(x, reference_));
}

// -log(radius + t - sum_j k_j(x_j)) - sum_j log(x_j + t), where k_j(x) = x log(x / r_j) for x >= kEdge r_j, continued
// below by its tangent. The tangent makes the barrier reach points with negative coordinates (for t large enough); the
// second sum, the bounds x_j >= 0 that the divergence implies, shuts them out again as t falls to 0. What the tangent
// lacks of the divergence is at most kEdge r_j for each coordinate in [0, kEdge r_j].
std::optional<BarrierTerms> KlBall::barrier(const Eigen::VectorXd& x, double t) const {
  constexpr double kEdge = 1e-12;
  const Eigen::Index last = x.size();
  double slack = radius_ + t;
  Eigen::VectorXd gradient = Eigen::VectorXd::Ones(last + 1);
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(last + 1, last + 1);
  for (Eigen::Index j = 0; j < last; ++j) {
    const bool inner = x[j] >= kEdge * reference_[j];
    const double log_ratio = std::log(inner ? x[j] / reference_[j] : kEdge);
    slack -= inner ? x[j] * log_ratio : x[j] * (log_ratio + 1) - kEdge * reference_[j];
    gradient[j] = -(log_ratio + 1);
    hessian(j, j) = inner ? -1 / x[j] : 0;
  }
  std::optional<BarrierTerms> terms = log_barrier(slack, gradient, hessian);
  if (!terms || !(x.minCoeff() + t > 0)) return std::nullopt;

  const Eigen::ArrayXd inverse = (x.array() + t).inverse();
  terms->value += inverse.log().sum();
  terms->gradient.head(last).array() -= inverse;
  terms->gradient[last] -= inverse.sum();
  terms->hessian.diagonal().head(last).array() += inverse.square();
  terms->hessian.col(last).head(last).array() += inverse.square();
  terms->hessian.row(last).head(last).array() += inverse.square().transpose();
  terms->hessian(last, last) += inverse.square().sum();
  return if_finite(std::move(*terms));
}

SetType KlBall::type() {
  return {.name = kKlBall,
          .title = "KlBall",
          .formula = "{x >= 0 : sum(x) = 1, sum_j x_j log(x_j / reference_j) <= radius}",
          .fields = {{.name = "reference",
                      .kind = FieldKind::numbers,
                      .meaning = "(dim): positive numbers, the distribution that x is compared with"},
                     {.name = "radius", .kind = FieldKind::number, .meaning = "the largest divergence from it"}},
          .sample_data = {},
          .example = R"({"type": "kl_ball", "reference": [0.5, 0.3, 0.2], "radius": 0.1})",
          .make = [](const Fields& f) -> Set { return KlBall(f.numbers("reference"), f.number("radius")); }};
}

}  // namespace softradial
