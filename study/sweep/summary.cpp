#include "sweep/summary.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "metrics/mean_and_std.hpp"
#include "sweep/trial_plan.hpp"

namespace softradial::study {

using nlohmann::json;

namespace {

// The numbers of a metric, one for each seed.
using Columns = std::map<std::string, std::vector<double>>;

void add_numbers(const json& metrics, Columns& columns) {
  for (const auto& [name, value] : metrics.items()) {
    if (value.is_number()) columns[name].push_back(value.get<double>());
  }
}

// {"sharpe_difference": {"value", "low", "high"}, ...}
json intervals_of(const Columns& columns) {
  json out = json::object();
  for (const auto& [name, numbers] : columns) {
    const auto low = columns.find(name + kLowEnd);
    const auto high = columns.find(name + kHighEnd);
    if (low == columns.end() || high == columns.end()) continue;
    out[name] = {{"value", mean_and_std(numbers).mean},
                 {"low", mean_and_std(low->second).mean},
                 {"high", mean_and_std(high->second).mean}};
  }
  return out;
}

}  // namespace

std::optional<json> chosen_of(ResultsStore& store, const StoredGroup& group, const TrialResults& results) {
  const auto best = best_candidate(group.candidates, group.first_seed, results);
  if (!best) return std::nullopt;
  json out;
  Columns columns;
  Columns comparison;
  double violation = 0;
  for (json& trial : store.trials_of(group.candidates[*best])) {
    const auto seed = trial.at("seed").get<std::uint64_t>();
    if (seed < group.first_seed || seed >= group.first_seed + static_cast<std::uint64_t>(group.seeds)) continue;
    if (seed == group.first_seed) {
      for (const char* key : {"task", "configuration", "parameters", "config", "selection"}) out[key] = trial.at(key);
    }
    out["seeds"].push_back(seed);
    add_numbers(trial.at("test"), columns);
    if (trial.contains(kAgainstEqualWeight)) add_numbers(trial[kAgainstEqualWeight], comparison);
    if (trial.at("violation").is_number()) violation = std::max(violation, trial["violation"].get<double>());
    out["trials"].push_back(std::move(trial));
  }
  out["violation"] = violation;
  if (!comparison.empty()) out[kAgainstEqualWeight] = intervals_of(comparison);
  for (const auto& [name, numbers] : columns) {
    const MeanAndStd over_seeds = mean_and_std(numbers);
    out["mean"][name] = over_seeds.mean;
    out["std"][name] = over_seeds.std;
  }
  return out;
}

std::vector<json> summary_of(ResultsStore& store) {
  std::vector<json> out;
  const TrialResults results = store.results();
  for (const StoredGroup& group : store.groups()) {
    json line = {{"sweep", group.sweep},
                 {"setting", group.setting},
                 {"method", group.method},
                 {"candidates", group.candidates.size()}};
    std::size_t finished = 0;
    std::size_t failed = 0;
    for (const std::string& key : group.candidates) {
      const auto found = results.find({key, group.first_seed});
      if (found != results.end()) ++(found->second.failed ? failed : finished);
    }
    line["finished"] = finished;
    line["failed"] = failed;
    if (auto chosen = chosen_of(store, group, results)) {
      chosen->erase("trials");
      line["chosen"] = std::move(*chosen);
    }
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace softradial::study
