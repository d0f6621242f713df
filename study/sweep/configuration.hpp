#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

// What a trial is, apart from where and when it is trained. Two trials are the same if their keys are: then one is enough.
namespace softradial::study {

// What is decided about, and on what data.
struct Problem {
  std::string key;  // SHA-256 over task, names, set and data
  nlohmann::json
      facts;  // {"task", "names", "set", "data": {"source", "sha256", ...}}, as the manifest of a run has them
};

// A problem and everything that a training depends on but its seed.
struct Configuration {
  std::string key;  // SHA-256
  std::shared_ptr<const Problem> problem;
  nlohmann::json config;   // as runs/run_config.hpp writes it, without `seed`, `seeds` and `threads`
  std::string setting;     // the words of the sweep file that make this setting, "cap=0.05"
  std::string parameters;  // those that are searched over, "hidden=32 lambda=5"

  [[nodiscard]] std::string method() const { return config.at("method").get<std::string>(); }
  [[nodiscard]] std::int64_t epochs() const { return config.at("epochs").get<std::int64_t>(); }
};

// `manifest`: what manifest_of gives.
[[nodiscard]] std::shared_ptr<const Problem> problem_of(const nlohmann::json& manifest);

// `config`: what to_json gives for a configuration of this problem.
[[nodiscard]] Configuration configuration_of(std::shared_ptr<const Problem> problem, nlohmann::json config,
                                             std::string setting, std::string parameters);

// The same training, ended after so many epochs.
[[nodiscard]] Configuration with_epochs(const Configuration& configuration, std::int64_t epochs);

// The same for trainings that differ in their number of epochs only: one goes on where the other has ended.
[[nodiscard]] std::string training_key(const Configuration& configuration, std::uint64_t seed);

// The configuration with everything that run_config.hpp reads.
[[nodiscard]] nlohmann::json config_with_seed(const Configuration& configuration, std::uint64_t seed);

}  // namespace softradial::study
