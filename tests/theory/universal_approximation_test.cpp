// Theorem "Universal approximation on C" and the remark on approximation stability: p o g comes within epsilon of any
// continuous target into C, targets that touch the boundary included, and inherits g's uniform error times a Lipschitz
// constant of p.

#include <algorithm>
#include <cmath>
#include <functional>

#include "reference/exact_judge.hpp"
#include "reference/orthogonal_projection.hpp"
#include "softradial/sets.hpp"
#include "theory/on_several_sets.hpp"

namespace softradial::theory {
namespace {

// A continuous curve [0, 1] -> C that follows the boundary for a while.
struct Target {
  const char* name;
  Set set;
  std::function<VectorXd(double)> curve;
};

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

VectorXd oval(double z, double a, double b) { return vec({a * std::cos(6.2832 * z), b * std::sin(6.2832 * z)}); }

std::vector<Target> targets() {
  const MatrixXd triangle = (MatrixXd(3, 2) << -1, 0, 0, -1, 1, 1).finished();
  return {{"disc", Ball(VectorXd::Zero(2), 1),
           [](double z) { return reference::nearest_in_ball(oval(z, 1.4, 0.8), VectorXd::Zero(2), 1); }},
          {"triangle", Polyhedron(triangle, vec({0, 0, 1})), [triangle](double z) {
             return reference::nearest_in_polyhedron(vec({0.3, 0.3}) + oval(z, 0.5, 0.4), triangle, vec({0, 0, 1}));
           }}};
}

// g(z) = g_0 + sum_i c_i max(0, z - z_i): one hidden layer of ReLU units with knots z_i = i / units, its weights chosen so
// that it interpolates a function at the knots.
class ReluNetwork {
 public:
  ReluNetwork(const std::function<VectorXd(double)>& function, int units) : units_(units), start_(function(0)) {
    VectorXd slope = VectorXd::Zero(start_.size());
    for (int i = 0; i < units; ++i) {
      const VectorXd next = (function(knot(i + 1)) - function(knot(i))) * units;
      weights_.push_back(next - slope);
      slope = next;
    }
  }
  [[nodiscard]] VectorXd operator()(double z) const {
    VectorXd value = start_;
    for (int i = 0; i < units_; ++i) value += std::max(0.0, z - knot(i)) * weights_[static_cast<std::size_t>(i)];
    return value;
  }

 private:
  [[nodiscard]] double knot(int i) const { return static_cast<double>(i) / units_; }
  int units_;
  VectorXd start_;
  std::vector<VectorXd> weights_;
};

constexpr int kGrid = 1500;

double sup_distance(const std::function<VectorXd(double)>& f, const std::function<VectorXd(double)>& g) {
  double largest = 0;
  for (int k = 0; k <= kGrid; ++k) {
    const double z = static_cast<double>(k) / kGrid;
    largest = std::max(largest, (f(z) - g(z)).norm());
  }
  return largest;
}

class UniversalApproximation : public ::testing::TestWithParam<Target> {};

// The proof, step by step: shrink the target towards the anchor by tau = epsilon / 2D, pull it back through p, approximate
// the pull-back by a network, push it forward.
TEST_P(UniversalApproximation, ByTheConstructionOfTheProof) {
  const Target& target = GetParam();
  support::PointLayer soft(target.set);
  const VectorXd u0 = soft.anchor();
  const double reach = sup_distance(target.curve, [&](double) { return u0; });
  for (const double epsilon : {0.2, 0.05, 0.01}) {
    SCOPED_TRACE(epsilon);
    const double tau = std::min(0.5, epsilon / (2 * reach));
    const auto shrunk = [&](double z) -> VectorXd { return u0 + (1 - tau) * (target.curve(z) - u0); };
    const auto pulled_back = [&](double z) { return soft.inverse(shrunk(z)); };
    EXPECT_LE(sup_distance(shrunk, target.curve), epsilon / 2 + 1e-12);

    int units = 16;
    double error = std::numeric_limits<double>::infinity();
    for (; units <= 1024 && error > epsilon / 2; units *= 2) {
      const ReluNetwork network(pulled_back, units);
      const auto predictor = [&](double z) { return soft.project(network(z)); };
      error = sup_distance(predictor, shrunk);
      if (error <= epsilon / 2) {
        EXPECT_LE(sup_distance(predictor, target.curve), epsilon);
      }
    }
    EXPECT_LE(error, epsilon / 2) << "with " << units / 2 << " units";
  }
}

// The target itself touches the boundary, where p never arrives: the distance that remains is real and positive.
TEST_P(UniversalApproximation, TargetTouchesTheBoundary) {
  const Target& target = GetParam();
  support::PointLayer soft(target.set);
  support::GaugeProbe gauge(target.set, soft.projection().anchor());
  double largest = 0;
  for (int k = 0; k <= kGrid; ++k) {
    largest = std::max(largest, gauge.value(target.curve(static_cast<double>(k) / kGrid) - soft.anchor()));
  }
  EXPECT_NEAR(largest, 1, 1e-9);
}

// A small network trained end to end by gradients through the layer: 24 tanh units, Adam, squared error.
class TrainedNetwork {
 public:
  explicit TrainedNetwork(unsigned seed) : parameters_(kUnits * 4 + 2), mean_(parameters_.size()), square_(mean_) {
    support::RandomPoints random(seed);
    for (Eigen::Index i = 0; i < kUnits; ++i) {
      parameters_[i] = 12 * random.uniform(-1, 1);                            // input weight
      parameters_[kUnits + i] = -parameters_[i] * random.uniform(0, 1);       // bias: the unit turns inside [0, 1]
      parameters_.segment(2 * kUnits + 2 * i, 2) = 0.3 * random.gaussian(2);  // output weights
    }
    parameters_.tail(2).setZero();
    mean_.setZero();
    square_.setZero();
  }

  [[nodiscard]] VectorXd operator()(double z) const { return outputs() * hidden(z) + parameters_.tail(2); }

  void accumulate(double z, const VectorXd& grad_u, VectorXd& gradient) const {
    const VectorXd h = hidden(z);
    const VectorXd grad_pre = (outputs().transpose() * grad_u).array() * (1 - h.array().square());
    gradient.head(kUnits) += z * grad_pre;
    gradient.segment(kUnits, kUnits) += grad_pre;
    Eigen::Map<MatrixXd>(gradient.data() + 2 * kUnits, 2, kUnits) += grad_u * h.transpose();
    gradient.tail(2) += grad_u;
  }

  void step(const VectorXd& gradient, double rate) {
    mean_ = 0.9 * mean_ + 0.1 * gradient;
    square_ = 0.999 * square_ + 0.001 * gradient.cwiseAbs2();
    ++steps_;
    const double mean_bias = 1 - std::pow(0.9, steps_), square_bias = 1 - std::pow(0.999, steps_);
    parameters_.array() -= rate * (mean_ / mean_bias).array() / ((square_ / square_bias).array().sqrt() + 1e-9);
  }

  [[nodiscard]] Eigen::Index size() const { return parameters_.size(); }

 private:
  static constexpr Eigen::Index kUnits = 24;

  [[nodiscard]] VectorXd hidden(double z) const {
    return (z * parameters_.head(kUnits) + parameters_.segment(kUnits, kUnits)).array().tanh();
  }
  [[nodiscard]] Eigen::Map<const MatrixXd> outputs() const { return {parameters_.data() + 2 * kUnits, 2, kUnits}; }

  VectorXd parameters_, mean_, square_;
  int steps_ = 0;
};

TEST_P(UniversalApproximation, ByTrainingThroughTheLayer) {
  constexpr double kEpsilon = 0.15;
  const Target& target = GetParam();
  support::PointLayer soft(target.set);
  TrainedNetwork network(5);
  const auto predictor = [&](double z) { return soft.project(network(z)); };
  EXPECT_GT(sup_distance(predictor, target.curve), 2 * kEpsilon);

  constexpr int kPoints = 80;
  std::vector<VectorXd> values;
  for (int k = 0; k <= kPoints; ++k) values.push_back(target.curve(static_cast<double>(k) / kPoints));
  for (int epoch = 0; epoch < 4000; ++epoch) {
    VectorXd gradient = VectorXd::Zero(network.size());
    for (int k = 0; k <= kPoints; ++k) {
      const double z = static_cast<double>(k) / kPoints;
      const VectorXd u = network(z);
      network.accumulate(z, soft.vjp(u, soft.project(u) - values[static_cast<std::size_t>(k)]), gradient);
    }
    network.step(gradient / kPoints, 0.05 * std::exp(-epoch / 1500.0));
  }
  EXPECT_LE(sup_distance(predictor, target.curve), kEpsilon);

  const reference::ExactJudge judge(target.set, soft.hull());
  for (int k = 0; k <= kGrid; ++k) {
    const VectorXd x = predictor(static_cast<double>(k) / kGrid);
    EXPECT_TRUE(judge.judge(std::span<const double>(x.data(), 2)).inside);
  }
}

INSTANTIATE_TEST_SUITE_P(Theory, UniversalApproximation, ::testing::ValuesIn(targets()),
                         [](const auto& target) { return target.param.name; });

class ApproximationStability : public OnSeveralSets {};

// sup |p(g) - p(phi)| <= L_K sup |g - phi| for K the ball of radius R around u0. From p = u0 + r (q - u0):
//   L_K <= 1 + R/delta + R sup_t 2 t r'(t^2).
TEST_P(ApproximationStability, ErrorsGrowByNoMoreThanTheLipschitzConstant) {
  for (const SoftRadial& method : contractions()) {
    SCOPED_TRACE(name_of(method.contraction));
    support::PointLayer soft = layer(method);
    const double radius = 3;
    long double steepest = 0;
    for (long double t = 0; t < 10; t += 0.001L) {
      steepest = std::max(steepest, 2 * t * reference::contraction_slope(method, t * t));
    }
    const double constant = 1 + radius / delta_ + 1.01 * radius * static_cast<double>(steepest);
    for (const double error : {0.5, 0.01, 1e-5}) {
      double base = 0, constrained = 0;
      for (int k = 0; k < 100; ++k) {
        const VectorXd phi = point(random_.uniform(0, radius - error));
        const VectorXd g = phi + random_.uniform(0, error) * random_.unit_on(anchor_.hull);
        base = std::max(base, (g - phi).norm());
        constrained = std::max(constrained, (soft.project(g) - soft.project(phi)).norm());
      }
      EXPECT_LE(constrained, constant * base);
      EXPECT_GT(constrained, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Theory, ApproximationStability, ::testing::ValuesIn(several_sets()), support::NameOfSet());

}  // namespace
}  // namespace softradial::theory
