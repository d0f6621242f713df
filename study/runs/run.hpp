#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "data/tables.hpp"
#include "runs/run_config.hpp"
#include "tasks/trial.hpp"

namespace softradial::study {

// What a caller may watch and influence while a configuration is trained.
struct RunHooks {
  // Called after every epoch of trial `index` (from 0).
  std::function<void(int index, const Progress& progress)> progress = {};
  // When it becomes true, the present trial saves a checkpoint and ends, and no other begins.
  const std::atomic<bool>* stop = nullptr;
  std::filesystem::path out = {};  // folder for checkpoints and results; empty: nothing is saved
};

// Trains a configuration once for each of its seeds.
[[nodiscard]] std::vector<PortfolioTrial> run(const PortfolioConfig& config, const PriceTable& prices,
                                              const RunHooks& hooks = {});
[[nodiscard]] std::vector<DispatchTrial> run(const DispatchConfig& config, const DemandTable& demand,
                                             const RunHooks& hooks = {});

// {"task", "method", "config", "trials": [{"seed", "validation", "test", "seconds", ...}], "mean", "std"}, as --json prints
// it and OUT/result.json saves it.
[[nodiscard]] nlohmann::json report(const PortfolioConfig& config, const std::vector<PortfolioTrial>& trials);
[[nodiscard]] nlohmann::json report(const DispatchConfig& config, const std::vector<DispatchTrial>& trials);

// The checkpoint of a seed in the folder of a run.
[[nodiscard]] std::filesystem::path checkpoint_file(const std::filesystem::path& out, std::uint64_t seed);

// The paper's grid for the layer of a method (table hyperparams): the temperature of softmax, lambda and contraction of
// soft radial, the steps of HardNet, the steps, rate and momentum of DC3. For other methods: the method itself alone.
[[nodiscard]] std::vector<LayerMethod> paper_grid(const LayerMethod& method);

// The member of the grid with the best validation for the first seed. The test split is not used.
[[nodiscard]] LayerConfig tuned(PortfolioConfig config, const PriceTable& prices, const RunHooks& hooks = {});
[[nodiscard]] LayerConfig tuned(DispatchConfig config, const DemandTable& demand, const RunHooks& hooks = {});

}  // namespace softradial::study
