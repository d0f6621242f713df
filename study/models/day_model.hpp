#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "models/parameters.hpp"

namespace softradial::study {

// A model of the last days: one window of them ends on each day and gives a row of u. Forward and backward are written by hand
// and reuse their buffers: a model builds no autograd graph.
class DayModel {
 public:
  virtual ~DayModel() = default;

  virtual const Parameters& parameters() const = 0;
  virtual void initialize(at::Generator generator) = 0;

  // u (windows, outputs) for days (windows + lookback - 1, features): one window ends on each day from the lookback-th on.
  virtual at::Tensor forward(const at::Tensor& days) = 0;
  // The forward pass with dropout; saves what backward needs. The result is the model's own memory, valid until the next call.
  // `places`: the positions of the windows in their batch, if these are not the whole batch.
  virtual at::Tensor forward_training(const at::Tensor& days, at::Generator& generator,
                                      std::span<const int64_t> places) = 0;
  // Writes the gradients of all parameters, given grad_u (windows, outputs) for the last forward_training.
  virtual void backward(const at::Tensor& grad_u) = 0;
};

}  // namespace softradial::study
