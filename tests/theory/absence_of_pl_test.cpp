// Lemma "Absence of a global PL inequality": C = B_1(0), l = |x|^2, u0 = 0. Along u = t v the gradient vanishes,
// |grad f| = 4 t r(t^2) r'(t^2), while f - f* tends to 1: no mu > 0 has |grad f|^2 >= 2 mu (f - f*) everywhere.

#include "softradial/sets.hpp"
#include "theory/on_several_sets.hpp"

namespace softradial::theory {
namespace {

class AbsenceOfPl : public ::testing::TestWithParam<SoftRadial> {};

TEST_P(AbsenceOfPl, OnTheUnitBall) {
  const SoftRadial method = GetParam();
  support::PointLayer soft(Ball(VectorXd::Zero(3), 1), method);
  support::RandomPoints random(9);
  const VectorXd v = random.unit(3);
  double smallest_mu = std::numeric_limits<double>::infinity();
  for (double t = 1.25; t < 2000; t *= 2) {
    const VectorXd x = soft.project(t * v);
    const double suboptimality = x.squaredNorm();
    const double gradient = soft.vjp(t * v, 2 * x).norm();
    const long double rho = static_cast<long double>(t) * t;
    const long double r = reference::contraction(method, rho);
    const auto expected = static_cast<double>(4 * t * r * reference::contraction_slope(method, rho));
    // The tangential part of J cancels up to rounding.
    EXPECT_NEAR(gradient, expected, 1e-10 * expected + 1e-16) << "t = " << t;
    EXPECT_NEAR(suboptimality, static_cast<double>(r * r), 1e-12) << "t = " << t;
    smallest_mu = std::min(smallest_mu, gradient * gradient / (2 * suboptimality));
  }
  EXPECT_LT(smallest_mu, 1e-15);

  // Near the minimiser, in contrast, the inequality does hold, with mu = 2 r(0)^2 in the limit.
  const VectorXd u = 1e-4 * v;
  const VectorXd x = soft.project(u);
  EXPECT_GT(soft.vjp(u, 2 * x).squaredNorm() / (2 * x.squaredNorm()), 1.9 * method.epsilon * method.epsilon);
}

INSTANTIATE_TEST_SUITE_P(Theory, AbsenceOfPl, ::testing::ValuesIn(contractions()),
                         [](const auto& method) { return name_of(method.param.contraction); });

}  // namespace
}  // namespace softradial::theory
