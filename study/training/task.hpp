#pragma once

#include <ATen/core/Generator.h>

#include <cstdint>

#include "features/features.hpp"
#include "models/parameters.hpp"

namespace softradial::study {

// The interface that `train` trains. A task owns its data, its model and its decision layer, and computes losses with
// gradients. All randomness comes from the generator that is passed in.
class Task {
 public:
  virtual ~Task() = default;

  virtual const Parameters& parameters() const = 0;
  virtual const Standardisation& standardisation() const = 0;
  virtual void initialize(at::Generator& generator) = 0;

  // Draws the order of the batches and returns their number.
  virtual int64_t begin_epoch(at::Generator& generator) = 0;
  // Returns the loss of a batch and writes its gradient to parameters().gradients(). A task with a share of the data gives its
  // part of both: the parts of all processes add up to those of the batch.
  virtual double loss_and_gradient(int64_t batch, at::Generator& generator) = 0;
  // The metric that selects the best epoch; larger is better.
  virtual double validation_metric() = 0;
};

}  // namespace softradial::study
