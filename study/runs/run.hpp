#pragma once

#include <atomic>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "data/table_parts.hpp"
#include "data/tables.hpp"
#include "runs/baselines.hpp"
#include "runs/comparison.hpp"
#include "runs/run_config.hpp"
#include "runs/run_folder.hpp"
#include "tasks/trial.hpp"
#include "training/team.hpp"

namespace softradial::study {

// Lets a caller watch and influence the training of a configuration.
struct RunHooks {
  // Called after every epoch of trial `index` (from 0); from any thread, one call at a time.
  std::function<void(int index, const Progress& progress)> progress = {};
  // Once it is true, running trials save a checkpoint and end, and no further trial begins.
  const std::atomic<bool>* stop = nullptr;
  RunFolder* folder = nullptr;  // where the run is recorded; null: nowhere
  int jobs = 1;                 // trials at a time; the results do not depend on it
  bool ensemble = false;        // also judge the mean of the seeds' decisions
  Team* team = nullptr;         // processes that train together; then jobs is 1, and only rank 0 has a folder
};

// The mean of the decisions of all seeds, judged as one more policy.
template <class Metrics>
struct Ensemble {
  Metrics validation;
  Metrics test;
  double violation = 0;  // worst violation over validation and test
  Comparison against_equal_weight;
};

template <class Metrics>
struct RunResult {
  std::vector<Trial<Metrics>> trials;
  Comparison against_equal_weight =
      {};  // mean over the seeds, on test; empty for equal weight and after a stop
  std::optional<Ensemble<Metrics>> ensemble = {};  // if it was asked for and the run was not stopped
  bool interrupted = false;
};

// Trains a configuration once for each of its seeds. When a run is resumed, seeds that the folder already holds are read from
// it. After a stop, trials that were not begun are missing.
[[nodiscard]] RunResult<PortfolioMetrics> run(const PortfolioConfig& config, const PriceTable& prices,
                                              const RunHooks& hooks = {});
[[nodiscard]] RunResult<DispatchMetrics> run(const DispatchConfig& config, const DemandTable& demand,
                                             const RunHooks& hooks = {});

// Trains with the processes of hooks.team. Each process must call it and reads its share of the data (tasks/data_share.hpp).
// The results are those of one process, up to rounding. Only rank 0 gets them.
template <class Metrics>
struct SharedRun {
  RunResult<Metrics> result;
  std::vector<Baseline<Metrics>> baselines;
};
[[nodiscard]] SharedRun<PortfolioMetrics> run_together(const PortfolioConfig& config, PriceParts& prices,
                                                       const RunHooks& hooks);
[[nodiscard]] SharedRun<DispatchMetrics> run_together(const DispatchConfig& config, DemandParts& demand,
                                                      const RunHooks& hooks);

// The part of the manifest that says what a run of this configuration on these data shall do: task, config, names, set, data,
// seeds. RunFolder adds the rest.
[[nodiscard]] nlohmann::json manifest_of(const PortfolioConfig& config, const PriceTable& prices);
[[nodiscard]] nlohmann::json manifest_of(const DispatchConfig& config, const DemandTable& demand);
[[nodiscard]] nlohmann::json manifest_of(const PortfolioConfig& config, PriceParts& prices);
[[nodiscard]] nlohmann::json manifest_of(const DispatchConfig& config, DemandParts& demand);

// {"task", "method", "config", "trials": [{"seed", "validation", "test", "seconds", ...}], "mean", "std", "best_seed",
// "against_equal_weight", "ensemble", "baselines"}, as --json prints it and OUT/result.json saves it.
[[nodiscard]] nlohmann::json report(const PortfolioConfig& config, const RunResult<PortfolioMetrics>& result,
                                    const std::vector<Baseline<PortfolioMetrics>>& baselines = {});
[[nodiscard]] nlohmann::json report(const DispatchConfig& config, const RunResult<DispatchMetrics>& result,
                                    const std::vector<Baseline<DispatchMetrics>>& baselines = {});

// The paper's grid for the layer of a method (table hyperparams): the temperature of softmax, lambda and contraction of soft
// radial, the steps of HardNet, the steps, rate and momentum of DC3. For other methods, only the method itself.
[[nodiscard]] std::vector<LayerMethod> paper_grid(const LayerMethod& method);

// The member of the grid with the best validation for the first seed. Does not use the test split.
[[nodiscard]] LayerConfig tuned(PortfolioConfig config, const PriceTable& prices, const RunHooks& hooks = {});
[[nodiscard]] LayerConfig tuned(DispatchConfig config, const DemandTable& demand, const RunHooks& hooks = {});

}  // namespace softradial::study
