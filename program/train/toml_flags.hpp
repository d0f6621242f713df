#pragma once

#include <toml++/toml.h>

#include <CLI/CLI.hpp>
#include <string>

// TOML files whose keys are options of a command, read as strictly as the command line.
namespace softradial::program {

// Throws BadInput, naming file and line.
[[nodiscard]] toml::table parse_toml(const std::string& file);

// "FILE: line 3: "
[[nodiscard]] std::string place_in(const std::string& file, const toml::source_region& source);

// A TOML value as a word of the command line, of the option's kind. Throws BadInput, naming file, line and key.
std::string checked_word(const std::string& file, const toml::key& key, const toml::node& value,
                         const CLI::Option& option);

// The option that a key names. Throws BadInput, naming file, line and key, and the option that was probably meant.
[[nodiscard]] CLI::Option& option_of(CLI::App& command, const std::string& file, const toml::key& key);

// Sets the option of the key to this value. Throws BadInput, naming file, line and key.
void give(CLI::App& command, const std::string& file, const toml::key& key, const toml::node& value);

}  // namespace softradial::program
