#include "sweep/trial_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "data/random.hpp"

namespace softradial::study {
namespace {

// The epochs after which candidates are compared, before the last round, which is the whole training. If there are such
// rounds, all candidates have the same number of epochs.
std::vector<std::int64_t> early_rounds(const Search& search, const Group& group) {
  std::vector<std::int64_t> rounds;
  if (search.kind != SearchKind::halving) return rounds;
  for (std::int64_t e = search.first_epochs; e < group.candidates.front().epochs(); e *= search.keep)
    rounds.push_back(e);
  return rounds;
}

std::int64_t most_epochs(const Group& group) {
  std::int64_t most = 0;
  for (const Configuration& each : group.candidates) most = std::max(most, each.epochs());
  return most;
}

std::size_t kept_of(std::size_t count, const Search& search) {
  const auto keep = static_cast<std::size_t>(search.keep);
  return (count + keep - 1) / keep;
}

// A trial that failed, or whose validation is not a number, ranks last.
double rank_value(const TrialResult& result) {
  return result.failed || std::isnan(result.selection) ? -std::numeric_limits<double>::infinity() : result.selection;
}

}  // namespace

std::vector<std::size_t> drawn(std::size_t size, std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> all(size);
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (count == 0 || count >= size) return all;
  Random random(seed, 0);
  for (std::size_t k = 0; k < count; ++k) {
    const auto left = static_cast<double>(size - k);
    const auto step = std::min(static_cast<std::size_t>(random.uniform() * left), size - k - 1);
    std::swap(all[k], all[k + step]);
  }
  all.resize(count);
  std::ranges::sort(all);
  return all;
}

std::optional<std::size_t> best_candidate(std::span<const std::string> keys, std::uint64_t seed,
                                          const TrialResults& results) {
  std::optional<std::size_t> best;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const auto found = results.find({keys[k], seed});
    if (found == results.end() || rank_value(found->second) <= most) continue;
    most = rank_value(found->second);
    best = k;
  }
  return best;
}

Stage next_stage(const Group& group, const Search& search, const TrialResults& results) {
  Stage stage;
  const auto want = [&](const Configuration& configuration, std::uint64_t seed, std::int64_t epochs, bool may_go_on) {
    if (const auto found = results.find({configuration.key, seed}); found != results.end()) {
      ++stage.trials_done;
      stage.epochs_done += epochs;
      stage.failed += found->second.failed ? 1 : 0;
      if (seed == group.first_seed) stage.best = std::max(stage.best, rank_value(found->second));
    } else {
      stage.missing.push_back({configuration, seed, may_go_on, epochs});
    }
  };
  std::vector<std::size_t> left(group.candidates.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  const std::int64_t all_epochs = most_epochs(group);
  const std::int64_t epochs_of_another_seed = group.seeds > 1 ? all_epochs : 0;
  std::int64_t before = 0;
  for (const std::int64_t epochs : early_rounds(search, group)) {
    std::vector<Configuration> round;
    round.reserve(left.size());
    for (const std::size_t k : left) round.push_back(with_epochs(group.candidates[k], epochs));
    for (const Configuration& each : round) want(each, group.first_seed, epochs - before, true);
    if (!stage.missing.empty()) {
      stage.epochs_after = all_epochs - epochs + epochs_of_another_seed;
      return stage;
    }
    before = epochs;
    std::vector<std::size_t> order(left.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto value = [&](std::size_t k) { return rank_value(results.at({round[k].key, group.first_seed})); };
    std::ranges::stable_sort(order, std::greater<>(), value);
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < kept_of(left.size(), search); ++k) kept.push_back(left[order[k]]);
    std::ranges::sort(kept);
    left = std::move(kept);
  }
  for (const std::size_t k : left) {
    want(group.candidates[k], group.first_seed, group.candidates[k].epochs() - before, false);
  }
  if (!stage.missing.empty()) {
    stage.epochs_after = epochs_of_another_seed;
    return stage;
  }
  std::vector<std::string> keys;
  keys.reserve(left.size());
  for (const std::size_t k : left) keys.push_back(group.candidates[k].key);
  const auto best = best_candidate(keys, group.first_seed, results);
  if (!best) return stage;
  const Configuration& chosen = group.candidates[left[*best]];
  for (int k = 1; k < group.seeds; ++k) {
    want(chosen, group.first_seed + static_cast<std::uint64_t>(k), chosen.epochs(), false);
  }
  return stage;
}

GroupSize size_of(const Group& group, const Search& search) {
  GroupSize size;
  std::size_t left = group.candidates.size();
  std::int64_t before = 0;
  for (const std::int64_t epochs : early_rounds(search, group)) {
    size.trials += left;
    size.epochs += static_cast<std::int64_t>(left) * (epochs - before);
    before = epochs;
    left = kept_of(left, search);
  }
  // Which candidates are left is not known yet. Their epochs may differ only if all are left.
  for (std::size_t k = 0; k < left; ++k) size.epochs += group.candidates[k].epochs() - before;
  size.trials += left + static_cast<std::size_t>(group.seeds - 1);
  size.epochs += (group.seeds - 1) * most_epochs(group);
  return size;
}

DecisionBar::DecisionBar(const SweepPlan& plan, const TrialResults& results)
    : plan_(&plan), best_(plan.groups.size(), -std::numeric_limits<double>::infinity()) {
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    for (const Configuration& each : plan.groups[g].candidates) {
      groups_.emplace(each.key, g);
      const auto found = results.find({each.key, plan.groups[g].first_seed});
      if (found != results.end()) best_[g] = std::max(best_[g], rank_value(found->second));
    }
  }
}

std::optional<double> DecisionBar::of(const TrialId& trial) const {
  constexpr double kAny = -std::numeric_limits<double>::infinity();
  if (plan_->decisions == KeptDecisions::none) return std::nullopt;
  if (plan_->decisions == KeptDecisions::all) return kAny;
  std::optional<double> least;
  for (auto [each, last] = groups_.equal_range(trial.configuration); each != last; ++each) {
    // Trials with other seeds belong to the chosen configuration.
    const bool is_candidate = trial.seed == plan_->groups[each->second].first_seed;
    const double bar = is_candidate ? best_[each->second] : kAny;
    least = least ? std::min(*least, bar) : bar;
  }
  return least;
}

void DecisionBar::take(const TrialId& trial, const TrialResult& result) {
  for (auto [each, last] = groups_.equal_range(trial.configuration); each != last; ++each) {
    if (trial.seed == plan_->groups[each->second].first_seed) {
      best_[each->second] = std::max(best_[each->second], rank_value(result));
    }
  }
}

StoredGroup stored(const SweepPlan& plan, const Group& group) {
  StoredGroup out{.sweep = plan.name,
                  .setting = group.setting,
                  .method = group.method,
                  .first_seed = group.first_seed,
                  .seeds = group.seeds,
                  .decisions = plan.decisions,
                  .candidates = {}};
  for (const Configuration& each : group.candidates) out.candidates.push_back(each.key);
  return out;
}

}  // namespace softradial::study
