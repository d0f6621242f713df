#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

// Reading a command line, for both programs.
namespace softradial::program {

// Parses the words. An unknown command or option is a BadInput that names the nearest known one.
void parse_words(CLI::App& program, std::vector<std::string> words);

// Accepts one word of a list. The error message names the nearest word.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> words);

enum class Format { text, json, markdown };

// Adds --format, with --json and --markdown as short forms; the three exclude each other.
void add_format(CLI::App& command, Format& format);

}  // namespace softradial::program
