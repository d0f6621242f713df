#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tasks/dispatch_task.hpp"
#include "tasks/portfolio_task.hpp"
#include "training/train.hpp"

namespace softradial::study {

// One training with one seed, judged at its best epoch.
template <class Metrics>
struct Trial {
  uint64_t seed = 0;
  Metrics validation;
  Metrics test;
  double selection = 0;  // chooses between trials, from the validation alone; larger is better
  TrainingEnd end = TrainingEnd::finished;
  int64_t epochs = 0;
  int64_t best_epoch = 0;
  double seconds = 0;                     // duration of the training
  std::optional<double> worst_violation;  // over validation and test, if a violation function was given
};

// The metrics with their names, in the order of reports.
template <class Metrics>
[[nodiscard]] std::vector<std::pair<std::string, double>> named_values(const Metrics& metrics) {
  std::vector<std::pair<std::string, double>> out;
  for (const auto& [name, place] : metric_fields(metrics)) out.emplace_back(name, metrics.*place);
  return out;
}

using PortfolioTrial = Trial<PortfolioMetrics>;
using DispatchTrial = Trial<DispatchMetrics>;

// Called when a training has ended, with its decisions on validation and test and its final state.
template <class Evaluation>
using TrialRecorder =
    std::function<void(const Evaluation& validation, const Evaluation& test, const TrainingResult& training)>;

// Continues from the checkpoint `resume` if it is given.
PortfolioTrial run_trial(PortfolioTask& task, const TrainingOptions& options, const TrainingHooks& hooks = {},
                         const ViolationFunction& violation = {}, const Checkpoint* resume = nullptr,
                         const TrialRecorder<PortfolioEvaluation>& record = {});
// Violations are judged on shares, before they are scaled by the supply.
DispatchTrial run_trial(DispatchTask& task, const TrainingOptions& options, const TrainingHooks& hooks = {},
                        const ViolationFunction& violation = {}, const Checkpoint* resume = nullptr,
                        const TrialRecorder<DispatchEvaluation>& record = {});

}  // namespace softradial::study
