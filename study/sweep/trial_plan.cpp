#include "sweep/trial_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "data/random.hpp"

namespace softradial::study {
namespace {

// The epochs after which candidates are compared, the last of them the whole training.
std::vector<std::int64_t> rounds_of(const Search& search, std::int64_t epochs) {
  std::vector<std::int64_t> rounds;
  if (search.kind == SearchKind::halving) {
    for (std::int64_t e = search.first_epochs; e < epochs; e *= search.keep) rounds.push_back(e);
  }
  rounds.push_back(epochs);
  return rounds;
}

std::size_t kept_of(std::size_t count, const Search& search) {
  const auto keep = static_cast<std::size_t>(search.keep);
  return (count + keep - 1) / keep;
}

// A trial that failed, or whose validation is no number, comes last.
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
  const std::int64_t all_epochs = group.candidates.front().epochs();
  std::int64_t before = 0;
  for (const std::int64_t epochs : rounds_of(search, all_epochs)) {
    std::vector<Configuration> round;
    for (const std::size_t k : left) round.push_back(with_epochs(group.candidates[k], epochs));
    for (const Configuration& each : round) want(each, group.first_seed, epochs - before, epochs < all_epochs);
    if (!stage.missing.empty()) {
      stage.epochs_after = all_epochs - epochs + (group.seeds > 1 ? all_epochs : 0);
      return stage;
    }
    before = epochs;
    if (epochs == all_epochs) break;
    std::vector<std::size_t> order(left.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto value = [&](std::size_t k) { return rank_value(results.at({round[k].key, group.first_seed})); };
    std::ranges::stable_sort(order, std::greater<>(), value);
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < kept_of(left.size(), search); ++k) kept.push_back(left[order[k]]);
    std::ranges::sort(kept);
    left = std::move(kept);
  }
  std::vector<std::string> keys;
  for (const std::size_t k : left) keys.push_back(group.candidates[k].key);
  const auto best = best_candidate(keys, group.first_seed, results);
  if (!best) return stage;
  for (int k = 1; k < group.seeds; ++k) {
    want(group.candidates[left[*best]], group.first_seed + static_cast<std::uint64_t>(k), all_epochs, false);
  }
  return stage;
}

GroupSize size_of(const Group& group, const Search& search) {
  GroupSize size;
  std::size_t left = group.candidates.size();
  std::int64_t before = 0;
  const std::int64_t all_epochs = group.candidates.front().epochs();
  for (const std::int64_t epochs : rounds_of(search, all_epochs)) {
    size.trials += left;
    size.epochs += static_cast<std::int64_t>(left) * (epochs - before);
    before = epochs;
    left = kept_of(left, search);
  }
  size.trials += static_cast<std::size_t>(group.seeds - 1);
  size.epochs += (group.seeds - 1) * all_epochs;
  return size;
}

StoredGroup stored(const SweepPlan& plan, const Group& group) {
  StoredGroup out{.sweep = plan.name,
                  .setting = group.setting,
                  .method = group.method,
                  .first_seed = group.first_seed,
                  .seeds = group.seeds,
                  .candidates = {}};
  for (const Configuration& each : group.candidates) out.candidates.push_back(each.key);
  return out;
}

}  // namespace softradial::study
