#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "sweep/study_data.hpp"
#include "sweep/trial_plan.hpp"

namespace softradial::program {

// The data of a sweep, which its plan and its workers share.
using SweepData = std::variant<std::shared_ptr<study::StudyData<study::PortfolioConfig>>,
                               std::shared_ptr<study::StudyData<study::DispatchConfig>>>;

struct Sweep {
  study::SweepPlan plan;
  SweepData data;
};

// Options of the command line that complete or replace those of a sweep file.
struct SweepChoice {
  std::string data;                   // folder of the data files that the sweep names; empty: where the command is run
  std::optional<std::size_t> count;   // candidates of each group, drawn at random; empty: as in the file
  std::optional<std::uint64_t> seed;  // seed of that draw
  std::optional<study::KeptDecisions> decisions;  // decisions to keep; empty: as in the file
};

// Adds --decisions: which trials of a sweep keep their decisions.
CLI::Option* add_decisions(CLI::App& command, std::optional<study::KeptDecisions>& decisions);

// Reads a sweep file (docs/sweeps.md), loads the data that it names and makes all configurations. All mistakes are found here,
// before anything is trained. Throws BadInput or DataError, naming file, line and key.
[[nodiscard]] Sweep read_sweep(const std::string& file, const SweepChoice& choice = {});

}  // namespace softradial::program
