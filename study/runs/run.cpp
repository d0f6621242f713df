#include "runs/run.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "data/tables.hpp"
#include "tasks/task_data.hpp"

namespace softradial::study {

namespace {

using nlohmann::json;

void write_json(const std::filesystem::path& file, const json& value) {
  std::ofstream out(file);
  out << value.dump(2) << "\n";
  if (!out.flush()) throw DataError(file.string() + ": cannot be written");
}

// Each seed gets a task of its own: trials share nothing but the data.
template <class TrialType, class Config, class MakeTask>
std::vector<TrialType> run_seeds(const Config& config, const json& saved, const Set& set, const RunHooks& hooks,
                                 const MakeTask& make_task) {
  if (!hooks.out.empty()) {
    std::filesystem::create_directories(hooks.out);
    write_json(hooks.out / "config.json", saved);
  }
  std::vector<TrialType> trials;
  // Equal weight has nothing to learn: one pass, one seed.
  const bool fixed = config.layer.equal_weight();
  for (int k = 0; k < (fixed ? 1 : config.seeds); ++k) {
    TrainingOptions options = config.training;
    options.seed += static_cast<std::uint64_t>(k);
    if (fixed) options.epochs = 1;
    options.config = saved.dump();
    if (!hooks.out.empty()) options.checkpoint = checkpoint_file(hooks.out, options.seed);
    TrainingHooks inner;
    inner.stop = hooks.stop;
    if (hooks.progress) inner.progress = [&](const Progress& progress) { hooks.progress(k, progress); };
    auto task = make_task();
    trials.push_back(run_trial(task, options, inner, violation_of(set)));
    if (hooks.stop != nullptr && hooks.stop->load()) break;
  }
  if (!hooks.out.empty()) write_json(hooks.out / "result.json", report(config, trials));
  return trials;
}

const char* word(TrainingEnd end) {
  switch (end) {
    case TrainingEnd::finished:
      return "finished";
    case TrainingEnd::no_gain:
      return "no_gain";
    case TrainingEnd::interrupted:
      return "interrupted";
    case TrainingEnd::diverged:
      return "diverged";
  }
  return "";
}

template <class Metrics>
json values(const Metrics& metrics) {
  json out = json::object();
  for (const auto& [name, value] : named_values(metrics)) out[std::string(name)] = value;
  return out;
}

template <class TrialType>
json report_trials(const json& config, const std::vector<TrialType>& trials) {
  json out = {{"task", config.at("task")}, {"method", config.at("method")}, {"config", config}};
  std::map<std::string, std::vector<double>> columns;
  out["trials"] = json::array();
  for (const TrialType& trial : trials) {
    json row = {{"seed", trial.seed},         {"validation", values(trial.validation)},
                {"test", values(trial.test)}, {"seconds", trial.seconds},
                {"epochs", trial.epochs},     {"best_epoch", trial.best_epoch},
                {"end", word(trial.end)}};
    if (trial.worst_violation) row["violation"] = *trial.worst_violation;
    out["trials"].push_back(row);
    for (const auto& [name, value] : named_values(trial.test)) columns[std::string(name)].push_back(value);
  }
  out["mean"] = json::object();
  out["std"] = json::object();
  for (const auto& [name, numbers] : columns) {
    double mean = 0;
    for (const double v : numbers) mean += v / static_cast<double>(numbers.size());
    double square = 0;
    for (const double v : numbers) square += (v - mean) * (v - mean) / static_cast<double>(numbers.size());
    out["mean"][name] = mean;
    out["std"][name] = std::sqrt(square);
  }
  return out;
}

double metric(const PortfolioMetrics& metrics) { return metrics.sharpe; }
double metric(const DispatchMetrics& metrics) { return metrics.served_rate; }

template <class Config, class TableType>
LayerConfig best_of_grid(Config config, const TableType& table, RunHooks hooks) {
  if (config.layer.equal_weight()) return config.layer;
  hooks.out.clear();
  config.seeds = 1;
  LayerConfig best = config.layer;
  double most = -std::numeric_limits<double>::infinity();
  for (const LayerMethod& candidate : paper_grid(config.layer.options)) {
    config.layer.options = candidate;
    const double value = metric(run(config, table, hooks)[0].validation);
    if (value > most) {
      most = value;
      best = config.layer;
    }
  }
  return best;
}

}  // namespace

std::filesystem::path checkpoint_file(const std::filesystem::path& out, std::uint64_t seed) {
  return out / ("seed-" + std::to_string(seed) + ".pt");
}

std::vector<PortfolioTrial> run(const PortfolioConfig& config, const PriceTable& prices, const RunHooks& hooks) {
  const PortfolioData data = make_portfolio_data(prices, config.split, config.lookback);
  const Set set = decision_set(config, prices.tickers.size());
  json saved = to_json(config);
  saved["tickers"] = prices.tickers;
  return run_seeds<PortfolioTrial>(
      config, saved, set, hooks, [&] { return PortfolioTask(data, config.model, decision_layer(config.layer, set)); });
}

std::vector<DispatchTrial> run(const DispatchConfig& config, const DemandTable& demand, const RunHooks& hooks) {
  const DispatchData data = make_dispatch_data(demand, config.split, config.history);
  const Set set = decision_set(config, demand.zones.size());
  json saved = to_json(config);
  saved["zone_names"] = demand.zones;
  return run_seeds<DispatchTrial>(config, saved, set, hooks,
                                  [&] { return DispatchTask(data, config.model, decision_layer(config.layer, set)); });
}

json report(const PortfolioConfig& config, const std::vector<PortfolioTrial>& trials) {
  return report_trials(to_json(config), trials);
}
json report(const DispatchConfig& config, const std::vector<DispatchTrial>& trials) {
  return report_trials(to_json(config), trials);
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
