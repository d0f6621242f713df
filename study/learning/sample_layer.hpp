#pragma once

#include <functional>

#include "learning/learning_task.hpp"
#include "softradial/layer.hpp"

namespace softradial::study {

// A constraint layer as a learning task uses it: u -> x, with the sample's own right-hand sides and anchor if it has any.
struct SampleLayer {
  std::function<at::Tensor(const at::Tensor& u, const Samples& samples, bool training)> apply;
  int64_t input_dim = 0;
};

// Throws InvalidSet if the method does not accept the set.
[[nodiscard]] SampleLayer sample_layer(const LearningTask& task, const LayerMethod& method);

}  // namespace softradial::study
