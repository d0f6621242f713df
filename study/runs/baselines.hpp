#pragma once

#include <string>
#include <vector>

#include "data/tables.hpp"
#include "runs/record.hpp"
#include "runs/run_config.hpp"

// Decisions that need no training. Every result is shown beside them: a policy that does not beat them has learned nothing.
//
// Portfolio   equal_weight: the same weight for every asset, rebalanced daily, with its costs.
// Dispatch    equal_weight: the same share for every zone.
//             last_hour: shares in proportion to the demand of the hour before.
//             last_week: shares in proportion to the demand of the same hour a week before; where there is none, last_hour.
// The last two are moved into the set by an orthogonal projection, if the library has one for the set.
namespace softradial::study {

template <class Metrics>
struct Baseline {
  std::string name;
  Metrics validation;
  Metrics test;
  double violation = 0;  // worst violation of a constraint over validation and test
};

[[nodiscard]] std::vector<Baseline<PortfolioMetrics>> baselines(const PortfolioConfig& config,
                                                                const PriceTable& prices);
[[nodiscard]] std::vector<Baseline<DispatchMetrics>> baselines(const DispatchConfig& config, const DemandTable& demand);
// The baselines on data that contain the validation and test splits.
[[nodiscard]] std::vector<Baseline<PortfolioMetrics>> baselines(const PortfolioConfig& config,
                                                                const PortfolioData& data, const Set& set);
[[nodiscard]] std::vector<Baseline<DispatchMetrics>> baselines(const DispatchConfig& config, const DispatchData& data,
                                                               const Set& set);

template <class Evaluation>
struct NamedEvaluation {
  std::string name;
  Evaluation evaluation;
};

[[nodiscard]] inline RowRange rows_of(const PortfolioEvaluation& evaluation) { return evaluation.days; }
[[nodiscard]] inline RowRange rows_of(const DispatchEvaluation& evaluation) { return evaluation.hours; }
[[nodiscard]] inline const at::Tensor& decisions_of(const PortfolioEvaluation& evaluation) {
  return evaluation.weights;
}
[[nodiscard]] inline const at::Tensor& decisions_of(const DispatchEvaluation& evaluation) { return evaluation.shares; }

// The mean of several policies' decisions over the same rows. By convexity it obeys the set as they do.
[[nodiscard]] PortfolioEvaluation ensemble_of(const PortfolioConfig& config, const PortfolioData& data,
                                              const std::vector<PortfolioEvaluation>& members);
[[nodiscard]] DispatchEvaluation ensemble_of(const DispatchConfig& config, const DispatchData& data,
                                             const std::vector<DispatchEvaluation>& members);

// The baselines over any rows of the data; equal weight is the first.
[[nodiscard]] std::vector<NamedEvaluation<PortfolioEvaluation>> baselines_over(const PortfolioConfig& config,
                                                                               const PortfolioData& data,
                                                                               const Set& set, RowRange days);
[[nodiscard]] std::vector<NamedEvaluation<DispatchEvaluation>> baselines_over(const DispatchConfig& config,
                                                                              const DispatchData& data, const Set& set,
                                                                              RowRange hours);

// The record of decisions, with the outcomes of the baselines over the same rows in further columns.
[[nodiscard]] Record record_beside(std::string split, const PortfolioEvaluation& evaluation,
                                   const PortfolioConfig& config, const PortfolioData& data, const Set& set);
[[nodiscard]] Record record_beside(std::string split, const DispatchEvaluation& evaluation,
                                   const DispatchConfig& config, const DispatchData& data, const Set& set);

}  // namespace softradial::study
