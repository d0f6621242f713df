#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

// What both programs share in reading a command line.
namespace softradial::program {

// Parses the words. A command or an option that is not known is a BadInput that names the nearest one that is.
void parse_words(CLI::App& program, std::vector<std::string> words);

// A word out of a list, with the nearest one in the message.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> words);

enum class Format { text, json, markdown };

// --format, with --json and --markdown as short forms; the three exclude each other.
void add_format(CLI::App& command, Format& format);

}  // namespace softradial::program
