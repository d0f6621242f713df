#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "data/random.hpp"
#include "learning/learning_task.hpp"
#include "softradial/qp_layer.hpp"
#include "softradial/sets.hpp"
#include "tasks/task_data.hpp"

namespace softradial::study {
namespace {

using at::Tensor;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Tensor tensor_of(const MatrixXd& values) { return to_tensor(values, at::kFloat); }
MatrixXd matrix_of(const Tensor& values) { return to_table(values); }

MatrixXd normal(Random& random, Eigen::Index rows, Eigen::Index cols) {
  return MatrixXd::NullaryExpr(rows, cols, [&] { return random.normal(); });
}
MatrixXd uniform(Random& random, Eigen::Index rows, Eigen::Index cols, double low, double high) {
  return MatrixXd::NullaryExpr(rows, cols, [&] { return low + (high - low) * random.uniform(); });
}

// Draws rows of the training samples with replacement.
std::function<Samples(at::Generator&)> draw_from(Samples all, int64_t batch) {
  return [all = std::move(all), batch](at::Generator& generator) {
    const Tensor rows = at::randint(0, all.z.size(0), {batch}, generator, at::kLong);
    const auto chosen = [&](const Tensor& from) { return from.defined() ? from.index_select(0, rows) : Tensor(); };
    return Samples{chosen(all.z), chosen(all.f), chosen(all.anchors), chosen(all.data)};
  };
}

double mean_of(const Tensor& values) { return values.to(at::kDouble).mean().item<double>(); }

// ------------------------------------------------------------------------------------------------- decisions on a simplex

// Training sees the costs f(z) = tanh(z W1) W2 with noise; the test judges without noise.
//   linear      maximise c.x; the optimum fills the best assets to the cap
//   quadratic   minimise |x - t|^2, t = 1/n + (c - mean c) / 10; the optimum is t's projection
LearningTask simplex_task(bool linear, uint64_t world) {
  constexpr Eigen::Index kAssets = 20;
  constexpr Eigen::Index kFeatures = 10;
  constexpr Eigen::Index kUnits = 32;
  constexpr double kCap = 0.15;
  constexpr int64_t kBatch = 128;
  Random random(world, 0);
  const Tensor first = tensor_of(normal(random, kFeatures, kUnits) * 1.5 / std::sqrt(kFeatures));
  const Tensor second = tensor_of(normal(random, kUnits, kAssets) * 1.5 / std::sqrt(kUnits));
  const auto costs = [=](const Tensor& z) { return at::matmul(at::tanh(at::matmul(z, first)), second); };
  const auto target = [](const Tensor& c) { return 1.0 / kAssets + 0.1 * (c - c.mean(-1, true)); };
  const Tensor z = tensor_of(normal(random, 4000, kFeatures));
  const Tensor test_z = tensor_of(normal(random, 1000, kFeatures));
  const Tensor truth = costs(test_z);

  LearningTask task{.name = linear ? "linear" : "quadratic",
                    .what = linear ? "capped simplex, 20 weights, linear costs from noisy features"
                                   : "capped simplex, 20 weights, quadratic costs from noisy features",
                    .measure = "regret: 0 the optimum, 1 equal weight",
                    .published = "",
                    .set = CappedSimplex(kAssets, kCap),
                    .learning_rate = 3e-3,
                    .batches = 100,
                    .epochs = 5};
  task.draw = [=](at::Generator& generator) {
    const Tensor seen = z.index_select(0, at::randint(0, z.size(0), {kBatch}, generator, at::kLong));
    return Samples{seen, {}, {}, costs(seen) + at::randn({kBatch, kAssets}, generator, at::kFloat)};
  };
  task.test = {test_z, {}, {}, truth};
  if (linear) {
    task.loss = [](const Tensor& x, const Samples& s) { return -(s.data * x).sum(-1); };
    const Tensor sorted = std::get<0>(truth.sort(-1, true));
    const auto full = static_cast<int64_t>(1 / kCap);
    const double best = mean_of(kCap * sorted.slice(1, 0, full).sum(-1) +
                                (1 - static_cast<double>(full) * kCap) * sorted.select(1, full));
    task.gap = [=](const Tensor& x) { return (best - mean_of((truth * x).sum(-1))) / (best - mean_of(truth)); };
    return task;
  }
  task.loss = [=](const Tensor& x, const Samples& s) {
    return static_cast<double>(kAssets) * (x - target(s.data)).square().sum(-1);
  };
  // The optimum by the quadratic programme: min |x - t|^2, x on the simplex, 0 <= x <= cap.
  MatrixXd G(2 * kAssets, kAssets);
  G << MatrixXd::Identity(kAssets, kAssets), -MatrixXd::Identity(kAssets, kAssets);
  VectorXd h(2 * kAssets);
  h << VectorXd::Constant(kAssets, kCap), VectorXd::Zero(kAssets);
  const QpLayer programme(MatrixXd::Identity(kAssets, kAssets), G, h, MatrixXd::Ones(1, kAssets), VectorXd::Ones(1));
  const Tensor wanted = target(truth);
  const Tensor optimum = tensor_of(programme.solve(-matrix_of(wanted).transpose()).x.transpose());
  const double best = mean_of((optimum - wanted).square().sum(-1));
  const double anchor = mean_of((1.0 / kAssets - wanted).square().sum(-1));
  task.gap = [=](const Tensor& x) { return (mean_of((x - wanted).square().sum(-1)) - best) / (anchor - best); };
  return task;
}

// ------------------------------------------------------------------------------------------ programmes with E y = f(z)

// The number of samples of a programme; the last kTest are for the test.
constexpr Eigen::Index kSamples = 4096;
constexpr Eigen::Index kTest = 512;

void give_samples(LearningTask& task, const MatrixXd& z, const MatrixXd& f, const MatrixXd& anchors, int64_t batch) {
  const auto part = [](const MatrixXd& rows, bool test) {
    return tensor_of(test ? rows.bottomRows(kTest) : rows.topRows(rows.rows() - kTest));
  };
  task.draw = draw_from({part(z, false), part(f, false), part(anchors, false), {}}, batch);
  task.test = {part(z, true), part(f, true), part(anchors, true), {}};
}

// The difference of the mean objectives, relative to the size of the best one.
std::function<double(const Tensor&)> relative_gap(const std::function<Tensor(const Tensor&)>& objective,
                                                  const Tensor& optimum) {
  const double best = mean_of(objective(optimum.to(at::kDouble)));
  return [=](const Tensor& x) { return (mean_of(objective(x.to(at::kDouble))) - best) / std::abs(best); };
}

// min 1/2 y' diag(q) y + p.y   or, not convex,   1/2 y' diag(q) y + p.sin(y)     subject to E y = z, G y <= h.
// q, p uniform in [0, 1], E, G normal, z uniform in [-1, 1], h the row sums of |G E^+|: E^+ z is always feasible
// (Donti, Rolnick and Kolter 2021).
//
// The QP solver gives the optimum of the convex programme. The other optimum is a local one: with the bound sin(y) <= sin(y_k)
// + cos(y_k) (y - y_k) + (y - y_k)^2 / 2 in place of sin(y), the programme is solved again and again from the convex optimum,
// and its objective never rises.
LearningTask dc3_task(bool convex, uint64_t world) {
  constexpr Eigen::Index kVariables = 100;
  constexpr Eigen::Index kRows = 50;
  Random random(world, 1);
  const VectorXd q = uniform(random, kVariables, 1, 0, 1);
  const VectorXd p = uniform(random, kVariables, 1, 0, 1);
  const MatrixXd E = normal(random, kRows, kVariables);
  const MatrixXd G = normal(random, kRows, kVariables);
  const MatrixXd z = uniform(random, kSamples, kRows, -1, 1);
  const MatrixXd inverse = E.completeOrthogonalDecomposition().pseudoInverse();
  const VectorXd h = (G * inverse).cwiseAbs().rowwise().sum();
  const Tensor qt = to_tensor(q.transpose(), at::kDouble);
  const Tensor pt = to_tensor(p.transpose(), at::kDouble);
  const auto objective = [=](const Tensor& y) {
    return (0.5 * qt.to(y.scalar_type()) * y.square() + pt.to(y.scalar_type()) * (convex ? y : y.sin())).sum(-1);
  };
  LearningTask task{.name = convex ? "dc3" : "dc3_sin",
                    .what = convex ? "DC3's convex programme: 100 variables, 50 equalities E y = z, 50 inequalities"
                                   : "DC3's non-convex programme: the same with sin(y) in the objective",
                    .measure = convex ? "relative gap to the optimum" : "relative gap to a local optimum",
                    .published = convex ? "DC3 .106, objective -13.46 against -15.05 (Donti et al. 2021, table 1)"
                                        : "DC3 .080, objective -10.66 against -11.59 (Donti et al. 2021, table 2)",
                    .set = Polyhedron(G, h, E, VectorXd::Zero(kRows)),
                    .E = to_tensor(E, at::kDouble),
                    .hidden = 200,
                    .batches = 20,
                    .epochs = 3};
  give_samples(task, z, z, z * inverse.transpose(), 195);
  task.loss = [=](const Tensor& y, const Samples&) { return objective(y); };
  const MatrixXd right = z.bottomRows(kTest).transpose();
  const MatrixXd bounds = h.replicate(1, kTest);
  MatrixXd y = QpLayer(q.asDiagonal(), G, h, E, right.col(0)).solve(p.replicate(1, kTest), bounds, right).x;
  if (!convex) {
    constexpr int kSteps = 30;
    const QpLayer bound((q + p).asDiagonal(), G, h, E, right.col(0));
    for (int k = 0; k < kSteps; ++k) {
      const MatrixXd slopes = p.asDiagonal() * (y.array().cos().matrix() - y);
      y = bound.solve(slopes, bounds, right).x;
    }
  }
  task.gap = relative_gap(objective, to_tensor(y.transpose(), at::kDouble));
  return task;
}

// Positions x_0 .. x_20 and steps u_0 .. u_19 in the plane, x_0 = z, x_{t+1} = x_t - u_t, |x| <= 10, |u| <= 1. The loss is the
// squared distance to (3, -12), which lies outside, plus squared steps (Pinet's toy control problem).
LearningTask mpc_task(uint64_t world) {
  constexpr Eigen::Index kSteps = 20;
  constexpr Eigen::Index kPositions = 2 * (kSteps + 1);
  constexpr Eigen::Index kVariables = kPositions + 2 * kSteps;
  MatrixXd E = MatrixXd::Zero(kPositions, kVariables);
  E.leftCols(kPositions).setIdentity();
  for (Eigen::Index t = 0; t < kSteps; ++t) {
    for (Eigen::Index d = 0; d < 2; ++d) {
      E(2 * (t + 1) + d, 2 * t + d) = -1;
      E(2 * (t + 1) + d, kPositions + 2 * t + d) = 1;
    }
  }
  MatrixXd G(2 * kVariables, kVariables);
  G << MatrixXd::Identity(kVariables, kVariables), -MatrixXd::Identity(kVariables, kVariables);
  VectorXd reach(kVariables);
  reach << VectorXd::Constant(kPositions, 10), VectorXd::Ones(2 * kSteps);
  VectorXd h(2 * kVariables);
  h << reach, reach;
  VectorXd aim = VectorXd::Zero(kVariables);
  for (Eigen::Index t = 0; t <= kSteps; ++t) aim.segment(2 * t, 2) << 3, -12;
  Random random(world, 2);
  // Strictly inside, so that staying in place is strictly feasible.
  const MatrixXd z = uniform(random, kSamples, 2, -9.99, 9.99);
  MatrixXd f = MatrixXd::Zero(kSamples, kPositions);
  f.leftCols(2) = z;
  MatrixXd anchors = MatrixXd::Zero(kSamples, kVariables);
  anchors.leftCols(kPositions) = z.replicate(1, kSteps + 1);
  const Tensor goal = to_tensor(aim.transpose(), at::kDouble);
  const auto objective = [=](const Tensor& y) { return (y - goal.to(y.scalar_type())).square().sum(-1); };
  LearningTask task{.name = "mpc",
                    .what = "Pinet's toy control problem: 82 variables, 42 equalities, a box",
                    .measure = "relative gap to the optimum",
                    .published = "",
                    .set = Polyhedron(G, h, E, VectorXd::Zero(kPositions)),
                    .E = to_tensor(E, at::kDouble),
                    .hidden = 200,
                    .batches = 20,
                    .epochs = 3};
  give_samples(task, z, f, anchors, 195);
  task.loss = [=](const Tensor& y, const Samples&) { return objective(y); };
  const MatrixXd right = f.bottomRows(kTest).transpose();
  const QpLayer programme(2 * MatrixXd::Identity(kVariables, kVariables), G, h, E, right.col(0));
  task.gap = relative_gap(
      objective, to_tensor(programme.solve(-2 * aim.replicate(1, kTest), h.replicate(1, kTest), right).x.transpose(),
                           at::kDouble));
  return task;
}

// --------------------------------------------------------------------------------------------------- paths through a corridor

// Control points y_0 .. y_15 of a path in the plane through three rooms in turn. The points of a stretch lie in its room,
// those at a door in both. The ends are fixed. With weights a_k = e^z_k drawn for each sample, the path minimises sum_k a_k
// |D^k y|^2 over the differences of orders 1, 2, 3: short, straight or steady. In RAYEN's planning example (Tordesillas, How
// and Hutter 2023), too, the weights are the network's input and the corridor is fixed.
LearningTask path_task(uint64_t world) {
  constexpr Eigen::Index kPoints = 16;
  constexpr Eigen::Index kVariables = 2 * kPoints;
  constexpr Eigen::Index kOrders = 3;
  constexpr Eigen::Index kTests = 256;
  struct Room {
    Eigen::Index first, last;
    double left, right, low, high;
  };
  constexpr Room kRooms[] = {{0, 5, 0, 4, 0, 1.2}, {5, 10, 3, 4, 0, 4}, {10, 15, 3, 7, 3, 4}};
  std::vector<std::pair<VectorXd, double>> rows;
  for (const Room& room : kRooms) {
    for (Eigen::Index k = std::max<Eigen::Index>(room.first, 1); k <= std::min(room.last, kPoints - 2); ++k) {
      const double bounds[] = {room.right, -room.left, room.high, -room.low};
      for (int side = 0; side < 4; ++side) {
        rows.emplace_back((side % 2 == 0 ? 1.0 : -1.0) * VectorXd::Unit(kVariables, 2 * k + side / 2), bounds[side]);
      }
    }
  }
  MatrixXd G(static_cast<Eigen::Index>(rows.size()), kVariables);
  VectorXd h(G.rows());
  for (Eigen::Index i = 0; i < G.rows(); ++i) {
    G.row(i) = rows[static_cast<size_t>(i)].first.transpose();
    h[i] = rows[static_cast<size_t>(i)].second;
  }
  MatrixXd E = MatrixXd::Zero(4, kVariables);
  E.topLeftCorner(2, 2).setIdentity();
  E.bottomRightCorner(2, 2).setIdentity();
  const Eigen::Vector4d f(0.2, 1.0, 6.8, 3.1);
  // D^k as a matrix that acts on both coordinates.
  std::vector<MatrixXd> squares;
  MatrixXd difference = MatrixXd::Identity(kVariables, kVariables);
  for (Eigen::Index k = 0; k < kOrders; ++k) {
    difference = (difference.bottomRows(difference.rows() - 2) - difference.topRows(difference.rows() - 2)).eval();
    squares.emplace_back(difference.transpose() * difference);
  }
  std::vector<Tensor> forms;
  forms.reserve(squares.size());
  for (const MatrixXd& square : squares) forms.push_back(to_tensor(square, at::kDouble));
  const auto objective = [=](const Tensor& y, const Tensor& z) {
    Tensor sum = at::zeros({y.size(0)}, y.options());
    for (Eigen::Index k = 0; k < kOrders; ++k) {
      const Tensor& form = forms[static_cast<size_t>(k)];
      sum = sum + z.select(1, k).exp() * (at::matmul(y, form.to(y.scalar_type())) * y).sum(-1);
    }
    return sum;
  };
  Random random(world, 3);
  const MatrixXd z = uniform(random, 2000, kOrders, -2, 2);
  const MatrixXd test_z = uniform(random, kTests, kOrders, -2, 2);
  LearningTask task{.name = "path",
                    .what = "RAYEN's planning: a smooth way of 16 points through three rooms",
                    .measure = "relative gap to the optimum",
                    .published = "",
                    .set = Polyhedron(G, h, E, f),
                    .learning_rate = 3e-3,
                    .batches = 50,
                    .epochs = 5};
  task.draw = draw_from({tensor_of(z), {}, {}, {}}, 128);
  task.test = {tensor_of(test_z), {}, {}, {}};
  task.loss = [=](const Tensor& y, const Samples& s) { return objective(y, s.z); };
  MatrixXd optimum(kTests, kVariables);
  for (Eigen::Index i = 0; i < kTests; ++i) {
    // E'E is constant where E y = f: adding it changes no solution but makes Q positive definite, as the solver requires.
    MatrixXd Q = E.transpose() * E;
    for (Eigen::Index k = 0; k < kOrders; ++k) Q += 2 * std::exp(test_z(i, k)) * squares[static_cast<size_t>(k)];
    optimum.row(i) = QpLayer(Q, G, h, E, f).solve(MatrixXd::Zero(kVariables, 1)).x.col(0).transpose();
  }
  const Tensor weights = to_tensor(test_z, at::kDouble);
  task.gap = relative_gap([=](const Tensor& y) { return objective(y, weights); }, to_tensor(optimum, at::kDouble));
  return task;
}

}  // namespace

std::vector<std::string> learning_task_names() { return {"linear", "quadratic", "dc3", "dc3_sin", "mpc", "path"}; }

LearningTask learning_task(std::string_view name, uint64_t world) {
  if (name == "linear" || name == "quadratic") return simplex_task(name == "linear", world);
  if (name == "dc3" || name == "dc3_sin") return dc3_task(name == "dc3", world);
  if (name == "mpc") return mpc_task(world);
  if (name == "path") return path_task(world);
  throw std::invalid_argument("no learning task has the name " + std::string(name));
}

}  // namespace softradial::study
