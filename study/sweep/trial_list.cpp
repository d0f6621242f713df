#include "sweep/trial_list.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "files/durable_file.hpp"
#include "files/errors.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

// Finds, or adds, the group of a plan to which a trial belongs. A group of a sweep is identified by its setting and its
// method, and its candidates have one seed.
Group& group_for(SweepPlan& plan, const Configuration& configuration, std::uint64_t seed) {
  const auto found = std::ranges::find_if(plan.groups, [&](const Group& group) {
    return group.setting == configuration.setting && group.method == configuration.method() && group.first_seed == seed;
  });
  if (found != plan.groups.end()) return *found;
  plan.groups.push_back({.setting = configuration.setting,
                         .method = configuration.method(),
                         .first_seed = seed,
                         .seeds = 1,
                         .candidates = {}});
  return plan.groups.back();
}

}  // namespace

std::vector<PlannedTrial> missing_now(const SweepPlan& plan, const TrialResults& results, const TrialTimes& times) {
  std::vector<PlannedTrial> out;
  std::set<TrialId> seen;
  for (const Group& group : plan.groups) {
    for (PlannedTrial& trial : next_stage(group, plan.search, results).missing) {
      if (seen.insert({trial.configuration.key, trial.seed}).second) out.push_back(std::move(trial));
    }
  }
  std::ranges::stable_sort(out, std::greater<>(), [&](const PlannedTrial& trial) {
    return static_cast<double>(trial.epochs) * times.seconds_per_epoch(shape_of(trial.configuration));
  });
  return out;
}

void write_trial_list(const std::filesystem::path& file, std::span<const PlannedTrial> trials,
                      KeptDecisions decisions) {
  json out = {{"decisions", word_of(decisions)}, {"problems", json::object()}, {"trials", json::array()}};
  for (const PlannedTrial& trial : trials) {
    const Configuration& c = trial.configuration;
    out["problems"][c.problem->key] = c.problem->facts;
    out["trials"].push_back({{"problem", c.problem->key},
                             {"config", c.config},
                             {"setting", c.setting},
                             {"parameters", c.parameters},
                             {"seed", trial.seed}});
  }
  write_file(file, out.dump());
}

SweepPlan part_of_list(const std::filesystem::path& file, std::size_t part, std::size_t parts) {
  try {
    const json in = json::parse(read_file(file));
    std::map<std::string, std::shared_ptr<const Problem>> problems;
    for (const auto& [key, facts] : in.at("problems").items()) {
      problems[key] = problem_of(facts);
    }
    SweepPlan plan;
    const auto decisions = kept_decisions(in.value("decisions", "chosen"));
    if (!decisions) throw DataError(file.string() + ": is no list of trials");
    plan.decisions = *decisions;
    const json& trials = in.at("trials");
    for (std::size_t k = part; k < trials.size(); k += parts) {
      const json& each = trials[k];
      Configuration configuration =
          configuration_of(problems.at(each.at("problem").get<std::string>()), each.at("config"),
                           each.at("setting").get<std::string>(), each.at("parameters").get<std::string>());
      Group& group = group_for(plan, configuration, each.at("seed").get<std::uint64_t>());
      group.candidates.push_back(std::move(configuration));
    }
    return plan;
  } catch (const json::exception&) {
    throw DataError(file.string() + ": is no list of trials");
  } catch (const std::out_of_range&) {
    throw DataError(file.string() + ": names a problem that it does not have");
  }
}

}  // namespace softradial::study
