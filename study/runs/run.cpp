#include "runs/run.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "runs/parallel.hpp"
#include "runs/task_kinds.hpp"
#include "runs/trial_report.hpp"
#include "softradial/set_json.hpp"

namespace softradial::study {

namespace {

using nlohmann::json;

template <class Metrics>
json report_trials(const json& config, const std::vector<Trial<Metrics>>& trials,
                   const std::vector<Baseline<Metrics>>& baselines) {
  json out = {{"task", config.at("task")}, {"method", config.at("method")}, {"config", config}};
  std::map<std::string, std::vector<double>> columns;
  out["trials"] = json::array();
  const Trial<Metrics>* best = nullptr;
  for (const Trial<Metrics>& trial : trials) {
    out["trials"].push_back(to_json(trial));
    for (const auto& [name, value] : named_values(trial.test)) columns[name].push_back(value);
    if (best == nullptr || selection_metric(trial.validation) > selection_metric(best->validation)) best = &trial;
  }
  if (best != nullptr) out["best_seed"] = best->seed;
  out["mean"] = json::object();
  out["std"] = json::object();
  for (const auto& [name, numbers] : columns) {
    const MeanAndStd over_seeds = mean_and_std(numbers);
    out["mean"][name] = over_seeds.mean;
    out["std"][name] = over_seeds.std;
  }
  out["baselines"] = json::object();
  for (const Baseline<Metrics>& each : baselines) {
    out["baselines"][each.name] = {{"validation", values_of(named_values(each.validation))},
                                   {"test", values_of(named_values(each.test))},
                                   {"violation", each.violation}};
  }
  return out;
}

template <class Config>
json manifest(const Config& config, const typename KindOf<Config>::Input& given) {
  const DecisionSet decision = limits_of(config, given);
  return {{"task", KindOf<Config>::kName},
          {"config", to_json(config)},
          {"names", decision.names},
          {"set", json::parse(to_json(decision.set))},
          {"data", describe_data(config, with_columns(given, decision.names))},
          {"seeds", seeds_of(config)}};
}

// Each seed gets a task of its own: trials share nothing but the data.
template <class Config>
std::vector<Trial<typename KindOf<Config>::Metrics>> run_seeds(const Config& config,
                                                               const typename KindOf<Config>::Input& given,
                                                               const RunHooks& hooks) {
  using Kind = KindOf<Config>;
  using TrialType = Trial<typename Kind::Metrics>;
  const DecisionSet decision = limits_of(config, given);
  const auto data = make_data(config, with_columns(given, decision.names));
  const ViolationFunction violation = violation_of(decision.set);
  json saved = to_json(config);
  saved["names"] = decision.names;
  saved["set"] = json::parse(to_json(decision.set));
  saved["in_sample_until"] = in_sample_until(data);
  const std::vector<std::uint64_t> seeds = seeds_of(config);
  std::vector<std::optional<TrialType>> done(seeds.size());
  std::mutex mutex;
  const auto stopped = [&] { return hooks.stop != nullptr && hooks.stop->load(); };

  in_parallel(static_cast<int>(seeds.size()), hooks.jobs, [&](int index) {
    const std::uint64_t seed = seeds[static_cast<std::size_t>(index)];
    RunFolder* const folder = hooks.folder;
    if (folder != nullptr) {
      if (const auto trial = folder->finished(seed)) {
        done[static_cast<std::size_t>(index)] = trial_of<typename Kind::Metrics>(*trial);
        return;
      }
    }
    if (stopped()) return;
    typename Kind::TaskType task(data, config.model, decision_layer(config.layer, decision.set));
    TrainingOptions options = training_of(config, seed);
    TrainingHooks inner;
    inner.stop = hooks.stop;
    if (hooks.progress) {
      inner.progress = [&](const Progress& progress) {
        const std::lock_guard lock(mutex);
        hooks.progress(index, progress);
      };
    }
    std::optional<Checkpoint> from;
    PolicyFile policy{.task = Kind::kName, .config = saved, .seed = seed};
    std::vector<EpochRecord> history;
    std::vector<Record> records;
    TrialRecorder<typename Kind::Evaluation> record;
    if (folder != nullptr) {
      from = folder->checkpoint(seed);
      options.checkpoint = folder->checkpoint_file(seed);
      record = [&](const auto& on_validation, const auto& on_test, const TrainingResult& training) {
        if (!training.write_error.empty()) folder->keep_error(training.write_error);
        policy.is_finished = training.end != TrainingEnd::interrupted;
        policy.epochs = training.epochs;
        policy.shapes = task.parameters().shapes();
        policy.parameters = training.checkpoint.model();
        policy.standardisation = task.standardisation();
        history = training.checkpoint.history;
        records = {record_beside("validation", on_validation, config, data, decision.set),
                   record_beside("test", on_test, config, data, decision.set)};
      };
    }
    const TrialType trial = run_trial(task, options, inner, violation, from ? &*from : nullptr, record);
    if (folder != nullptr) {
      if (policy.is_finished) {
        folder->save_finished(policy, history, records, to_json(trial));
      } else {
        folder->save_interrupted(policy);
      }
    }
    done[static_cast<std::size_t>(index)] = trial;
  });

  std::vector<TrialType> trials;
  for (auto& trial : done) {
    if (trial) trials.push_back(std::move(*trial));
  }
  if (hooks.folder != nullptr) hooks.folder->save_manifest(stopped() ? "interrupted" : "finished");
  return trials;
}

template <class Config>
LayerConfig best_of_grid(Config config, const typename KindOf<Config>::Input& input, const RunHooks& hooks) {
  if (config.layer.equal_weight()) return config.layer;
  config.seeds = 1;
  const std::vector<LayerMethod> grid = paper_grid(config.layer.options);
  std::vector<double> found(grid.size(), -std::numeric_limits<double>::infinity());
  std::mutex mutex;
  in_parallel(static_cast<int>(grid.size()), hooks.jobs, [&](int index) {
    Config candidate = config;
    candidate.layer.options = grid[static_cast<std::size_t>(index)];
    RunHooks inner{.stop = hooks.stop};
    if (hooks.progress) {
      inner.progress = [&](int, const Progress& progress) {
        const std::lock_guard lock(mutex);
        hooks.progress(index, progress);
      };
    }
    const auto trials = run(candidate, input, inner);
    if (!trials.empty()) found[static_cast<std::size_t>(index)] = selection_metric(trials[0].validation);
  });
  LayerConfig best = config.layer;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < grid.size(); ++k) {
    if (found[k] > most) {
      most = found[k];
      best.options = grid[k];
    }
  }
  return best;
}

}  // namespace

std::vector<PortfolioTrial> run(const PortfolioConfig& config, const PriceTable& prices, const RunHooks& hooks) {
  return run_seeds(config, prices, hooks);
}
std::vector<DispatchTrial> run(const DispatchConfig& config, const DemandTable& demand, const RunHooks& hooks) {
  return run_seeds(config, demand, hooks);
}

json manifest_of(const PortfolioConfig& config, const PriceTable& prices) { return manifest(config, prices); }
json manifest_of(const DispatchConfig& config, const DemandTable& demand) { return manifest(config, demand); }

json report(const PortfolioConfig& config, const std::vector<PortfolioTrial>& trials,
            const std::vector<Baseline<PortfolioMetrics>>& baselines) {
  return report_trials(to_json(config), trials, baselines);
}
json report(const DispatchConfig& config, const std::vector<DispatchTrial>& trials,
            const std::vector<Baseline<DispatchMetrics>>& baselines) {
  return report_trials(to_json(config), trials, baselines);
}

std::vector<LayerMethod> paper_grid(const LayerMethod& method) {
  std::vector<LayerMethod> grid;
  if (std::holds_alternative<Softmax>(method)) {
    for (const double temperature : {0.1, 0.5, 1.0, 2.0}) grid.emplace_back(Softmax{temperature});
  } else if (std::holds_alternative<SoftRadial>(method)) {
    for (const Contraction contraction : {Contraction::rational, Contraction::exponential, Contraction::hyperbolic}) {
      for (const double lambda : {0.5, 1.0, 2.0, 5.0, 10.0}) {
        grid.emplace_back(SoftRadial{.contraction = contraction, .lambda = lambda});
      }
    }
  } else if (std::holds_alternative<HardNet>(method)) {
    for (const int steps : {1, 3, 5}) grid.emplace_back(HardNet{steps});
  } else if (std::holds_alternative<Dc3>(method)) {
    for (const int steps : {1, 3, 5}) {
      for (const double rate : {0.01, 0.1}) {
        for (const double momentum : {0.5, 0.9}) {
          grid.emplace_back(Dc3{.steps = steps, .learning_rate = rate, .momentum = momentum});
        }
      }
    }
  } else {
    grid.push_back(method);
  }
  return grid;
}

LayerConfig tuned(PortfolioConfig config, const PriceTable& prices, const RunHooks& hooks) {
  return best_of_grid(std::move(config), prices, hooks);
}
LayerConfig tuned(DispatchConfig config, const DemandTable& demand, const RunHooks& hooks) {
  return best_of_grid(std::move(config), demand, hooks);
}

}  // namespace softradial::study
