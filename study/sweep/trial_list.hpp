#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sweep/trial_plan.hpp"
#include "sweep/trial_times.hpp"

// Lists of trials in a file, for processes that cannot talk to the scheduling one: each takes a fixed part of the list.
namespace softradial::study {

// The trials that the plan wants now and the results do not have: each once, the longest first.
[[nodiscard]] std::vector<PlannedTrial> missing_now(const SweepPlan& plan, const TrialResults& results,
                                                    const TrialTimes& times);

// Throws WriteError or DataError.
void write_trial_list(const std::filesystem::path& file, std::span<const PlannedTrial> trials, KeptDecisions decisions);

// Every `parts`-th trial of the file, from number `part` on, as a plan for exactly these trials. Trials that compete form a
// group: the best of them records its decisions, so that the best over all parts has them. Throws DataError.
[[nodiscard]] SweepPlan part_of_list(const std::filesystem::path& file, std::size_t part, std::size_t parts);

}  // namespace softradial::study
