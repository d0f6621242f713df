#include "learning/sample_layer.hpp"

#include "softradial/nn.hpp"
#include "tasks/task_data.hpp"

namespace softradial::study {
namespace {

// The start of a network: for a layer that takes points, the anchor of the set if all samples share one. Far from a set with
// corners, a projection sends all points to the same corner, and the gradient is zero.
at::Tensor beginning(const LearningTask& task, const LayerMethod& method) {
  const auto dim = static_cast<int64_t>(task.set.dim());
  const bool takes_points = !std::holds_alternative<Rayen>(method) && !std::holds_alternative<RayScalar>(method) &&
                            !std::holds_alternative<Mirror>(method) && !std::holds_alternative<Softmax>(method) &&
                            !std::holds_alternative<Hop>(method);
  if (task.E.defined() || !takes_points) return {};
  return to_tensor(require_anchor(task.set).point.transpose(), at::kFloat).reshape({dim});
}

template <class Module>
SampleLayer layer_of(Module module, const LearningTask& task, const LayerMethod& method, int64_t input_dim) {
  const at::Tensor begin = beginning(task, method);
  const auto apply = [module, begin](const at::Tensor& u, const Samples& samples, bool training) mutable {
    module->train(training);
    return module(begin.defined() ? u + begin : u, nn::SampleTensors{.f = samples.f, .anchor = samples.anchors});
  };
  return {apply, input_dim};
}

}  // namespace

// The radial methods use their own modules, which are faster.
SampleLayer sample_layer(const LearningTask& task, const LayerMethod& method) {
  const auto dim = static_cast<int64_t>(task.set.dim());
  if (const auto* m = std::get_if<SoftRadial>(&method)) {
    return layer_of(nn::SoftRadial(task.set, nn::SoftRadialOptions{m->contraction, m->lambda, m->epsilon}), task,
                    method, dim);
  }
  if (const auto* m = std::get_if<GaugeMap>(&method)) {
    return layer_of(nn::GaugeMap(task.set, nn::GaugeMapOptions{m->contraction, m->lambda}), task, method, dim);
  }
  if (std::holds_alternative<HardRadial>(method)) return layer_of(nn::HardRadial(task.set), task, method, dim);
  nn::ConstraintLayer module(task.set, method);
  return layer_of(module, task, method, module->input_dim());
}

}  // namespace softradial::study
