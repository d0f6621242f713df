#include "learning/learn.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "learning/sample_layer.hpp"
#include "models/mlp.hpp"
#include "softradial/violation.hpp"
#include "tasks/task_data.hpp"
#include "training/adam.hpp"

namespace softradial::study {
namespace {

using at::Tensor;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Returns the mean loss of a batch and writes the gradient of the model's parameters.
double loss_and_gradient(const LearningTask& task, const SampleLayer& layer, const Samples& batch, Mlp& model,
                         at::Generator& generator) {
  const at::AutoGradMode grad(true);
  const Tensor u = model.forward_training(batch.z, generator).detach().requires_grad_();
  const Tensor loss = task.loss(layer.apply(u, batch, true), batch).mean();
  model.backward(torch::autograd::grad({loss}, {u}).front().contiguous());
  return loss.item<double>();
}

void judge(const LearningTask& task, const Tensor& x, Learned& out) {
  ViolationMeter meter(task.set);
  const Table decisions = to_table(x);
  out.rows = decisions.rows();
  for (Eigen::Index i = 0; i < decisions.rows(); ++i) {
    const auto found = meter({decisions.row(i).data(), task.set.dim()});
    out.violation = std::max(out.violation, found.inequality);
    out.rows_violating += found.inequality > 0 ? 1 : 0;
    if (!task.E.defined()) out.equality = std::max(out.equality, found.equality);
  }
  if (!task.E.defined()) return;
  const Tensor residual = at::matmul(x.to(at::kDouble), task.E.t()) - task.test.f;
  out.equality = residual.abs().max().item<double>();
}

}  // namespace

Learned learn(const LearningTask& task, const LayerMethod& method, const LearnOptions& options) {
  const SampleLayer layer = sample_layer(task, method);
  Mlp model({.inputs = task.test.z.size(1),
             .hidden = task.hidden,
             .layers = 2,
             .outputs = layer.input_dim,
             .dropout = 0,
             .dtype = at::kFloat});
  at::Generator generator = at::detail::createCPUGenerator(options.seed);
  model.initialize(generator);
  Adam adam(model.parameters(), {.learning_rate = task.learning_rate});
  const int epochs = options.epochs > 0 ? options.epochs : task.epochs;
  const double steps = static_cast<double>(epochs) * static_cast<double>(task.batches);
  double step = 0;
  int done = 0;
  const Clock::time_point begin = Clock::now();
  while (done < epochs && !(options.stop != nullptr && options.stop->load())) {
    double sum = 0;
    for (int64_t b = 0; b < task.batches; ++b) {
      adam.set_learning_rate(task.learning_rate * (1 + std::cos(std::numbers::pi * step / steps)) / 2);
      sum += loss_and_gradient(task, layer, task.draw(generator), model, generator);
      adam.step();
      step += 1;
    }
    ++done;
    if (options.progress) options.progress(done, epochs, sum / static_cast<double>(task.batches));
  }
  Learned out;
  out.seconds_per_epoch = seconds_since(begin) / std::max(done, 1);
  const at::NoGradGuard no_grad;
  const Clock::time_point deciding = Clock::now();
  const Tensor x = layer.apply(model.forward(task.test.z), task.test, false);
  out.milliseconds = 1e3 * seconds_since(deciding);
  out.gap = task.gap(x);
  judge(task, x, out);
  return out;
}

}  // namespace softradial::study
