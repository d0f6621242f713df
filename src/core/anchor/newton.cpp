#include "anchor/newton.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace softradial {
namespace {

constexpr double kSmallestDamping = 1e-13;
constexpr double kDampingGrowth = 100;
constexpr double kLargestDamping = 1e3;
constexpr double kSufficientDecrease = 1e-4;
constexpr int kMaxHalvings = 50;
// If no step decreases the function any more, a decrement below this means a minimum up to rounding.
constexpr double kRoundingDecrement = 1e-4;

// The Newton system along the hull's directions, scaled to a unit diagonal.
class NewtonSystem {
 public:
  NewtonSystem(const BarrierTerms& terms, const Eigen::MatrixXd& N)
      : gradient_(terms.gradient), matrix_(terms.hessian) {
    if (N.rows() > 0) {
      gradient_ -= N.transpose() * (N * gradient_);
      const Eigen::MatrixXd NH = N * matrix_;
      const double mean = matrix_.diagonal().mean();
      const Eigen::MatrixXd core = NH * N.transpose() + mean * Eigen::MatrixXd::Identity(N.rows(), N.rows());
      matrix_ -= N.transpose() * NH + NH.transpose() * N;
      matrix_ += N.transpose() * (core * N);
    }
    scale_ = matrix_.diagonal().unaryExpr([](double d) { return d > 0 ? 1 / std::sqrt(d) : 1.0; });
    matrix_ = scale_.asDiagonal() * matrix_ * scale_.asDiagonal();
  }

  [[nodiscard]] const Eigen::VectorXd& gradient() const noexcept { return gradient_; }

  [[nodiscard]] std::optional<Eigen::VectorXd> step(double damping, const Eigen::MatrixXd& N) const {
    Eigen::MatrixXd damped = matrix_;
    damped.diagonal().array() += damping;
    const Eigen::LLT<Eigen::MatrixXd> factor(damped);
    if (factor.info() != Eigen::Success) return std::nullopt;
    const Eigen::VectorXd right = scale_.cwiseProduct(gradient_);
    Eigen::VectorXd step = -scale_.cwiseProduct(factor.solve(right).eval());
    step -= N.transpose() * (N * step);
    if (!step.allFinite()) return std::nullopt;
    return step;
  }

 private:
  Eigen::VectorXd gradient_;
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd scale_;
};

struct Iterate {
  Eigen::VectorXd z;
  BarrierTerms terms;
};

// Halves the step until the function decreases in proportion; its own rounding counts as no increase.
std::optional<Iterate> backtrack(const NewtonObjective& objective, const Iterate& from, const Eigen::VectorXd& step,
                                 double slope) {
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * std::abs(from.terms.value);
  double length = 1;
  for (int halving = 0; halving < kMaxHalvings; ++halving, length /= 2) {
    Eigen::VectorXd z = from.z + length * step;
    std::optional<BarrierTerms> terms = objective(z);
    if (terms && terms->value <= from.terms.value + kSufficientDecrease * length * slope + rounding) {
      return Iterate{std::move(z), std::move(*terms)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Eigen::VectorXd> newton_step(const BarrierTerms& terms, const Eigen::MatrixXd& normals) {
  return NewtonSystem(terms, normals).step(kSmallestDamping, normals);
}

NewtonResult minimise(const NewtonObjective& objective, const Eigen::MatrixXd& normals, const Eigen::VectorXd& start,
                      const NewtonLimits& limits) {
  NewtonResult result{.z = start};
  std::optional<BarrierTerms> first = objective(start);
  if (!first) return result;
  Iterate at{start, std::move(*first)};
  for (int k = 0; k < limits.max_steps; ++k) {
    const NewtonSystem system(at.terms, normals);
    std::optional<Iterate> next;
    result.decrement = std::numeric_limits<double>::infinity();
    for (double damping = kSmallestDamping; damping <= kLargestDamping && !next; damping *= kDampingGrowth) {
      const std::optional<Eigen::VectorXd> step = system.step(damping, normals);
      if (!step) continue;
      const double slope = system.gradient().dot(*step);
      // The step is no descent: the solution was rounded, or, if the slope is this small, a gradient that is 0 at the minimum.
      if (slope > limits.decrement * limits.decrement) continue;
      result.decrement = std::min(result.decrement, std::sqrt(std::max(0.0, -slope)));
      if (result.decrement <= limits.decrement) break;
      next = backtrack(objective, at, *step, slope);
    }
    if (!next) {
      const bool minimum = result.decrement <= std::max(limits.decrement, kRoundingDecrement);
      result.end = minimum ? NewtonEnd::minimum : NewtonEnd::stalled;
      return result;
    }
    at = std::move(*next);
    result.z = at.z;
    if (limits.enough(at.z)) {
      result.end = NewtonEnd::enough;
      return result;
    }
  }
  result.end = NewtonEnd::step_limit;
  return result;
}

}  // namespace softradial
