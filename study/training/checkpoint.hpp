#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>

#include "features/features.hpp"
#include "training/adam.hpp"

namespace softradial::study {

// The state of a training between two epochs: enough to continue as if it had never stopped, and to use the best model.
struct Checkpoint {
  std::string config;      // the caller's own text
  int64_t epoch = 0;       // epochs done
  int64_t best_epoch = 0;  // 1-based; 0: none yet
  double best_metric = 0;
  at::Tensor parameters;       // after `epoch` epochs
  at::Tensor best_parameters;  // after `best_epoch` epochs
  Adam::State optimizer;
  at::Tensor generator_state;
  Standardisation standardisation;

  // The parameters to use: the best ones, or the last ones if no epoch has been validated.
  const at::Tensor& model() const { return best_epoch > 0 ? best_parameters : parameters; }
};

// Writes a temporary file beside it and renames that: no reader ever sees half a checkpoint. Throws std::runtime_error
// naming the file.
void save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& file);
Checkpoint load_checkpoint(const std::filesystem::path& file);

}  // namespace softradial::study
