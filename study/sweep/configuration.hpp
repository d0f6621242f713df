#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

// The identity of a trial, apart from where and when it is trained. Trials with the same key are the same: one is enough.
namespace softradial::study {

// A decision problem: the task, the set, and the data.
struct Problem {
  std::string key;  // SHA-256 over task, names, set and data
  nlohmann::json
      facts;  // {"task", "names", "set", "data": {"source", "sha256", ...}}, as the manifest of a run has them
};

// A problem and everything that a training depends on, except its seed.
struct Configuration {
  std::string key;  // SHA-256
  std::shared_ptr<const Problem> problem;
  nlohmann::json config;   // as runs/run_config.hpp writes it, without `seed`, `seeds` and `threads`
  std::string setting;     // the words of the sweep file for this setting, "cap=0.05"
  std::string parameters;  // the parameters of the search, "hidden=32 lambda=5"

  [[nodiscard]] std::string method() const { return config.at("method").get<std::string>(); }
  [[nodiscard]] std::int64_t epochs() const { return config.at("epochs").get<std::int64_t>(); }
};

// `manifest`: the result of manifest_of.
[[nodiscard]] std::shared_ptr<const Problem> problem_of(const nlohmann::json& manifest);

// `config`: the result of to_json for a configuration of this problem.
[[nodiscard]] Configuration configuration_of(std::shared_ptr<const Problem> problem, nlohmann::json config,
                                             std::string setting, std::string parameters);

// The same configuration with this number of epochs.
[[nodiscard]] Configuration with_epochs(const Configuration& configuration, std::int64_t epochs);

// A key that ignores the number of epochs: a longer training can continue where a shorter one ended.
[[nodiscard]] std::string training_key(const Configuration& configuration, std::uint64_t seed);

// The configuration with all fields that run_config.hpp reads.
[[nodiscard]] nlohmann::json config_with_seed(const Configuration& configuration, std::uint64_t seed);

}  // namespace softradial::study
