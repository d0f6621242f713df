// What the published algorithms promise, each by its own law.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>

#include "softradial/layer.hpp"
#include "softradial/projection.hpp"
#include "softradial/sets.hpp"
#include "softradial/violation.hpp"
#include "support/cotangent_checker.hpp"
#include "support/point_layer.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using support::apply;

TEST(SoftmaxLaw, IsTheQuotientOfExponentials) {
  support::RandomPoints random(1);
  const Eigen::VectorXd u = random.gaussian(7);
  const Eigen::VectorXd e = (u / 0.5).array().exp();
  const auto layer = make_layer<double>(Simplex(7, 3), Softmax{.temperature = 0.5});
  EXPECT_LE((apply(*layer, u) - 3 * e / e.sum()).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(MirrorLaw, WithoutUpperBoundsIsTheSoftmax) {
  support::RandomPoints random(1);
  const auto mirror = make_layer<double>(Simplex(7, 3), Mirror{.temperature = 0.5});
  const auto softmax = make_layer<double>(Simplex(7, 3), Softmax{.temperature = 0.5});
  for (int trial = 0; trial < 10; ++trial) {
    const Eigen::VectorXd u = 3 * random.gaussian(7);
    EXPECT_LE((apply(*mirror, u) - apply(*softmax, u)).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(MirrorLaw, LogitsOfTheSharesDifferByAShift) {
  support::RandomPoints random(1);
  const Eigen::VectorXd caps = (Eigen::VectorXd(5) << 0.2, 0.5, 1, 0.3, 0.4).finished();
  const auto layer = make_layer<double>(CappedSimplex(caps, 1.1), Mirror{.temperature = 2});
  for (int trial = 0; trial < 10; ++trial) {
    const Eigen::VectorXd u = 3 * random.gaussian(5);
    const Eigen::ArrayXd share = apply(*layer, u).array() / caps.array();
    const Eigen::ArrayXd shift = u.array() - 2 * (share / (1 - share)).log();
    EXPECT_NEAR(apply(*layer, u).sum(), 1.1, 1e-14);
    EXPECT_LE((shift - shift[0]).abs().maxCoeff(), 1e-12);
  }
}

TEST(MirrorLaw, OpenSidesAreNearlyTheIdentityFarInside) {
  const double open = std::numeric_limits<double>::infinity();
  const Set box = Box(Eigen::Vector3d(1, -open, -open), Eigen::Vector3d(open, 2, open));
  const auto layer = make_layer<double>(box, Mirror{.temperature = 0.25});
  const Eigen::Vector3d u(20, -20, 7);
  EXPECT_LE((apply(*layer, u) - u).cwiseAbs().maxCoeff(), 1e-14);
  const Eigen::VectorXd x = apply(*layer, Eigen::Vector3d(1, 2, 0));
  EXPECT_NEAR(x[0], 1 + 0.25 * std::log(2), 1e-14);
  EXPECT_NEAR(x[1], 2 - 0.25 * std::log(2), 1e-14);
}

TEST(Dc3Law, KeepsTheEqualitiesAtEveryStep) {
  support::RandomPoints random(2);
  Eigen::MatrixXd E(2, 6);
  E << 1, 1, 1, 1, 1, 1, 1, -1, 2, 0, 0.5, 3;
  const Eigen::Vector2d f(1, 0.7);
  const Set set = Polyhedron(-Eigen::MatrixXd::Identity(6, 6), Eigen::VectorXd::Constant(6, 0.5), E, f);
  for (const bool symmetric : {true, false}) {
    for (int steps = 0; steps <= 5; ++steps) {
      const auto layer = make_layer<double>(set, Dc3{.steps = steps, .symmetric = symmetric});
      const Eigen::VectorXd x = apply(*layer, 4 * random.gaussian(6));
      EXPECT_LE((E * x - f).cwiseAbs().maxCoeff(), 1e-12);
    }
  }
}

TEST(Dc3Law, StepsReduceTheViolation) {
  support::RandomPoints random(3);
  const Set set = CappedSimplex(20, 0.1);
  const Eigen::VectorXd u = random.gaussian(20);
  double before = std::numeric_limits<double>::infinity();
  for (const int steps : {0, 5, 50, 2000}) {
    const Eigen::VectorXd x = apply(*make_layer<double>(set, Dc3{.steps = steps, .learning_rate = 0.02}), u);
    const double broken = ViolationMeter(set).penalty({x.data(), 20});
    EXPECT_LT(broken, before);
    before = broken;
  }
  EXPECT_LE(before, 1e-6);
}

// The coordinate form and the general one are the same algorithm.
TEST(Dc3Law, TheSymmetricVariantIsTheGeneralMethod) {
  support::RandomPoints random(4);
  const std::size_t n = 9;
  const auto size = static_cast<Eigen::Index>(n);
  Eigen::MatrixXd A(2 * size, size);
  A << Eigen::MatrixXd::Identity(size, size), -Eigen::MatrixXd::Identity(size, size);
  Eigen::VectorXd b(2 * size);
  b << Eigen::VectorXd::Constant(size, 0.2), Eigen::VectorXd::Zero(size);
  // The general method completes the column that its factorisation picks: the last one must be it.
  const Set general = Polyhedron(A, b, Eigen::MatrixXd::Ones(1, size), Eigen::VectorXd::Ones(1));
  const auto one = make_layer<double>(CappedSimplex(n, 0.2), Dc3{.steps = 0});
  const auto other = make_layer<double>(general, Dc3{.steps = 0});
  const Eigen::VectorXd u = random.gaussian(n);
  EXPECT_LE((apply(*one, u) - apply(*other, u)).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(HardNetLaw, AffSatisfiesIndependentRowsExactly) {
  support::RandomPoints random(5);
  Eigen::MatrixXd A(3, 6);
  for (Eigen::Index i = 0; i < 3; ++i) A.row(i) = random.gaussian(6).transpose();
  const Eigen::Vector3d b(0.3, -0.2, 1);
  const Set set = Polyhedron(A, b);
  const auto layer = make_layer<double>(set, HardNetAff{});
  for (const double scale : {1.0, 1e3}) {
    for (int trial = 0; trial < 20; ++trial) {
      const Eigen::VectorXd u = scale * random.gaussian(6);
      const Eigen::VectorXd x = apply(*layer, u);
      EXPECT_LE((A * x - b).maxCoeff(), 1e-12 * scale);
      // Rows that held are left as they were.
      for (Eigen::Index i = 0; i < 3; ++i) {
        if (A.row(i).dot(u) >= b[i]) continue;
        EXPECT_NEAR(A.row(i).dot(x), A.row(i).dot(u), 1e-12 * scale);
      }
    }
  }
}

TEST(HardNetLaw, AffOnABoxIsTheClamp) {
  support::RandomPoints random(6);
  const Set box = Box(Eigen::VectorXd::Constant(4, -0.5), Eigen::VectorXd::Constant(4, 1));
  const Eigen::VectorXd u = 3 * random.gaussian(4);
  const Eigen::VectorXd clamped = u.cwiseMax(-0.5).cwiseMin(1);
  EXPECT_LE((apply(*make_layer<double>(box, HardNetAff{}), u) - clamped).cwiseAbs().maxCoeff(), 1e-14);
}

// The closed form of the coordinate sets against the pseudoinverse of the stacked matrix [1; I; I].
TEST(HardNetLaw, LeastSquaresStepIsThePseudoinverse) {
  support::RandomPoints random(7);
  constexpr Eigen::Index n = 5;
  Eigen::MatrixXd A(2 * n + 1, n);
  A << Eigen::MatrixXd::Ones(1, n), Eigen::MatrixXd::Identity(n, n), Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd W = (A.transpose() * A).inverse() * A.transpose();
  Eigen::VectorXd x = random.gaussian(n);
  const Eigen::VectorXd u = x;
  for (int step = 0; step < 3; ++step) {
    Eigen::VectorXd v(2 * n + 1);
    v << 1 - x.sum(), (-x).cwiseMax(0), -(x.array() - 0.3).matrix().cwiseMax(0);
    x += W * v;
  }
  const auto layer = make_layer<double>(CappedSimplex(n, 0.3), HardNet{.steps = 3});
  EXPECT_LE((apply(*layer, u) - x).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(RayenLaw, IsTheHardRadialMapCountedFromTheAnchor) {
  support::RandomPoints random(8);
  const Set set = CappedSimplex(6, 0.4);
  const Projection<double> hard(set, HardRadial{});
  const auto rayen = make_layer<double>(set, Rayen{});
  const auto radial = make_layer<double>(set, HardRadial{});
  for (int trial = 0; trial < 10; ++trial) {
    const Eigen::VectorXd v = random.gaussian(6);
    EXPECT_LE((apply(*rayen, v) - apply(*radial, hard.anchor().point + v)).cwiseAbs().maxCoeff(), 1e-15);
  }
}

TEST(RayScalarLaw, TheScalarIsTheShareOfTheWayToTheBoundary) {
  support::RandomPoints random(9);
  const Set ball = Ball(Eigen::VectorXd::Zero(3), 2);
  const auto layer = make_layer<double>(ball, RayScalar{});
  Eigen::VectorXd u(4);
  u << random.gaussian(3), std::log(3.0);  // sigmoid = 3/4
  const Eigen::VectorXd x = apply(*layer, u);
  EXPECT_NEAR(x.norm(), 1.5, 1e-12);
  EXPECT_NEAR(x.dot(u.head(3)) / (x.norm() * u.head(3).norm()), 1, 1e-14);
}

TEST(HopLaw, AnglesAreHyperspherical) {
  const auto layer = make_layer<double>(Ball(Eigen::VectorXd::Zero(3), 1), Hop{});
  Eigen::Vector3d z(0, 0.4, -0.7);
  const auto share = [](double s) { return 1 / (1 + std::exp(-s)); };
  const double first = std::numbers::pi * share(0.4);
  const double second = 2 * std::numbers::pi * share(-0.7);
  const Eigen::Vector3d expected =
      0.5 * Eigen::Vector3d(std::cos(first), std::sin(first) * std::cos(second), std::sin(first) * std::sin(second));
  EXPECT_LE((apply(*layer, z) - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(HpLaw, PointsOfTheSetStayAndOthersReachTheBoundary) {
  const Set set = CappedSimplex(6, 0.4);
  const auto layer = make_layer<double>(set, Hp{.training_steps = 100});
  const Projection<double> hard(set, HardRadial{});
  const Eigen::VectorXd inside =
      hard.anchor().point + 0.01 * (Eigen::VectorXd::Unit(6, 0) - Eigen::VectorXd::Unit(6, 1));
  EXPECT_LE((apply(*layer, inside) - inside).cwiseAbs().maxCoeff(), 1e-14);
  support::RandomPoints random(10);
  for (int trial = 0; trial < 10; ++trial) {
    const Eigen::VectorXd x = apply(*layer, 3 * random.gaussian(6));
    std::vector<double> slacks(set->num_inequalities());
    set->slacks({x.data(), 6}, slacks);
    const double least = *std::min_element(slacks.begin(), slacks.end());
    EXPECT_GE(least, 0);
    EXPECT_LE(least, 1e-9);
  }
}

// Training pays: more of the ball's image lies inside and near the boundary than of the ball that training starts from.
TEST(HpLaw, TrainingMovesPointsLess) {
  const Set set = Box(Eigen::VectorXd::Constant(4, -1), Eigen::Vector4d(1, 5, 1, 5));
  const auto raw = make_layer<double>(set, Hp{.training_steps = 0});
  const auto trained = make_layer<double>(set, Hp{.training_steps = 600});
  support::RandomPoints random(11);
  double before = 0;
  double after = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const Eigen::VectorXd u = Eigen::Vector4d(0, 2, 0, 2) + 4 * random.gaussian(4);
    before += (apply(*raw, u) - u).norm();
    after += (apply(*trained, u) - u).norm();
  }
  EXPECT_LT(after, before);
}

// Above (1 + momentum) / n the steps along the broken sum overshoot by more than they correct (docs/methods/dc3.md).
TEST(Dc3Law, TheDefaultRateConvergesWhereATenthDiverges) {
  support::RandomPoints random(13);
  const Set set = CappedSimplex(100, 0.05);
  ViolationMeter meter(set);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::VectorXd u = random.gaussian(100);
    const auto broken = [&](const Dc3& method) {
      const Eigen::VectorXd x = apply(*make_layer<double>(set, method), u);
      return meter.penalty({x.data(), 100});
    };
    const double before = broken({.steps = 0});
    EXPECT_LT(broken({}), before);
    EXPECT_GT(broken({.learning_rate = 0.1}), before);
  }
}

// Linear constraints in closed form, curved ones by differences: both against differences of the whole.
TEST(PenaltyLaw, GradientIsThatOfFiniteDifferences) {
  support::RandomPoints random(12);
  for (const auto& named : support::set_zoo()) {
    ViolationMeter meter(named.set);
    for (int trial = 0; trial < 5; ++trial) {
      const Eigen::VectorXd x = 3 * random.gaussian(named.set.dim());
      Eigen::VectorXd gradient = Eigen::VectorXd::Zero(x.size());
      meter.add_penalty_gradient(1, {x.data(), named.set.dim()}, {gradient.data(), named.set.dim()});
      const auto value = [&](const Eigen::VectorXd& at) {
        return Eigen::VectorXd::Constant(1, meter.penalty({at.data(), named.set.dim()})).eval();
      };
      const auto report = support::check_cotangent(value, x, Eigen::VectorXd::Ones(1), gradient);
      EXPECT_LE(report.error, 1e-7) << named.name;
    }
  }
}

TEST(PenaltyLaw, IsTheSumOfSquaredViolations) {
  const Set set = CappedSimplex(3, 0.5);
  const std::vector<double> x = {0.7, -0.1, 0.5};
  EXPECT_NEAR(ViolationMeter(set).penalty(x), 0.2 * 0.2 + 0.1 * 0.1 + 0.1 * 0.1, 1e-15);
  EXPECT_NEAR(ViolationMeter(set)(x).inequality, 0.2, 1e-15);
}

// x = u0 + phi d is rounded as the anchor is: where x is small beside it, an equality is off by more than the ulps of x. That is
// no violation; a point that is off by a hundred times as much has one.
template <class T>
void expect_rounding_of_the_anchor(double size) {
  support::RandomPoints random(3);
  const Eigen::Vector3d anchor(1000.0 / 3, 2000.0 / 7, -1000.0 / 3 - 2000.0 / 7);
  const Set set = Intersection(
      {Box(anchor.array() - 5000, anchor.array() + 5000),
       Polyhedron(Eigen::MatrixXd(0, 3), Eigen::VectorXd(0), Eigen::RowVector3d::Ones(), Eigen::VectorXd::Zero(1))});
  const Projection<T> layer(set.with_anchor(anchor), HardRadial{});
  ViolationMeter meter(set.with_anchor(anchor));
  const double ulp = std::numeric_limits<T>::epsilon();
  double largest = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Matrix<T, 3, 1> u = (size * random.gaussian(3)).template cast<T>();
    const std::vector<T> row = layer({u.data(), 1, 3});
    Eigen::Vector3d x(row[0], row[1], row[2]);
    largest = std::max(largest, std::abs(x.sum()) / x.cwiseAbs().sum());
    EXPECT_EQ(meter.beyond_rounding({x.data(), 3}, ulp), 0) << x.transpose();
    x[0] += 1e5 * ulp;
    EXPECT_GT(meter.beyond_rounding({x.data(), 3}, ulp), 0) << x.transpose();
  }
  EXPECT_GT(largest, 100 * ulp);
}

TEST(ViolationLaw, TheRoundingOfTheAnchorIsNone) {
  expect_rounding_of_the_anchor<double>(1e-6);
  expect_rounding_of_the_anchor<double>(1e-12);
  expect_rounding_of_the_anchor<float>(10);
  expect_rounding_of_the_anchor<float>(1e-3);  // x of the size of its own rounding
}

}  // namespace
}  // namespace softradial
