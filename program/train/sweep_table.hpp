#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "command_line.hpp"
#include "sweep/simulation.hpp"
#include "sweep/trial_plan.hpp"

namespace softradial::program {

// Prints the result of summary_of: the chosen configuration of every group, with its results on test.
void print_summary(const std::vector<nlohmann::json>& groups, Format format);

// Prints how many candidates and trials each group has, and how many of them already have results.
void print_plan(const study::SweepPlan& plan, const study::TrialResults& results, Format format);

// Prints how long a sweep would take, one line for each number of workers.
void print_simulation(const std::vector<study::SimulationResult>& results, Format format);

}  // namespace softradial::program
