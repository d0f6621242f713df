#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sweep/configuration.hpp"
#include "sweep/results_store.hpp"
#include "sweep/trial_outcome.hpp"

// The trials that a sweep wants. Everything here is a function of the plan and the results so far: a resumed sweep asks again
// and gets what is missing.
namespace softradial::study {

enum class SearchKind {
  grid,    // every candidate
  random,  // `count` of them, drawn with `seed`
  halving  // all (or `count`) for `first_epochs`; of each round, one in `keep`, the best, go on `keep` times as long
};

struct Search {
  SearchKind kind = SearchKind::grid;
  std::size_t count = 0;  // 0: all
  std::uint64_t seed = 0;
  std::int64_t first_epochs = 5;
  int keep = 3;
  bool operator==(const Search&) const = default;
};

// Configurations of one method in one setting. The one with the best validation for the first seed is chosen and judged on
// test with all seeds.
struct Group {
  std::string setting;
  std::string method;
  std::uint64_t first_seed = 0;
  int seeds = 1;
  std::vector<Configuration> candidates;
};

struct SweepPlan {
  std::string name;
  Search search;
  KeptDecisions decisions = KeptDecisions::chosen;
  std::vector<Group> groups;
};

struct PlannedTrial {
  Configuration configuration;
  std::uint64_t seed = 0;
  bool may_go_on = false;   // a longer training may follow, so its checkpoint stays
  std::int64_t epochs = 0;  // to train, after those of an earlier round
};

// The part of a group that can be trained now.
struct Stage {
  std::vector<PlannedTrial> missing;  // empty: the group is done
  std::size_t trials_done = 0;        // in this stage and those before
  std::int64_t epochs_done = 0;
  std::int64_t epochs_after = 0;  // consecutive epochs until the group is done, once this stage has ended
  std::size_t failed = 0;         // failed trials among those done
  double best = -std::numeric_limits<double>::infinity();  // best validation of those done
};

// Draws `count` of the numbers 0 ... size - 1, in increasing order; a seed gives the same ones on every machine. All of them
// if `count` is 0 or too large.
[[nodiscard]] std::vector<std::size_t> drawn(std::size_t size, std::size_t count, std::uint64_t seed);

[[nodiscard]] Stage next_stage(const Group& group, const Search& search, const TrialResults& results);

// All trials that a group will ask for, and the most epochs that they take.
struct GroupSize {
  std::size_t trials = 0;
  std::int64_t epochs = 0;
};
[[nodiscard]] GroupSize size_of(const Group& group, const Search& search);

// The candidate with the best validation for the seed, the first in a tie; nothing if none has finished.
[[nodiscard]] std::optional<std::size_t> best_candidate(std::span<const std::string> keys, std::uint64_t seed,
                                                        const TrialResults& results);

// Which trials of a plan must record their decisions, so that the store has those that it keeps. The chosen configuration is
// known only when all candidates have ended: so a candidate records its decisions if its validation is not worse than the best
// one so far. The store deletes the others as soon as a better one arrives.
class DecisionBar {
 public:
  DecisionBar(const SweepPlan& plan, const TrialResults& results);

  // A trial that begins now must record its decisions if its validation reaches this number; nothing: it need not.
  [[nodiscard]] std::optional<double> of(const TrialId& trial) const;
  // Takes note of a trial that has ended.
  void take(const TrialId& trial, const TrialResult& result);

 private:
  const SweepPlan* plan_;
  std::multimap<std::string, std::size_t> groups_;  // groups of a candidate, by its key
  std::vector<double> best_;                        // by group, over the candidates with the first seed
};

[[nodiscard]] StoredGroup stored(const SweepPlan& plan, const Group& group);

}  // namespace softradial::study
