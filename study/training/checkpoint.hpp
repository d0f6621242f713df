#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "features/features.hpp"
#include "training/adam.hpp"
#include "training/epoch_record.hpp"

namespace softradial::study {

// The state of a training between two epochs: enough to continue as if it had never stopped.
struct Checkpoint {
  std::string config;      // the caller's own text
  int64_t epoch = 0;       // epochs done
  int64_t best_epoch = 0;  // 1-based; 0: none yet
  double best_metric = 0;
  std::vector<EpochRecord> history;  // one for each epoch done
  at::Tensor parameters;             // after `epoch` epochs
  at::Tensor best_parameters;        // after `best_epoch` epochs
  Adam::State optimizer;
  at::Tensor generator_state;
  Standardisation standardisation;

  // The parameters to use: the best ones, or the last ones if no epoch has been validated.
  const at::Tensor& model() const { return best_epoch > 0 ? best_parameters : parameters; }
};

// Saves in the layout of files/safetensors.hpp: completely or not at all, and loading runs no code. `load_checkpoint` throws
// DataError for a file that is damaged or was made by another program.
void save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& file);
Checkpoint load_checkpoint(const std::filesystem::path& file);
// The bytes of such a file.
std::string checkpoint_bytes(const Checkpoint& checkpoint);
Checkpoint parse_checkpoint(std::string_view bytes);

}  // namespace softradial::study
