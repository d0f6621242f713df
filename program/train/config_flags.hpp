#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <string>

#include "runs/config_fields.hpp"

// Configurations on the command line and in TOML files. The flags come from the lists of runs/config_fields.hpp.
namespace softradial::program {

// The decision layer as the user names it, before it has become a method with its numbers.
struct LayerFlags {
  std::string method = "soft_radial";
  std::string contraction;
  std::array<std::optional<double>, study::kMethodNumbers.size()> numbers;
  std::string set_file;              // or JSON itself
  const CLI::Option* cap = nullptr;  // --cap or --kappa
};

void add_task_flags(CLI::App& command, study::PortfolioConfig& config);
void add_task_flags(CLI::App& command, study::DispatchConfig& config);
// After add_task_flags.
void add_layer_flags(CLI::App& command, LayerFlags& flags);
void add_training_flags(CLI::App& command, study::RunConfig& config);

// --config, which read_config_file looks for.
void add_config_flag(CLI::App& command);

// Puts the layer and the set into the configuration. A set comes without the cap that is there by default: only a cap that
// the user gives counts besides.
void apply(const LayerFlags& flags, study::RunConfig& config);

// Gives the options that the command line left out the values of the TOML file behind --config, if the command that was
// chosen has one. Keys are the names of its options. Throws BadInput, naming file, line and key.
void read_config_file(CLI::App& program);

// The configuration as a TOML file that --config reads again. It holds the limits themselves, not their file.
[[nodiscard]] std::string toml_of(const study::PortfolioConfig& config, const LayerFlags& flags);
[[nodiscard]] std::string toml_of(const study::DispatchConfig& config, const LayerFlags& flags);

}  // namespace softradial::program
