#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "features/features.hpp"
#include "models/parameters.hpp"
#include "softradial/set.hpp"

namespace softradial::study {

// A trained policy as a file of numbers (files/safetensors.hpp): all that a decision needs. docs/runs.md describes the layout.
struct PolicyFile {
  std::string task;       // "portfolio" or "dispatch"
  nlohmann::json config;  // configuration of the run; "set" is the set, "names" its coordinates
  std::uint64_t seed = 0;
  bool is_finished = true;  // false: the training was interrupted after `epochs` epochs
  std::int64_t epochs = 0;
  std::vector<ParameterShape> shapes = {};
  at::Tensor parameters = {};  // (count): the arrays of `shapes` one after the other
  Standardisation standardisation = {};

  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] Set set() const;
  // Copies the parameters into a model. Throws DataError if they do not fit it.
  void give_to(const Parameters& model) const;
};

void save_policy(const PolicyFile& policy, const std::filesystem::path& file);
// Throws DataError, naming the file, if it is damaged, of another kind, or not a policy.
[[nodiscard]] PolicyFile load_policy(const std::filesystem::path& file);

// A model of a run: that of the seed that was asked for, or else that of the seed with the best validation.
struct ModelChoice {
  std::filesystem::path file;
  std::string reason;  // "seed 3, the best of 5 on validation": for the user
};
// `path` is a model file or the folder of a run. Throws DataError.
[[nodiscard]] ModelChoice choose_model(const std::filesystem::path& path, std::optional<std::uint64_t> seed);

}  // namespace softradial::study
