#include "training/adam.hpp"

#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "simd/training_kernels.hpp"

namespace softradial::study {
namespace {

template <class T>
void run(const AdamOptions& o, int64_t k, const at::Tensor& gradients, const Adam::State& state,
         const at::Tensor& values) {
  const auto steps = static_cast<double>(k);
  const kernels::AdamStep<T> step{.beta1 = static_cast<T>(o.beta1),
                                  .beta2 = static_cast<T>(o.beta2),
                                  .one_minus_beta1 = static_cast<T>(1 - o.beta1),
                                  .one_minus_beta2 = static_cast<T>(1 - o.beta2),
                                  .step = static_cast<T>(o.learning_rate / (1 - std::pow(o.beta1, steps))),
                                  .reciprocal_root = static_cast<T>(1 / std::sqrt(1 - std::pow(o.beta2, steps))),
                                  .epsilon = static_cast<T>(o.epsilon)};
  kernels::training_kernels<T>().adam_step(step, gradients.data_ptr<T>(), state.first_moment.data_ptr<T>(),
                                           state.second_moment.data_ptr<T>(), values.data_ptr<T>(), values.numel());
}

}  // namespace

Adam::Adam(const Parameters& parameters, const AdamOptions& options)
    : values_(parameters.values()),
      gradients_(parameters.gradients()),
      options_(options),
      state_{at::zeros_like(values_), at::zeros_like(values_), 0} {
  if (!(options.learning_rate > 0)) {
    throw std::invalid_argument("the learning rate must be positive, not " + std::to_string(options.learning_rate));
  }
}

void Adam::step() {
  ++state_.steps;
  if (values_.scalar_type() == at::kFloat) {
    run<float>(options_, state_.steps, gradients_, state_, values_);
  } else {
    run<double>(options_, state_.steps, gradients_, state_, values_);
  }
}

Adam::State Adam::state() const { return {state_.first_moment.clone(), state_.second_moment.clone(), state_.steps}; }

void Adam::set_state(const State& state) {
  if (state.first_moment.numel() != values_.numel() || state.second_moment.numel() != values_.numel()) {
    throw std::invalid_argument("adam: moments of " + std::to_string(state.first_moment.numel()) +
                                " parameters for a model of " + std::to_string(values_.numel()));
  }
  state_.first_moment.copy_(state.first_moment);
  state_.second_moment.copy_(state.second_moment);
  state_.steps = state.steps;
}

}  // namespace softradial::study
