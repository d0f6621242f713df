#include "sweep/configuration.hpp"

#include <utility>

#include "files/sha256.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

// The same data give the same key, wherever their file lies.
std::string key_of(const Problem& problem, json config) {
  config.erase("prices");
  config.erase("demand");
  return sha256_of(problem.key + config.dump());
}

}  // namespace

std::shared_ptr<const Problem> problem_of(const json& manifest) {
  Problem problem;
  for (const char* key : {"task", "names", "set", "data"}) problem.facts[key] = manifest.at(key);
  json same = problem.facts;
  same["data"] = problem.facts["data"].at("sha256");
  problem.key = sha256_of(same.dump());
  return std::make_shared<const Problem>(std::move(problem));
}

Configuration configuration_of(std::shared_ptr<const Problem> problem, json config, std::string setting,
                               std::string parameters) {
  for (const char* key : {"seed", "seeds", "threads"}) config.erase(key);
  std::string key = key_of(*problem, config);
  return {.key = std::move(key),
          .problem = std::move(problem),
          .config = std::move(config),
          .setting = std::move(setting),
          .parameters = std::move(parameters)};
}

Configuration with_epochs(const Configuration& configuration, std::int64_t epochs) {
  if (epochs == configuration.epochs()) return configuration;
  Configuration out = configuration;
  out.config["epochs"] = epochs;
  out.key = key_of(*out.problem, out.config);
  return out;
}

std::string training_key(const Configuration& configuration, std::uint64_t seed) {
  json config = configuration.config;
  config.erase("epochs");
  return sha256_of(key_of(*configuration.problem, config) + std::to_string(seed));
}

json config_with_seed(const Configuration& configuration, std::uint64_t seed) {
  json config = configuration.config;
  config["seed"] = seed;
  config["seeds"] = 1;
  config["threads"] = 1;
  return config;
}

}  // namespace softradial::study
