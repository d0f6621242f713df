#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "sweep/results_store.hpp"

namespace softradial::study {

// The candidate of a group with the best validation for the first seed, with its results on test:
//   {"task", "configuration", "parameters", "config", "selection", "seeds": [...], "trials": [...], "mean": {...}, "std": {...},
//    "violation", "against_equal_weight": {"sharpe_difference": {"value", "low", "high"}, ...}}
// Mean and deviation are over the seeds that have finished; so are the ends of the intervals of a comparison, which is wider
// than the interval of the mean. Nothing: no candidate has.
[[nodiscard]] std::optional<nlohmann::json> chosen_of(ResultsStore& store, const StoredGroup& group,
                                                      const TrialResults& results);

// What the groups of a store came to, one object each:
//   {"sweep", "setting", "method", "candidates", "finished", "failed", "chosen": {...}}
// with what chosen_of gives, but for the trials.
[[nodiscard]] std::vector<nlohmann::json> summary_of(ResultsStore& store);

}  // namespace softradial::study
