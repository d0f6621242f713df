// Trials that nobody has trained, for the tests of sweeps: their configurations, groups, outcomes and files.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "files/gzip.hpp"
#include "files/sha256.hpp"
#include "sweep/configuration.hpp"
#include "sweep/results_store.hpp"
#include "sweep/trial_outcome.hpp"
#include "sweep/trial_plan.hpp"

namespace softradial::study {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline std::shared_ptr<const Problem> small_problem() {
  return problem_of({{"task", "portfolio"},
                     {"names", {"A", "B"}},
                     {"set", {{"type", "simplex"}, {"dim", 2}}},
                     {"data", {{"source", "prices.csv"}, {"sha256", "12"}}}});
}

inline Configuration candidate(int hidden, std::int64_t epochs = 45) {
  const nlohmann::json config = {{"method", "dc3"}, {"hidden", hidden}, {"epochs", epochs}, {"prices", "prices.csv"},
                                 {"seed", 0},       {"seeds", 5},       {"threads", 1}};
  return configuration_of(small_problem(), config, "cap=0.1", "hidden=" + std::to_string(hidden));
}

inline Group group_of(int candidates, int seeds) {
  Group group{.setting = "cap=0.1", .method = "dc3", .first_seed = 7, .seeds = seeds, .candidates = {}};
  for (int k = 0; k < candidates; ++k) group.candidates.push_back(candidate(k + 1));
  return group;
}

inline FinishedTrial finished(const Configuration& configuration, std::uint64_t seed, double selection) {
  FinishedTrial trial{.configuration = configuration, .seed = seed, .outcome = {}};
  trial.outcome.end = "finished";
  trial.outcome.started = "2026-01-01T00:00:00Z";
  trial.outcome.epochs = 2;
  trial.outcome.selection = selection;
  trial.outcome.violation = 1e-17;
  trial.outcome.metrics = {{"validation", "sharpe", selection}, {"test", "sharpe", selection / 3}};
  trial.outcome.history = {{-0.1, selection / 7}, {-0.2, selection}};
  return trial;
}

inline FinishedTrial failed(const Configuration& configuration, std::uint64_t seed) {
  FinishedTrial trial{.configuration = configuration, .seed = seed, .outcome = {}};
  trial.outcome.failure = "the loss was not finite in epoch 3";
  return trial;
}

inline TrialFile file_of(const std::string& name, const std::string& text) {
  return {.name = name,
          .size = static_cast<std::int64_t>(text.size()),
          .sha256 = sha256_of(text),
          .gzip = gzipped(text, 1)};
}

inline void begin(ResultsStore& store) {
  store.begin_session({{"version", "1"}, {"machine", {{"cores", 2}}}, {"started", "2026-01-01T00:00:00Z"}});
}

inline std::vector<nlohmann::json> all_trials(ResultsStore& store) {
  std::vector<nlohmann::json> out;
  store.each({}, true, [&](const nlohmann::json& trial) { out.push_back(trial); });
  return out;
}

inline double no_time() { return 0; }

}  // namespace softradial::study
