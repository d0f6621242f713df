#pragma once

#include <ATen/core/Tensor.h>

#include "tasks/constraint_layer.hpp"

namespace softradial::study {

// The only part of a training step that autograd records: u -> x. Model and loss bring their own derivatives.
class LayerPass {
 public:
  LayerPass(const ConstraintLayer& layer, const at::Tensor& u);

  const at::Tensor& x() const { return x_; }  // (batch, output_dim)
  double penalty() const { return penalty_value_; }

  // J' grad_x plus the gradient of the penalty, contiguous; zero for a layer that does not look at u.
  at::Tensor backward(const at::Tensor& grad_x) const;

 private:
  at::Tensor u_;
  at::Tensor x_;
  at::Tensor penalty_;
  double penalty_value_ = 0;
};

// x without a graph, as in deployment.
at::Tensor apply_in_evaluation(const ConstraintLayer& layer, const at::Tensor& u);

// Throws unless the layer exists and gives `outputs` numbers.
void check_layer(const ConstraintLayer& layer, int64_t outputs);

}  // namespace softradial::study
