#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "runs/run_config.hpp"

namespace softradial::program {

// Flags as they stand on the command line or in a TOML file, before they have become a configuration.
struct RunFlags {
  std::string method = "soft_radial";
  std::string contraction;
  std::optional<double> lambda;
  std::optional<double> epsilon;
  std::optional<double> temperature;      // of softmax
  std::optional<double> steps;            // of dc3 and hardnet
  std::optional<double> correction_rate;  // of dc3
  std::optional<double> momentum;         // of dc3
  std::string set_file;
};

// Adds the words of the method, the constraint and the training to a command; they fill `flags` and `config`.
void add_method_flags(CLI::App& command, RunFlags& flags);
void add_training_flags(CLI::App& command, RunFlags& flags, study::RunConfig& config);
void add_portfolio_flags(CLI::App& command, study::PortfolioConfig& config);
void add_dispatch_flags(CLI::App& command, study::DispatchConfig& config);

// The layer and the set of the flags, into the configuration.
void apply(const RunFlags& flags, study::RunConfig& config);

}  // namespace softradial::program
