#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <string>

#include "runs/config_fields.hpp"

// Configurations on the command line and in TOML files. The flags come from the lists in runs/config_fields.hpp.
namespace softradial::program {

// The decision layer as the user names it, before it becomes a method with its numbers.
struct LayerFlags {
  std::string method = "soft_radial";
  std::string contraction;
  std::array<std::optional<double>, study::kMethodNumbers.size()> numbers;
  std::string set_file;              // a file, or the JSON itself
  const CLI::Option* cap = nullptr;  // --cap or --kappa
};

void add_task_flags(CLI::App& command, study::PortfolioConfig& config);
void add_task_flags(CLI::App& command, study::DispatchConfig& config);
// Call it after add_task_flags.
void add_layer_flags(CLI::App& command, LayerFlags& flags);
void add_training_flags(CLI::App& command, study::RunConfig& config);

// Adds --config, for which read_config_file looks.
void add_config_flag(CLI::App& command);

// Puts the layer and the set into the configuration. With a set, the default cap does not apply: only a cap that the user
// gives counts in addition.
void apply(const LayerFlags& flags, study::RunConfig& config);

// If the chosen command has --config, reads that TOML file and sets the options that the command line left out. Keys are the
// names of the options. Throws BadInput, naming file, line and key.
void read_config_file(CLI::App& program);

// The configuration as a TOML file that --config can read. It contains the limits themselves, not the name of their file.
[[nodiscard]] std::string toml_of(const study::PortfolioConfig& config, const LayerFlags& flags);
[[nodiscard]] std::string toml_of(const study::DispatchConfig& config, const LayerFlags& flags);

}  // namespace softradial::program
