#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "runs/config_fields.hpp"

// Configurations on the command line and in TOML files. The flags come from the lists of runs/config_fields.hpp.
namespace softradial::program {

// The decision layer as the user names it, before it has become a method with its numbers.
struct LayerFlags {
  std::string method = "soft_radial";
  std::string contraction;
  std::array<std::optional<double>, study::kMethodNumbers.size()> numbers;
  std::string set_file;
};

void add_task_flags(CLI::App& command, study::PortfolioConfig& config);
void add_task_flags(CLI::App& command, study::DispatchConfig& config);
void add_layer_flags(CLI::App& command, LayerFlags& flags);
void add_training_flags(CLI::App& command, study::RunConfig& config);

// Puts the layer and the set into the configuration.
void apply(const LayerFlags& flags, study::RunConfig& config);

// Appends the keys of the TOML file behind --config to the words of a command line, as flags. A key is left out if its
// flag is among the words. (CLI11 reads configuration files only for a program, not for its commands.) Throws BadInput.
[[nodiscard]] std::vector<std::string> expand_config(std::vector<std::string> words);

// The present values of the flags of a command as a TOML file that --config reads again.
[[nodiscard]] std::string toml_of(const CLI::App& command);

}  // namespace softradial::program
