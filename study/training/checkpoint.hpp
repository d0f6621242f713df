#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>

#include "features/standardisation.hpp"
#include "training/adam.hpp"

namespace softradial::study {

// A training run between two epochs: enough to go on as if it had never stopped, and to use the best model so far.
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

  // What a user wants to load: the best parameters, or the last ones where no epoch has been judged.
  const at::Tensor& model() const { return best_epoch > 0 ? best_parameters : parameters; }
};

// Written beside the file and renamed: a reader never sees half of it. Throws std::runtime_error naming the file.
void save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& file);
Checkpoint load_checkpoint(const std::filesystem::path& file);

}  // namespace softradial::study
