// The quadratic programme layer: optimality conditions, gradients to all data, bad input.
#include "softradial/qp_layer.hpp"

#include <gtest/gtest.h>

#include "softradial/errors.hpp"
#include "support/cotangent_checker.hpp"
#include "support/random_points.hpp"

namespace softradial {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Data {
  MatrixXd Q, G, A;
  VectorXd h, b;
};

MatrixXd gaussian(Index rows, Index columns, support::RandomPoints& random) {
  MatrixXd out(rows, columns);
  for (Index i = 0; i < rows; ++i) out.row(i) = random.gaussian(static_cast<std::size_t>(columns)).transpose();
  return out;
}

Data random_data(Index n, Index m, Index k, std::uint64_t seed) {
  support::RandomPoints random(seed);
  Data d;
  const MatrixXd root = gaussian(n, n, random);
  d.Q = root * root.transpose() / static_cast<double>(n) + 0.5 * MatrixXd::Identity(n, n);
  d.G = gaussian(m, n, random);
  d.A = gaussian(k, n, random);
  const VectorXd inside = random.gaussian(static_cast<std::size_t>(n));
  d.h = d.G * inside + VectorXd::Constant(m, 0.3);
  d.b = d.A * inside;
  return d;
}

TEST(QpLayer, SolutionsMeetTheOptimalityConditions) {
  for (const auto& [n, m, k] :
       {std::tuple<Index, Index, Index>{3, 5, 1}, {10, 30, 3}, {50, 200, 0}, {6, 0, 2}, {4, 0, 0}}) {
    const Data d = random_data(n, m, k, 17);
    const QpLayer layer(d.Q, d.G, d.h, d.A, d.b);
    support::RandomPoints random(5);
    for (const double scale : {1.0, 30.0, 1e4}) {
      const MatrixXd p = scale * gaussian(n, 7, random);
      const auto at = layer.solve(p);
      EXPECT_EQ(at.unsolved, 0U);
      MatrixXd stationarity = d.Q * at.x + p;
      if (m > 0) stationarity += d.G.transpose() * at.duals;
      if (k > 0) stationarity += d.A.transpose() * at.prices;
      const double size = 1e-10 * (1 + scale) * static_cast<double>(n);
      EXPECT_LE(stationarity.cwiseAbs().maxCoeff(), size);
      if (k > 0) {
        EXPECT_LE(((d.A * at.x).colwise() - d.b).cwiseAbs().maxCoeff(), size);
      }
      if (m > 0) {
        const MatrixXd slack = (-(d.G * at.x)).colwise() + d.h;
        EXPECT_GE(slack.minCoeff(), -size);
        EXPECT_GE(at.duals.minCoeff(), 0);
        EXPECT_LE(slack.cwiseProduct(at.duals).cwiseAbs().maxCoeff(), size * (1 + at.duals.maxCoeff()));
      }
    }
  }
}

// All data in one vector: p, h, b, Q, G, A.
TEST(QpLayer, GradientsToAllDataAreThoseOfFiniteDifferences) {
  constexpr Index n = 4;
  constexpr Index m = 6;
  constexpr Index k = 1;
  const Data d = random_data(n, m, k, 23);
  support::RandomPoints random(6);
  const VectorXd p = 3 * random.gaussian(n);
  const VectorXd grad_x = random.gaussian(n);
  VectorXd all(n + m + k + n * n + m * n + k * n);
  all << p, d.h, d.b, d.Q.reshaped(), d.G.reshaped(), d.A.reshaped();
  const auto map = [&](const VectorXd& a) -> VectorXd {
    Index at = n + m + k;
    // The argument is symmetrised: a Q that is not symmetric is no Hessian.
    const MatrixXd Q = a.segment(at, n * n).reshaped(n, n);
    const MatrixXd G = a.segment(at + n * n, m * n).reshaped(m, n);
    const MatrixXd A = a.segment(at + n * n + m * n, k * n).reshaped(k, n);
    const QpLayer layer((Q + Q.transpose()) / 2, G, a.segment(n, m), A, a.segment(n + m, k));
    return layer.solve(a.head(n)).x;
  };
  const QpLayer layer(d.Q, d.G, d.h, d.A, d.b);
  const auto at = layer.solve(p);
  ASSERT_GT(at.duals.maxCoeff(), 0);
  const auto g = layer.vjp(at, grad_x);
  VectorXd cotangent(all.size());
  cotangent << g.p, g.h, g.b, g.Q.reshaped(), g.G.reshaped(), g.A.reshaped();
  const auto report = support::check_cotangent(map, all, grad_x, cotangent);
  EXPECT_GT(report.checked, all.size() / 2);
  EXPECT_LE(report.error, 1e-7);
}

TEST(QpLayer, RightHandSidesMayDifferFromSampleToSample) {
  const Data d = random_data(3, 4, 1, 31);
  const QpLayer layer(d.Q, d.G, d.h, d.A, d.b);
  support::RandomPoints random(8);
  const MatrixXd p = gaussian(3, 2, random);
  MatrixXd h = d.h.replicate(1, 2);
  h.col(1).array() += 0.1;
  const auto both = layer.solve(p, h, d.b.replicate(1, 2));
  const auto second = QpLayer(d.Q, d.G, h.col(1), d.A, d.b).solve(p.col(1));
  EXPECT_LE((both.x.col(1) - second.x).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(QpLayer, BadDataAreNamed) {
  const Data d = random_data(3, 2, 1, 41);
  EXPECT_THROW(QpLayer(-d.Q, d.G, d.h, d.A, d.b), InvalidSet);
  EXPECT_THROW(QpLayer(d.Q, d.G, VectorXd::Zero(3), d.A, d.b), ShapeError);
  MatrixXd zero_row = d.G;
  zero_row.row(1).setZero();
  EXPECT_THROW(QpLayer(d.Q, zero_row, d.h, d.A, d.b), InvalidSet);
  EXPECT_THROW(QpLayer(d.Q, d.G, d.h, d.A, d.b).solve(MatrixXd::Zero(2, 1)), ShapeError);
}

}  // namespace
}  // namespace softradial
