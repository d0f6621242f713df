#include "softradial/sets/lp_ball.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sets/lp_ball_barrier.hpp"
#include "sets/number_text.hpp"
#include "sets/validation.hpp"

namespace softradial {
namespace {

constexpr std::string_view kLpBall = "lp_ball";

// |x - c|_p = m (sum_j (|x_j - c_j| / m)^p)^(1/p),  m = max_j |x_j - c_j|: no power overflows. p = infinity: m.
template <class Real>
Real lp_distance(std::span<const double> x, const Eigen::VectorXd& center, double p) noexcept {
  const auto distance = [&](std::size_t j) { return std::abs(static_cast<Real>(x[j]) - static_cast<Real>(center[j])); };
  Real largest = 0;
  for (std::size_t j = 0; j < x.size(); ++j) largest = std::max(largest, distance(j));
  if (largest == 0 || std::isinf(largest) || std::isinf(p)) return largest;
  Real sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += std::pow(distance(j) / largest, static_cast<Real>(p));
  return largest * std::pow(sum, 1 / static_cast<Real>(p));
}

// h(x) = |x - c|_p - R
class LpDistance final : public ConvexFunction {
 public:
  LpDistance(Eigen::VectorXd center, double radius, double p) : center_(std::move(center)), radius_(radius), p_(p) {}

  [[nodiscard]] std::size_t dim() const noexcept override { return static_cast<std::size_t>(center_.size()); }

  [[nodiscard]] double value(std::span<const double> x) const noexcept override {
    return lp_distance<double>(x, center_, p_) - radius_;
  }

  // sign(d_j) (|d_j| / |d|_p)^(p-1),  d = x - c;  0 where d_j = 0.
  // p = infinity: sign(d_j) at the first j where |d_j| is largest.
  void gradient(std::span<const double> x, std::span<double> out) const noexcept override {
    const double norm = lp_distance<double>(x, center_, p_);
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
        out[j] = std::copysign(std::pow(std::abs(d) / norm, p_ - 1), d);
      }
    }
  }

  // With u = eps / 2 and to first order: d_j carries a relative error u, d_j / m three times that, its p-th power 3 p u
  // + 2 u (pow: 1 ulp), the sum n u more; the root divides all this by p and adds 2 u; m and the product add 2 u. Near
  // h = 0 the norm is R, and the subtraction of R is exact. Together (7 + (n + 2) / p) u R; eps leaves a factor 2.
  [[nodiscard]] double value_error(std::span<const double> /*anchor*/) const noexcept override {
    return (7 + (static_cast<double>(dim()) + 2) / p_) * std::numeric_limits<double>::epsilon() * radius_;
  }

  [[nodiscard]] std::optional<LevelFunction> form() const override { return LpDistanceForm{center_, radius_, p_}; }

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

}  // namespace

LpBall::LpBall(const Eigen::VectorXd& center, double radius, double p)
    : LevelSet(checked_function(center, radius, p), std::string(kLpBall)), center_(center), radius_(radius), p_(p) {}

Description LpBall::describe() const {
  return {std::string(kLpBall), {{"center", center_}, {"radius", radius_}, {"p", p_}}};
}

void LpBall::slacks(std::span<const double> x, std::span<double> out) const {
  out[0] = static_cast<double>(radius_ - lp_distance<long double>(x, center_, p_));
}

std::optional<BarrierTerms> LpBall::barrier(const Eigen::VectorXd& x, double t) const {
  return lp_cone_barrier(x - center_, radius_ + t, p_);
}

}  // namespace softradial
