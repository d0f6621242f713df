#pragma once

#include <functional>

#include "learning/learning_task.hpp"
#include "softradial/layer.hpp"

namespace softradial::study {

// A constraint layer as a learning task uses it: u -> x, with the sample's own right-hand sides and anchor where there are any.
struct SampleLayer {
  std::function<at::Tensor(const at::Tensor& u, const Samples& samples, bool training)> apply;
  int64_t input_dim = 0;
};

// Throws InvalidSet where the method does not take the set, or no right-hand sides of samples.
//
// On sets whose equalities have right-hand sides of their own, the orthogonal projection is the library's quadratic programme,
// and soft orthogonal what docs/math/soft_orthogonal.md says it is: the gauge map whose anchor is the nearest point of the set
// shrunk by delta, with lambda = 1 / kappa.
[[nodiscard]] SampleLayer sample_layer(const LearningTask& task, const LayerMethod& method);

}  // namespace softradial::study
