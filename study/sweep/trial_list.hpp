#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sweep/trial_plan.hpp"
#include "sweep/trial_times.hpp"

// Trials as a file, for processes that cannot talk to the one that schedules: each takes a fixed part of them.
namespace softradial::study {

// What the plan wants now and the results do not have: each trial once, the longest first.
[[nodiscard]] std::vector<PlannedTrial> missing_now(const SweepPlan& plan, const TrialResults& results,
                                                    const TrialTimes& times);

// Throws WriteError or DataError.
void write_trial_list(const std::filesystem::path& file, std::span<const PlannedTrial> trials, KeptDecisions decisions);

// Every `parts`-th trial of a file, from number `part` on, as a plan that wants these trials and no others. Those that compete
// are a group: the best of them records its decisions, so that the best of all parts has. Throws DataError.
[[nodiscard]] SweepPlan part_of_list(const std::filesystem::path& file, std::size_t part, std::size_t parts);

}  // namespace softradial::study
