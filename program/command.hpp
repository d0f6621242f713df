#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "command_line.hpp"
#include "outcome.hpp"

namespace softradial::program {

// The work that the command line asks for. It runs after the whole command line has been read.
using Action = std::function<ExitCode()>;

// Each function adds its command to the program. If the user names the command, `chosen` becomes its action.
void add_project_command(CLI::App& program, Action& chosen);
void add_anchor_command(CLI::App& program, Action& chosen);
void add_check_command(CLI::App& program, Action& chosen);
void add_compare_command(CLI::App& program, Action& chosen);
void add_data_commands(CLI::App& program, Action& chosen);
void add_export_command(CLI::App& program, Action& chosen);

enum class Precision { f32, f64 };

template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

inline const Choices<Precision> kPrecisions = {{"f32", Precision::f32}, {"f64", Precision::f64}};

// Adds an option that takes one of a few words. Its default is the present value of `value`.
template <class Value>
CLI::Option* add_choice(CLI::App& command, const std::string& flag, Value& value, const Choices<Value>& choices,
                        const std::string& description) {
  std::vector<std::string> words;
  std::string default_word;
  for (const auto& [word, choice] : choices) {
    words.push_back(word);
    if (choice == value) default_word = word;
  }
  const auto choose = [&value, choices](const std::string& chosen) {
    for (const auto& [word, choice] : choices) {
      if (word == chosen) value = choice;
    }
  };
  return command.add_option_function<std::string>(flag, choose, description)
      ->check(one_of(words))
      ->default_str(default_word);
}

}  // namespace softradial::program
