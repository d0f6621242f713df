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

// What a caller may watch and influence while a configuration is trained.
struct RunHooks {
  // Called after every epoch of trial `index` (from 0); from any thread, one call at a time.
  std::function<void(int index, const Progress& progress)> progress = {};
  // When it becomes true, the trials under way save a checkpoint and end, and no other begins.
  const std::atomic<bool>* stop = nullptr;
  RunFolder* folder = nullptr;  // where the run is recorded; null: nowhere
  int jobs = 1;                 // trials at a time; the results do not depend on it
  bool ensemble = false;        // judge the mean of the seeds' decisions, too
  Team* team = nullptr;         // processes that train together; jobs is 1 then, and only rank 0 has a folder
};

// The mean of the decisions of all seeds, as one more policy.
template <class Metrics>
struct Ensemble {
  Metrics validation;
  Metrics test;
  double violation = 0;  // the worst one over validation and test
  Comparison against_equal_weight;
};

template <class Metrics>
struct RunResult {
  std::vector<Trial<Metrics>> trials;
  Comparison against_equal_weight =
      {};  // the mean over the seeds, on the test; empty for equal weight and after a stop
  std::optional<Ensemble<Metrics>> ensemble = {};  // if it was asked for, and nothing stopped the run
  bool interrupted = false;
};

// Trains a configuration once for each of its seeds. A seed that the folder holds already, when a run is resumed, is read.
// After a stop, trials that were not begun are missing.
[[nodiscard]] RunResult<PortfolioMetrics> run(const PortfolioConfig& config, const PriceTable& prices,
                                              const RunHooks& hooks = {});
[[nodiscard]] RunResult<DispatchMetrics> run(const DispatchConfig& config, const DemandTable& demand,
                                             const RunHooks& hooks = {});

// The same by the processes of hooks.team, each of which reads its share of the data (tasks/data_share.hpp) and must call it. The
// results are those of one process, to rounding. Ranks but the first get none.
template <class Metrics>
struct SharedRun {
  RunResult<Metrics> result;
  std::vector<Baseline<Metrics>> baselines;
};
[[nodiscard]] SharedRun<PortfolioMetrics> run_together(const PortfolioConfig& config, PriceParts& prices,
                                                       const RunHooks& hooks);
[[nodiscard]] SharedRun<DispatchMetrics> run_together(const DispatchConfig& config, DemandParts& demand,
                                                      const RunHooks& hooks);

// What a run of this configuration on these data is asked to do: task, config, names, set, data, seeds. RunFolder adds the
// rest.
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

// The paper's grid for the layer of a method (table hyperparams): the temperature of softmax, lambda and contraction of
// soft radial, the steps of HardNet, the steps, rate and momentum of DC3. For other methods: the method itself alone.
[[nodiscard]] std::vector<LayerMethod> paper_grid(const LayerMethod& method);

// The member of the grid with the best validation for the first seed. The test split is not used.
[[nodiscard]] LayerConfig tuned(PortfolioConfig config, const PriceTable& prices, const RunHooks& hooks = {});
[[nodiscard]] LayerConfig tuned(DispatchConfig config, const DemandTable& demand, const RunHooks& hooks = {});

}  // namespace softradial::study
