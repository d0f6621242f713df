#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "data/demand_table.hpp"
#include "data/price_table.hpp"
#include "runs/run_config.hpp"
#include "tasks/trial.hpp"

// A configuration, trained for each of its seeds.
namespace softradial::study {

struct RunHooks {
  // Called after every epoch of trial `index` (from 0).
  std::function<void(int index, const Progress& progress)> progress = {};
  const std::atomic<bool>* stop = nullptr;  // set: the trial under way ends with a usable checkpoint, no other begins
  std::filesystem::path out = {};           // the folder of checkpoints and results; empty: nothing is kept
};

[[nodiscard]] std::vector<PortfolioTrial> run(const PortfolioConfig& config, const PriceTable& prices,
                                              const RunHooks& hooks = {});
[[nodiscard]] std::vector<DispatchTrial> run(const DispatchConfig& config, const DemandTable& demand,
                                             const RunHooks& hooks = {});

// {"task", "method", "config", "trials": [{"seed", "validation", "test", "seconds", ...}], "mean", "std"}: what --json prints and
// OUT/result.json holds.
[[nodiscard]] nlohmann::json report(const PortfolioConfig& config, const std::vector<PortfolioTrial>& trials);
[[nodiscard]] nlohmann::json report(const DispatchConfig& config, const std::vector<DispatchTrial>& trials);

// The checkpoint of a seed in the folder of a run.
[[nodiscard]] std::filesystem::path checkpoint_file(const std::filesystem::path& out, std::uint64_t seed);

}  // namespace softradial::study
