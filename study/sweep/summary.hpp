#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "sweep/results_store.hpp"

namespace softradial::study {

// What the groups of a store came to, one object each:
//   {"sweep", "setting", "method", "candidates", "finished", "failed",
//    "chosen": {"task", "configuration", "parameters", "config", "selection", "seeds": [...], "mean": {...}, "std": {...},
//               "violation"}}
// The candidate with the best validation for the first seed is chosen; mean and deviation are over the seeds that have
// finished, on test. Without a finished candidate there is no "chosen".
[[nodiscard]] std::vector<nlohmann::json> summary_of(ResultsStore& store);

}  // namespace softradial::study
