// Proposition "Correspondence of stationary points", its corollary for convex losses, and the remark on the anchor.

#include <cmath>

#include "reference/dense_jacobian.hpp"
#include "theory/on_several_sets.hpp"

namespace softradial::theory {
namespace {

class CorrespondenceOfStationaryPoints : public OnSeveralSets {};

// A smooth loss that is not convex: sin(a.x) + |x - b|^2 / 2.
struct WavyLoss {
  VectorXd a, b;
  [[nodiscard]] double value(const VectorXd& x) const { return std::sin(a.dot(x)) + (x - b).squaredNorm() / 2; }
  [[nodiscard]] VectorXd gradient(const VectorXd& x) const { return std::cos(a.dot(x)) * a + (x - b); }
};

// grad f(u) = J_p(u)' grad l(p(u)), against differences of f itself.
TEST_P(CorrespondenceOfStationaryPoints, GradientIsTheChainRule) {
  support::PointLayer soft = layer(SoftRadial{});
  const WavyLoss loss{random_.gaussian(set_.dim()), random_.gaussian(set_.dim())};
  int agreed = 0;
  for (int k = 0; k < 40; ++k) {
    const VectorXd u = point(random_.uniform(0.05, 4));
    const VectorXd gradient = soft.vjp(u, loss.gradient(soft.project(u)));
    const VectorXd v = random_.unit_on(anchor_.hull);
    const double h = 1e-5 * (u - anchor_.point).norm();
    const double difference = (loss.value(soft.project(u + h * v)) - loss.value(soft.project(u - h * v))) / (2 * h);
    if (std::abs(gradient.dot(v) - difference) < 1e-5 * (1 + gradient.norm())) ++agreed;
  }
  // A stencil may straddle a kink now and then.
  EXPECT_GE(agreed, 38);
}

// |grad f| >= sigma_min(J) |grad l|: stationary for f if and only if stationary for l.
TEST_P(CorrespondenceOfStationaryPoints, VanishTogether) {
  support::PointLayer soft = layer(SoftRadial{});
  const VectorXd b = point(0.5 * delta_);
  const auto gradient_of_loss = [&](const VectorXd& x) -> VectorXd { return along_hull(x - b); };

  const VectorXd stationary = soft.inverse(b);
  EXPECT_LT(soft.vjp(stationary, gradient_of_loss(soft.project(stationary))).norm(), 1e-12 * (1 + b.norm()));

  for (int k = 0; k < 40; ++k) {
    const VectorXd u = point(random_.uniform(0, 3));
    const VectorXd loss_gradient = gradient_of_loss(soft.project(u));
    const double smallest = reference::singular_values_on_hull(soft.jacobian(u), anchor_.hull).minCoeff();
    EXPECT_GT(smallest, 0);
    EXPECT_GE(soft.vjp(u, loss_gradient).norm(), smallest * loss_gradient.norm() * (1 - 1e-6));
  }
}

// A target outside C: l has no interior stationary point, so that f has none either, wherever we look.
TEST_P(CorrespondenceOfStationaryPoints, NoneWhereTheMinimiserIsOnTheBoundary) {
  support::PointLayer soft = layer(SoftRadial{});
  VectorXd outward = random_.unit_on(anchor_.hull);
  while (!(gauge_.value(outward) > 0.1 / delta_)) outward = random_.unit_on(anchor_.hull);
  const VectorXd b = anchor_.point + 2 / gauge_.value(outward) * outward;
  for (int k = 0; k < 100; ++k) {
    const VectorXd u = point(std::exp(random_.uniform(-5, 3)));
    EXPECT_GT(soft.vjp(u, soft.project(u) - b).norm(), 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Theory, CorrespondenceOfStationaryPoints, ::testing::ValuesIn(several_sets()),
                         support::NameOfSet());

class GlobalOptimalityForConvexLosses : public OnSeveralSets {};

// Every local minimiser of f at which p is differentiable is global: descents from all over the space, far outside C
// included, end at the same point, the minimiser of a convex loss over C.
TEST_P(GlobalOptimalityForConvexLosses, DescentsFromEverywhereMeet) {
  support::PointLayer soft = layer(SoftRadial{.epsilon = 0.2});
  const VectorXd b = point(0.4 * delta_);
  const VectorXd weights = random_.gaussian(set_.dim()).array().square() + 0.5;
  const auto loss = [&](const VectorXd& x) { return (x - b).cwiseAbs2().dot(weights) / (2 * delta_ * delta_); };
  for (int start = 0; start < 6; ++start) {
    VectorXd u = point(random_.uniform(0, 6) * delta_);
    double step = 1;
    for (int k = 0; k < 3000; ++k) {
      const VectorXd x = soft.project(u);
      const VectorXd gradient = soft.vjp(u, (x - b).cwiseProduct(weights) / (delta_ * delta_));
      if (gradient.norm() * delta_ < 1e-9) break;
      // Armijo: halve until f falls by a tenth of what the slope promises.
      step *= 4;
      while (step > 1e-18 && loss(soft.project(u - step * gradient)) > loss(x) - 0.1 * step * gradient.squaredNorm()) {
        step /= 2;
      }
      u -= step * gradient;
    }
    EXPECT_LT((soft.project(u) - b).norm(), 1e-4 * delta_) << "start " << start << ", ended at " << u.transpose();
  }
}

INSTANTIATE_TEST_SUITE_P(Theory, GlobalOptimalityForConvexLosses, ::testing::ValuesIn(several_sets()),
                         support::NameOfSet());

class AnchorGradient : public OnSeveralSets {};

// grad (l o p)(u0) = r(0) grad l(u0), r(0) = epsilon: the anchor is no artificial stationary point.
TEST_P(AnchorGradient, IsTheGradientOfTheLossTimesTheContractionAtZero) {
  for (const SoftRadial& method : contractions()) {
    SCOPED_TRACE(name_of(method.contraction));
    support::PointLayer soft = layer(method);
    const VectorXd loss_gradient = random_.gaussian(set_.dim());
    const VectorXd expected = method.epsilon * along_hull(loss_gradient);
    EXPECT_LT((soft.vjp(anchor_.point, loss_gradient) - expected).norm(), 1e-14 * loss_gradient.norm());
    EXPECT_GT(expected.norm(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Theory, AnchorGradient, ::testing::ValuesIn(several_sets()), support::NameOfSet());

}  // namespace
}  // namespace softradial::theory
