#pragma once

#include <cstdint>
#include <optional>

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
  TrainingEnd end = TrainingEnd::finished;
  int64_t epochs = 0;
  int64_t best_epoch = 0;
  double seconds = 0;                     // of the training
  std::optional<double> worst_violation;  // over validation and test, if a violation function was given
};
using PortfolioTrial = Trial<PortfolioMetrics>;
using DispatchTrial = Trial<DispatchMetrics>;

PortfolioTrial run_trial(PortfolioTask& task, const TrainingOptions& options, const TrainingHooks& hooks = {},
                         const ViolationFunction& violation = {}, const Checkpoint* resume = nullptr);
// Violations are judged on shares, before they are scaled by the supply.
DispatchTrial run_trial(DispatchTask& task, const TrainingOptions& options, const TrainingHooks& hooks = {},
                        const ViolationFunction& violation = {}, const Checkpoint* resume = nullptr);

}  // namespace softradial::study
