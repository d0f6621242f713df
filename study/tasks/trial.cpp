#include "tasks/trial.hpp"

#include <algorithm>

namespace softradial::study {
namespace {

const at::Tensor& decisions(const PortfolioEvaluation& evaluation) { return evaluation.weights; }
const at::Tensor& decisions(const DispatchEvaluation& evaluation) { return evaluation.shares; }

template <class Metrics, class SomeTask>
Trial<Metrics> run(SomeTask& task, const TrainingOptions& options, const TrainingHooks& hooks,
                   const ViolationFunction& violation, const Checkpoint* resume) {
  const TrainingResult training = train(task, options, hooks, resume);
  const auto validation = task.evaluate(task.splits().validation);
  const auto test = task.evaluate(task.splits().test);
  Trial<Metrics> trial{.seed = options.seed,
                       .validation = validation.metrics,
                       .test = test.metrics,
                       .end = training.end,
                       .epochs = training.epochs,
                       .best_epoch = training.best_epoch,
                       .seconds = training.seconds,
                       .worst_violation = {}};
  if (violation) trial.worst_violation = std::max(violation(decisions(validation)), violation(decisions(test)));
  return trial;
}

}  // namespace

PortfolioTrial run_trial(PortfolioTask& task, const TrainingOptions& options, const TrainingHooks& hooks,
                         const ViolationFunction& violation, const Checkpoint* resume) {
  return run<PortfolioMetrics>(task, options, hooks, violation, resume);
}

DispatchTrial run_trial(DispatchTask& task, const TrainingOptions& options, const TrainingHooks& hooks,
                        const ViolationFunction& violation, const Checkpoint* resume) {
  return run<DispatchMetrics>(task, options, hooks, violation, resume);
}

}  // namespace softradial::study
