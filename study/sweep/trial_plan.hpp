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

// Which trials a sweep wants. Everything here is a function of the plan and of the results so far: a sweep that is resumed
// asks again and gets what is missing.
namespace softradial::study {

enum class SearchKind {
  grid,    // every candidate
  random,  // `count` of them, drawn with `seed`
  halving  // all (or `count`) of them for `first_epochs`; of each round, the best one in `keep` go on `keep` times as long
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
  std::vector<PlannedTrial> missing;  // none: the group is done
  std::size_t trials_done = 0;        // of this stage and those before
  std::int64_t epochs_done = 0;
  std::int64_t epochs_after = 0;  // of one training after another until the group is done, when this stage has ended
  std::size_t failed = 0;         // of those that are done
  double best = -std::numeric_limits<double>::infinity();  // on validation, of those that are done
};

// `count` of the numbers 0 ... size - 1 in increasing order, the same for the same seed on every machine; all of them if
// `count` is 0 or too large.
[[nodiscard]] std::vector<std::size_t> drawn(std::size_t size, std::size_t count, std::uint64_t seed);

[[nodiscard]] Stage next_stage(const Group& group, const Search& search, const TrialResults& results);

// All trials that a group will ask for, and the epochs that they take at most.
struct GroupSize {
  std::size_t trials = 0;
  std::int64_t epochs = 0;
};
[[nodiscard]] GroupSize size_of(const Group& group, const Search& search);

// The candidate with the best validation for the seed, the first of equals; none if none has finished.
[[nodiscard]] std::optional<std::size_t> best_candidate(std::span<const std::string> keys, std::uint64_t seed,
                                                        const TrialResults& results);

// Which trials of a plan must record their decisions, so that those are there that the store keeps. It is known which
// configuration is chosen only when all candidates have ended: so a candidate records its decisions if its validation is not
// worse than the best one so far. The store lets the others go as soon as a better one arrives.
class DecisionBar {
 public:
  DecisionBar(const SweepPlan& plan, const TrialResults& results);

  // The validation from which on a trial that begins now must record its decisions; none: it need not.
  [[nodiscard]] std::optional<double> of(const TrialId& trial) const;
  // A trial has ended.
  void take(const TrialId& trial, const TrialResult& result);

 private:
  const SweepPlan* plan_;
  std::multimap<std::string, std::size_t> groups_;  // of a candidate, by its key
  std::vector<double> best_;                        // by group, of the candidates with the first seed
};

[[nodiscard]] StoredGroup stored(const SweepPlan& plan, const Group& group);

}  // namespace softradial::study
