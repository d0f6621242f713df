#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "softradial/set.hpp"

// Problems on which networks learn to decide: from z to the best x of a set. They are drawn as the papers describe that
// introduced them (docs/benchmarks.md), the same draw for every method.
namespace softradial::study {

// Rows of a problem. All tensors have as many rows; single precision.
struct Samples {
  at::Tensor z;        // what the network sees
  at::Tensor f;        // right-hand sides of the equalities; undefined: those of the set
  at::Tensor anchors;  // points inside each sample's set; undefined: the set's own
  at::Tensor data;     // what the loss knows besides
};

struct LearningTask {
  std::string name;
  std::string what;       // in a line
  std::string measure;    // what `gap` is relative to
  std::string published;  // the best number that a paper states for the task, with its source; empty: none
  Set set;                // with any right-hand sides of the equalities, if samples have their own
  at::Tensor E = {};      // of the equalities E y = f, (k, n), double, if samples have right-hand sides of their own
  int64_t hidden = 64;    // of the network's two hidden layers
  double learning_rate = 1e-3;
  int64_t batches = 0;                                         // in an epoch
  int epochs = 1;                                              // of the quick comparison
  std::function<Samples(at::Generator& generator)> draw = {};  // one batch for the training
  Samples test = {};
  // Of each row, (rows): what is trained, as a mean. Differentiable in x.
  std::function<at::Tensor(const at::Tensor& x, const Samples& samples)> loss = {};
  // Of the decisions on the test: 0 the optimum.
  std::function<double(const at::Tensor& x)> gap = {};
};

// linear, quadratic: decisions on a capped simplex of 20 weights, costs from noisy features. gap: 1 at equal weight.
// dc3, dc3_sin: DC3's convex and non-convex quadratic programme, 100 variables, 50 equalities with the right-hand side z.
// mpc: Pinet's toy control problem, 82 variables, 42 equalities. path: smooth ways through a corridor, as RAYEN's.
[[nodiscard]] std::vector<std::string> learning_task_names();
// Throws std::invalid_argument for another name. `world` chooses the draw of the problem itself.
[[nodiscard]] LearningTask learning_task(std::string_view name, uint64_t world);

}  // namespace softradial::study
