#include "tasks/trial.hpp"

#include <algorithm>

namespace softradial::study {
namespace {

const at::Tensor& decisions(const PortfolioEvaluation& evaluation) { return evaluation.weights; }
const at::Tensor& decisions(const DispatchEvaluation& evaluation) { return evaluation.shares; }

template <class Metrics, class SomeTask, class Evaluation>
Trial<Metrics> run(SomeTask& task, const TrainingOptions& options, const TrainingHooks& hooks,
                   const ViolationFunction& violation, const Checkpoint* resume,
                   const TrialRecorder<Evaluation>& record) {
  const TrainingResult training = train(task, options, hooks, resume);
  const Evaluation validation = task.evaluate(task.splits().validation);
  const Evaluation test = task.evaluate(task.splits().test);
  Trial<Metrics> trial{.seed = options.seed,
                       .validation = validation.metrics,
                       .test = test.metrics,
                       .selection = task.selection(validation.metrics),
                       .end = training.end,
                       .epochs = training.epochs,
                       .best_epoch = training.best_epoch,
                       .seconds = training.seconds,
                       .worst_violation = {}};
  if (violation) trial.worst_violation = std::max(violation(decisions(validation)), violation(decisions(test)));
  if (record) record(validation, test, training);
  return trial;
}

}  // namespace

PortfolioTrial run_trial(PortfolioTask& task, const TrainingOptions& options, const TrainingHooks& hooks,
                         const ViolationFunction& violation, const Checkpoint* resume,
                         const TrialRecorder<PortfolioEvaluation>& record) {
  return run<PortfolioMetrics>(task, options, hooks, violation, resume, record);
}

DispatchTrial run_trial(DispatchTask& task, const TrainingOptions& options, const TrainingHooks& hooks,
                        const ViolationFunction& violation, const Checkpoint* resume,
                        const TrialRecorder<DispatchEvaluation>& record) {
  return run<DispatchMetrics>(task, options, hooks, violation, resume, record);
}

}  // namespace softradial::study
