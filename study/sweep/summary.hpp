#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "sweep/results_store.hpp"

namespace softradial::study {

// The candidate of a group with the best validation for the first seed, with its results on test:
//   {"task", "configuration", "parameters", "config", "selection", "seeds": [...], "trials": [...], "mean": {...}, "std": {...},
//    "violation", "against_equal_weight": {"sharpe_difference": {"value", "low", "high"}, ...}}
// Means and deviations are over the finished seeds. The ends of a comparison's interval are means over the seeds, too; this
// interval is wider than that of the mean. Returns nothing if no candidate has finished.
[[nodiscard]] std::optional<nlohmann::json> chosen_of(ResultsStore& store, const StoredGroup& group,
                                                      const TrialResults& results);

// The results of the groups of a store, one object each:
//   {"sweep", "setting", "method", "candidates", "finished", "failed", "chosen": {...}}
// "chosen" is the result of chosen_of without the trials.
[[nodiscard]] std::vector<nlohmann::json> summary_of(ResultsStore& store);

}  // namespace softradial::study
