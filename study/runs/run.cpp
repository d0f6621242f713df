#include "runs/run.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "runs/parallel.hpp"
#include "runs/policy_file.hpp"
#include "runs/task_kinds.hpp"
#include "runs/trial_report.hpp"
#include "softradial/set_json.hpp"

namespace softradial::study {

namespace {

using nlohmann::json;

template <class Metrics>
json report_result(const json& config, const RunResult<Metrics>& result,
                   const std::vector<Baseline<Metrics>>& baselines) {
  json out = {{"task", config.at("task")}, {"method", config.at("method")}, {"config", config}};
  std::map<std::string, std::vector<double>> columns;
  out["trials"] = json::array();
  const Trial<Metrics>* best = nullptr;
  for (const Trial<Metrics>& trial : result.trials) {
    out["trials"].push_back(to_json(trial));
    for (const auto& [name, value] : named_values(trial.test)) columns[name].push_back(value);
    if (best == nullptr || trial.selection > best->selection) best = &trial;
  }
  if (best != nullptr) out["best_seed"] = best->seed;
  out["mean"] = json::object();
  out["std"] = json::object();
  for (const auto& [name, numbers] : columns) {
    const MeanAndStd over_seeds = mean_and_std(numbers);
    out["mean"][name] = over_seeds.mean;
    out["std"][name] = over_seeds.std;
  }
  if (!result.against_equal_weight.empty()) out["against_equal_weight"] = to_json(result.against_equal_weight);
  if (result.ensemble) {
    out["ensemble"] = {{"validation", values_of(named_values(result.ensemble->validation))},
                       {"test", values_of(named_values(result.ensemble->test))},
                       {"violation", result.ensemble->violation},
                       {"against_equal_weight", to_json(result.ensemble->against_equal_weight)}};
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
json manifest(const Config& config, const DecisionSet& decision, const json& data) {
  return {{"task", KindOf<Config>::kName},
          {"config", to_json(config)},
          {"names", decision.names},
          {"set", json::parse(to_json(decision.set))},
          {"data", data},
          {"seeds", seeds_of(config)}};
}
template <class Config>
json manifest_of_table(const Config& config, const typename KindOf<Config>::Input& given) {
  const DecisionSet decision = limits_of(config, given);
  return manifest(config, decision, describe_data(config, with_columns(given, decision.names)));
}
template <class Config>
json manifest_of_parts(const Config& config, TableParts<typename KindOf<Config>::Input>& parts) {
  const DecisionSet decision = limits_of(config, parts.outline());
  return manifest(config, decision, describe_data(config, parts, decision.names));
}

// The decisions of one seed.
template <class Config>
struct Decided {
  typename KindOf<Config>::Evaluation validation;
  typename KindOf<Config>::Evaluation test;
};

// The decisions of a seed that was trained and saved earlier.
template <class Config>
Decided<Config> decided_before(typename KindOf<Config>::TaskType task, const std::filesystem::path& model) {
  load_policy(model).give_to(task.parameters());
  return {task.evaluate(task.splits().validation), task.evaluate(task.splits().test)};
}

// The results of all seeds together: the interval against equal weight, and the ensemble if it was asked for.
template <class Config>
void judge_together(const Config& config, const typename KindOf<Config>::Data& data, const Set& set,
                    const std::vector<std::optional<Decided<Config>>>& decided, const RunHooks& hooks,
                    RunResult<typename KindOf<Config>::Metrics>& result) {
  using Evaluation = typename KindOf<Config>::Evaluation;
  std::vector<Evaluation> validation;
  std::vector<Evaluation> test;
  for (const auto& seed : decided) {
    validation.push_back(seed->validation);
    test.push_back(seed->test);
  }
  const auto against = [&](const std::vector<Evaluation>& policies) {
    return against_equal_weight(policies, baselines_over(config, data, set, rows_of(test[0]))[0].evaluation);
  };
  if (!config.layer.equal_weight()) result.against_equal_weight = against(test);
  if (!hooks.ensemble) return;
  const Evaluation before = ensemble_of(config, data, validation);
  const Evaluation here = ensemble_of(config, data, test);
  const ViolationFunction violation = violation_of(set);
  result.ensemble = Ensemble<typename KindOf<Config>::Metrics>{
      before.metrics, here.metrics, std::max(violation(decisions_of(before)), violation(decisions_of(here))),
      against({here})};
  if (hooks.folder != nullptr) {
    const std::vector<Record> records = {record_beside("validation", before, config, data, set),
                                         record_beside("test", here, config, data, set)};
    hooks.folder->save_ensemble(records);
  }
}

// The state of a seed's training.
struct SeedState {
  std::optional<json> finished;  // its saved result
  std::optional<Checkpoint> from;
};

SeedState state_in(RunFolder* folder, std::uint64_t seed, bool stopped) {
  SeedState state;
  if (folder == nullptr) return state;
  state.finished = folder->finished(seed);
  if (!state.finished && !stopped) state.from = folder->checkpoint(seed);
  return state;
}

// Only rank 0 has the folder; the other ranks start from the state that it sends.
SeedState state_for_all(RunFolder* folder, std::uint64_t seed, Team& team) {
  constexpr const char* kFinished = "finished";
  SeedState state;
  together(team, [&] { state = state_in(folder, seed, false); });
  const std::string told = team.from_first(state.finished ? kFinished
                                           : state.from   ? checkpoint_bytes(*state.from)
                                                          : "");
  if (team.rank() == 0) return state;
  if (told == kFinished) {
    state.finished = json();
  } else if (!told.empty()) {
    state.from = parse_checkpoint(told);
  }
  return state;
}

// Each seed gets its own task: trials share nothing but the data.
template <class Config>
RunResult<typename KindOf<Config>::Metrics> run_seeds(const Config& config, const DecisionSet& decision,
                                                      const typename KindOf<Config>::Data& data,
                                                      const RunHooks& hooks) {
  using Kind = KindOf<Config>;
  using TrialType = Trial<typename Kind::Metrics>;
  const bool judges = hooks.team == nullptr || hooks.team->rank() == 0;
  const ViolationFunction violation = violation_of(decision.set);
  json saved = to_json(config);
  saved["names"] = decision.names;
  saved["set"] = json::parse(to_json(decision.set));
  if (judges) saved["in_sample_until"] = in_sample_until(data);
  const std::vector<std::uint64_t> seeds = seeds_of(config);
  std::vector<std::optional<TrialType>> done(seeds.size());
  std::vector<std::optional<Decided<Config>>> decided(seeds.size());
  std::mutex mutex;
  const auto make_task = [&] {
    return typename Kind::TaskType(data, config.model, decision_layer(config.layer, decision.set));
  };
  bool team_stopped = false;  // the whole team stops if one process was asked to
  const auto stopped = [&] {
    return hooks.team != nullptr ? team_stopped : hooks.stop != nullptr && hooks.stop->load();
  };

  in_parallel(static_cast<int>(seeds.size()), hooks.jobs, [&](int index) {
    const auto place = static_cast<std::size_t>(index);
    const std::uint64_t seed = seeds[place];
    RunFolder* const folder = hooks.folder;
    if (hooks.team != nullptr && team_stopped) return;
    const SeedState state =
        hooks.team != nullptr ? state_for_all(folder, seed, *hooks.team) : state_in(folder, seed, stopped());
    if (state.finished) {
      if (!judges) return;
      done[place] = trial_of<typename Kind::Metrics>(*state.finished);
      decided[place] = decided_before<Config>(make_task(), model_file(folder->path(), seed));
      return;
    }
    if (stopped()) return;
    typename Kind::TaskType task = make_task();
    TrainingOptions options = training_of(config, seed);
    TrainingHooks inner;
    inner.stop = hooks.stop;
    inner.team = hooks.team;
    const Checkpoint* const from = state.from ? &*state.from : nullptr;
    if (!judges) {
      team_stopped = train(task, options, inner, from).end == TrainingEnd::interrupted;
      return;
    }
    if (hooks.progress) {
      inner.progress = [&](const Progress& progress) {
        const std::lock_guard lock(mutex);
        hooks.progress(index, progress);
      };
    }
    PolicyFile policy{.task = Kind::kName, .config = saved, .seed = seed};
    std::vector<EpochRecord> history;
    std::vector<Record> records;
    if (folder != nullptr) options.checkpoint = folder->checkpoint_file(seed);
    const TrialRecorder<typename Kind::Evaluation> record = [&](const auto& on_validation, const auto& on_test,
                                                                const TrainingResult& training) {
      decided[place] = Decided<Config>{on_validation, on_test};
      if (folder == nullptr) return;
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
    const TrialType trial = run_trial(task, options, inner, violation, from, record);
    if (hooks.team != nullptr) team_stopped = trial.end == TrainingEnd::interrupted;
    if (folder != nullptr) {
      if (policy.is_finished) {
        folder->save_finished(policy, history, records, to_json(trial));
      } else {
        folder->save_interrupted(policy);
      }
    }
    done[place] = trial;
  });

  RunResult<typename Kind::Metrics> result;
  result.interrupted = stopped();
  if (!judges) return result;
  for (auto& trial : done) {
    if (trial) result.trials.push_back(std::move(*trial));
  }
  if (!result.interrupted) judge_together(config, data, decision.set, decided, hooks, result);
  if (hooks.folder != nullptr) hooks.folder->save_manifest(result.interrupted ? "interrupted" : "finished");
  return result;
}

template <class Config>
RunResult<typename KindOf<Config>::Metrics> run_table(const Config& config, const typename KindOf<Config>::Input& given,
                                                      const RunHooks& hooks) {
  const DecisionSet decision = limits_of(config, given);
  return run_seeds(config, decision, make_data(config, with_columns(given, decision.names)), hooks);
}

template <class Config>
SharedRun<typename KindOf<Config>::Metrics> run_parts(const Config& config,
                                                      TableParts<typename KindOf<Config>::Input>& parts,
                                                      const RunHooks& hooks) {
  std::optional<DecisionSet> decision;
  together(*hooks.team, [&] { decision = limits_of(config, parts.outline()); });
  const auto data = share_data(config, parts, decision->names, *hooks.team);
  // Errors in the model or the layer are reported before any process waits for a batch.
  together(*hooks.team, [&] {
    const typename KindOf<Config>::TaskType task(data, config.model, decision_layer(config.layer, decision->set));
  });
  SharedRun<typename KindOf<Config>::Metrics> out;
  out.result = run_seeds(config, *decision, data, hooks);
  if (hooks.team->rank() == 0) out.baselines = baselines(config, data, decision->set);
  return out;
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
    const auto trials = run(candidate, input, inner).trials;
    if (!trials.empty()) found[static_cast<std::size_t>(index)] = trials[0].selection;
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

RunResult<PortfolioMetrics> run(const PortfolioConfig& config, const PriceTable& prices, const RunHooks& hooks) {
  return run_table(config, prices, hooks);
}
RunResult<DispatchMetrics> run(const DispatchConfig& config, const DemandTable& demand, const RunHooks& hooks) {
  return run_table(config, demand, hooks);
}

SharedRun<PortfolioMetrics> run_together(const PortfolioConfig& config, PriceParts& prices, const RunHooks& hooks) {
  return run_parts(config, prices, hooks);
}
SharedRun<DispatchMetrics> run_together(const DispatchConfig& config, DemandParts& demand, const RunHooks& hooks) {
  return run_parts(config, demand, hooks);
}

json manifest_of(const PortfolioConfig& config, const PriceTable& prices) { return manifest_of_table(config, prices); }
json manifest_of(const DispatchConfig& config, const DemandTable& demand) { return manifest_of_table(config, demand); }
json manifest_of(const PortfolioConfig& config, PriceParts& prices) { return manifest_of_parts(config, prices); }
json manifest_of(const DispatchConfig& config, DemandParts& demand) { return manifest_of_parts(config, demand); }

json report(const PortfolioConfig& config, const RunResult<PortfolioMetrics>& result,
            const std::vector<Baseline<PortfolioMetrics>>& baselines) {
  return report_result(to_json(config), result, baselines);
}
json report(const DispatchConfig& config, const RunResult<DispatchMetrics>& result,
            const std::vector<Baseline<DispatchMetrics>>& baselines) {
  return report_result(to_json(config), result, baselines);
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
