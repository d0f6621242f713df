// Proposition "Convergence of stochastic gradient descent", both regimes.

#include <algorithm>
#include <cmath>
#include <functional>

#include "softradial/sets.hpp"
#include "support/batch.hpp"
#include "theory/on_several_sets.hpp"

namespace softradial::theory {
namespace {

using support::Batch;

// Smooth regime: u = W z + b with z standard normal in the plane, l = |x - y(z)|^2 / 2 with y(z) = (tanh z_1, z_2 / 4),
// theta = (W, b). F is smooth because z has a density; its gradient is taken over a large fixed sample.
class LinearModel {
 public:
  explicit LinearModel(const Set& set) : layer_(set, SoftRadial{}), workspace_(layer_.make_workspace()) {}

  // The mean over the columns of z of the gradient with respect to theta = (W by columns, b).
  VectorXd gradient(const VectorXd& theta, const MatrixXd& z) {
    const MatrixXd u = (Eigen::Map<const MatrixXd>(theta.data(), 2, 2) * z).colwise() + theta.tail(2);
    MatrixXd x(2, z.cols()), grad_u(2, z.cols());
    const auto count = static_cast<std::size_t>(z.cols());
    layer_.project({u.data(), count, 2}, {x.data(), count, 2}, workspace_);
    MatrixXd grad_x = x;
    grad_x.row(0).array() -= z.row(0).array().tanh();
    grad_x.row(1) -= z.row(1) / 4;
    layer_.project_vjp({u.data(), count, 2}, {grad_x.data(), count, 2}, {grad_u.data(), count, 2}, workspace_);
    VectorXd result(6);
    Eigen::Map<MatrixXd>(result.data(), 2, 2) = grad_u * z.transpose() / static_cast<double>(z.cols());
    result.tail(2) = grad_u.rowwise().mean();
    return result;
  }

 private:
  Projection<double> layer_;
  Workspace<double> workspace_;
};

MatrixXd normal_columns(support::RandomPoints& random, Eigen::Index count) {
  MatrixXd z(2, count);
  for (Eigen::Index k = 0; k < count; ++k) z.col(k) = random.gaussian(2);
  return z;
}

class ConvergenceOfSgd : public ::testing::TestWithParam<support::NamedSet> {};

// min over t < T of E |grad F(theta_t)|^2, times sqrt(T), stays bounded as T grows, with steps of 1/sqrt(T). The
// expectation is a mean over runs; the minimum is taken over some of the iterates only, which can but increase it.
TEST_P(ConvergenceOfSgd, SmoothRegimeHasRateOneOverRootT) {
  constexpr int kRuns = 8;
  constexpr int kCheckpoints = 32;
  support::RandomPoints random(2);
  LinearModel model(GetParam().set);
  const MatrixXd many = normal_columns(random, 2000);
  const VectorXd start = vec({-2, 1, 0.5, -1.5, 1, -1});

  std::vector<double> measure;
  for (const int steps : {64, 256, 1024, 4096}) {
    std::vector<double> squared_norms(kCheckpoints, 0);
    for (int run = 0; run < kRuns; ++run) {
      VectorXd theta = start;
      for (int t = 0; t < steps; ++t) {
        const int stride = steps / kCheckpoints;
        if (t % stride == 0) {
          squared_norms[static_cast<std::size_t>(t / stride)] += model.gradient(theta, many).squaredNorm() / kRuns;
        }
        theta -= 8 / std::sqrt(static_cast<double>(steps)) * model.gradient(theta, normal_columns(random, 1));
      }
    }
    measure.push_back(*std::min_element(squared_norms.begin(), squared_norms.end()));
  }
  EXPECT_GT(model.gradient(start, many).squaredNorm(), 4 * measure.front());
  const double constant = measure.front() * std::sqrt(64.0);
  EXPECT_LT(measure[1] * std::sqrt(256.0), 1.5 * constant);
  EXPECT_LT(measure[2] * std::sqrt(1024.0), 1.5 * constant);
  EXPECT_LT(measure[3] * std::sqrt(4096.0), 1.5 * constant);
}

INSTANTIATE_TEST_SUITE_P(Theory, ConvergenceOfSgd,
                         ::testing::ValuesIn(support::from_zoo({"triangle", "ellipsoid",
                                                                "intersection_polyhedron_ellipsoid"})),
                         support::NameOfSet());

// The shortest vector in the convex hull of the columns, by Frank and Wolfe's method.
double distance_of_hull_from_zero(const MatrixXd& columns) {
  VectorXd point = columns.rowwise().mean();
  for (int k = 0; k < 5000; ++k) {
    Eigen::Index best = 0;
    (columns.transpose() * point).minCoeff(&best);
    const VectorXd step = columns.col(best) - point;
    if (step.squaredNorm() == 0) break;
    point += std::clamp(-point.dot(step) / step.squaredNorm(), 0.0, 1.0) * step;
  }
  return point.norm();
}

// Nonsmooth regime: five data points, u = theta + z_i, l = |x - y|_1, kinks of the loss and of p everywhere. The Clarke
// subdifferential at theta is approximated from outside by the convex hull of gradients in a small ball.
class FiveKinks {
 public:
  explicit FiveKinks(const Set& set) : layer_(set), target_(layer_.anchor() + 0.1 * vec({1, -0.5})) {}

  VectorXd gradient(const VectorXd& theta, int datum) {
    const VectorXd u = theta + data_.col(datum);
    return layer_.vjp(u, (layer_.project(u) - target_).cwiseSign());
  }
  VectorXd full_gradient(const VectorXd& theta) {
    VectorXd sum = VectorXd::Zero(2);
    for (int i = 0; i < 5; ++i) sum += gradient(theta, i) / 5;
    return sum;
  }
  double clarke_distance(const VectorXd& theta, double radius, support::RandomPoints& random) {
    MatrixXd samples(2, 300);
    for (int k = 0; k < 300; ++k) samples.col(k) = full_gradient(theta + random.uniform(0, radius) * random.unit(2));
    return distance_of_hull_from_zero(samples);
  }

 private:
  support::PointLayer layer_;
  VectorXd target_;
  MatrixXd data_ = (MatrixXd(2, 5) << 0.4, -0.3, 0.1, -0.6, 0.2, 0.1, 0.5, -0.7, -0.2, 0.3).finished();
};

class ConvergenceToClarkeStationarity : public ::testing::TestWithParam<support::NamedSet> {};

TEST_P(ConvergenceToClarkeStationarity, NonsmoothRegime) {
  support::RandomPoints random(4);
  FiveKinks problem(GetParam().set);
  VectorXd theta = vec({1.5, -2});
  const double before = problem.clarke_distance(theta, 0.01, random);
  for (int t = 0; t < 40000; ++t) {
    const int datum = static_cast<int>(random.uniform(0, 5));
    theta -= 0.5 / std::pow(t + 1.0, 0.75) * problem.gradient(theta, datum);
  }
  const double after = problem.clarke_distance(theta, 0.01, random);
  EXPECT_GT(before, 0.02);
  EXPECT_LT(after, 0.002);
}

INSTANTIATE_TEST_SUITE_P(Theory, ConvergenceToClarkeStationarity,
                         ::testing::ValuesIn(support::from_zoo({"ellipsoid_off_centre", "lmi_disc",
                                                                "intersection_polyhedron_ellipsoid"})),
                         support::NameOfSet());

}  // namespace
}  // namespace softradial::theory
