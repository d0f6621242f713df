#pragma once

#include <ATen/core/Tensor.h>

#include "models/parameters.hpp"

namespace softradial::study {

struct AdamOptions {
  double learning_rate = 5e-4;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  bool operator==(const AdamOptions&) const = default;
};

// The same update as torch::optim::Adam, in one pass over the flat buffer of the parameters: 10 us instead of 245 us for
// the 25 000 parameters of an LSTM with 32 units.
class Adam {
 public:
  struct State {
    at::Tensor first_moment;   // (count)
    at::Tensor second_moment;  // (count)
    int64_t steps = 0;
  };

  Adam(const Parameters& parameters, const AdamOptions& options);

  void step();
  void set_learning_rate(double rate) { options_.learning_rate = rate; }

  State state() const;  // copies
  void set_state(const State& state);

 private:
  at::Tensor values_;
  at::Tensor gradients_;
  AdamOptions options_;
  State state_;
};

}  // namespace softradial::study
