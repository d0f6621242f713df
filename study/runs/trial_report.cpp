#include "runs/trial_report.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "data/tables.hpp"
#include "runs/task_kinds.hpp"

namespace softradial::study {

namespace {

using nlohmann::json;

constexpr std::array<std::pair<TrainingEnd, std::string_view>, 4> kEnds = {{{TrainingEnd::finished, "finished"},
                                                                            {TrainingEnd::no_gain, "no_gain"},
                                                                            {TrainingEnd::interrupted, "interrupted"},
                                                                            {TrainingEnd::diverged, "diverged"}}};

// A number that is not finite is null in JSON.
double number(const json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

template <class Metrics>
void read_values(const json& in, Metrics& metrics) {
  for (const auto& [name, place] : metric_fields(metrics)) metrics.*place = number(in.at(std::string(name)));
}

template <class Metrics>
json trial_json(const Trial<Metrics>& trial) {
  json out = {{"seed", trial.seed},
              {"validation", values_of(named_values(trial.validation))},
              {"test", values_of(named_values(trial.test))},
              {"selection", trial.selection},
              {"seconds", trial.seconds},
              {"epochs", trial.epochs},
              {"best_epoch", trial.best_epoch},
              {"end", std::ranges::find(kEnds, trial.end, &decltype(kEnds)::value_type::first)->second}};
  if (trial.worst_violation) out["violation"] = *trial.worst_violation;
  return out;
}

template <class Metrics>
Trial<Metrics> read(const json& in) {
  try {
    Trial<Metrics> trial;
    trial.seed = in.at("seed").get<std::uint64_t>();
    read_values(in.at("validation"), trial.validation);
    read_values(in.at("test"), trial.test);
    trial.selection = number(in.at("selection"));
    trial.seconds = in.at("seconds").get<double>();
    trial.epochs = in.at("epochs").get<std::int64_t>();
    trial.best_epoch = in.at("best_epoch").get<std::int64_t>();
    const auto end = std::ranges::find(kEnds, in.at("end").get<std::string>(), &decltype(kEnds)::value_type::second);
    if (end == kEnds.end()) throw DataError("a saved trial has no known end");
    trial.end = end->first;
    if (in.contains("violation")) trial.worst_violation = number(in["violation"]);
    return trial;
  } catch (const json::exception& error) {
    throw DataError(std::string("a saved trial is not readable: ") + error.what());
  }
}

}  // namespace

json values_of(const std::vector<std::pair<std::string, double>>& named) {
  json out = json::object();
  for (const auto& [name, value] : named) out[name] = value;
  return out;
}

json to_json(const PortfolioTrial& trial) { return trial_json(trial); }
json to_json(const DispatchTrial& trial) { return trial_json(trial); }

template <>
PortfolioTrial trial_of(const json& saved) {
  return read<PortfolioMetrics>(saved);
}
template <>
DispatchTrial trial_of(const json& saved) {
  return read<DispatchMetrics>(saved);
}

std::vector<std::uint64_t> seeds_of(const RunConfig& config) {
  std::vector<std::uint64_t> seeds(static_cast<std::size_t>(config.layer.equal_weight() ? 1 : config.seeds));
  std::iota(seeds.begin(), seeds.end(), config.training.seed);
  return seeds;
}

TrainingOptions training_of(const RunConfig& config, std::uint64_t seed) {
  TrainingOptions options = config.training;
  options.seed = seed;
  if (config.layer.equal_weight()) options.epochs = 1;
  return options;
}

}  // namespace softradial::study
