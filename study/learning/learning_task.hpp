#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "softradial/set.hpp"

// Problems on which networks learn to decide: they map z to the best x of a set. The problems are drawn as in the papers that
// introduced them (docs/benchmarks.md), with the same draw for every method.
namespace softradial::study {

// Samples of a problem. All tensors have the same number of rows and are in single precision.
struct Samples {
  at::Tensor z;        // input of the network
  at::Tensor f;        // right-hand sides of the equalities; undefined: the set's own
  at::Tensor anchors;  // points inside each sample's set; undefined: the set's own
  at::Tensor data;     // further data for the loss
};

struct LearningTask {
  std::string name;
  std::string what;       // description in a line
  std::string measure;    // what the gap is relative to
  std::string published;  // the best number that a paper states for the task, with its source; empty: none
  Set set;                // if samples have their own right-hand sides, those in this set are arbitrary
  at::Tensor E = {};      // E of E y = f, (k, n), in double, if samples have their own right-hand sides
  int64_t hidden = 64;    // width of the network's two hidden layers
  double learning_rate = 1e-3;
  int64_t batches = 0;                                         // batches in an epoch
  int epochs = 1;                                              // epochs of the quick comparison
  std::function<Samples(at::Generator& generator)> draw = {};  // draws one batch for training
  Samples test = {};
  // The loss of each row, (rows), whose mean is trained. Differentiable in x.
  std::function<at::Tensor(const at::Tensor& x, const Samples& samples)> loss = {};
  // The gap of the decisions on the test; 0 at the optimum.
  std::function<double(const at::Tensor& x)> gap = {};
};

// linear, quadratic: decisions on a capped simplex of 20 weights, costs from noisy features. The gap is 1 at equal weight.
// dc3, dc3_sin: DC3's convex and non-convex quadratic programme, 100 variables, 50 equalities with the right-hand side z.
// mpc: Pinet's toy control problem, 82 variables, 42 equalities. path: smooth paths through a corridor, as in RAYEN.
[[nodiscard]] std::vector<std::string> learning_task_names();
// Throws std::invalid_argument for an unknown name. `world` chooses the draw of the problem itself.
[[nodiscard]] LearningTask learning_task(std::string_view name, uint64_t world);

}  // namespace softradial::study
