#include "command_line.hpp"

#include <algorithm>

#include "command.hpp"
#include "data/nearest_name.hpp"
#include "outcome.hpp"

namespace softradial::program {

namespace {

// The command that the words select.
const CLI::App& deepest(const CLI::App& program) {
  const CLI::App* app = &program;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().back();
  return *app;
}

// The first word that no command knew, on the way from the program to the deepest command; empty if all were known.
std::pair<const CLI::App*, std::string> unknown_word(const CLI::App& program) {
  const CLI::App* app = &program;
  while (true) {
    const std::vector<std::string> left = app->remaining();
    if (!left.empty()) return {app, left.front()};
    if (app->get_subcommands().empty()) return {app, ""};
    app = app->get_subcommands().back();
  }
}

std::string full_name(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* parent = app.get_parent(); parent != nullptr; parent = parent->get_parent()) {
    name.insert(0, parent->get_name() + " ");
  }
  return name;
}

[[noreturn]] void refuse(const CLI::App& app, const std::string& word) {
  if (word.starts_with('-')) {
    const std::string flag = word.substr(0, word.find('='));
    std::vector<std::string> flags;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    }
    const std::string meant = study::did_you_mean(flag, flags);
    throw BadInput("unknown option " + flag + (meant.empty() ? ": see " + full_name(app) + " --help" : meant));
  }
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command->get_name());
  }
  if (commands.empty())
    throw BadInput("unexpected word " + program::quoted(word) + ": see " + full_name(app) + " --help");
  const std::string meant = study::did_you_mean(word, commands);
  throw BadInput("unknown command " + program::quoted(word) +
                 (meant.empty() ? ": see " + full_name(app) + " --help" : meant));
}

}  // namespace

void parse_words(CLI::App& program, std::vector<std::string> words) {
  // CLI11 takes the words in reverse order.
  std::ranges::reverse(words);
  try {
    program.parse(std::move(words));
  } catch (const CLI::ExtrasError&) {
    const auto [app, word] = unknown_word(program);
    refuse(*app, word);
  } catch (const CLI::ArgumentMismatch& error) {
    // "--seed: At Most 1 required but received 2"; newer versions of CLI11 write "At most".
    const std::string message = error.what();
    for (const std::string_view too_many : {"At Most 1 required but received ", "At most 1 required but received "}) {
      const std::size_t at = message.find(too_many);
      if (at == std::string::npos) continue;
      throw BadInput(message.substr(0, at) + "is given " + message.substr(at + too_many.size()) + " times");
    }
    throw;
  } catch (const CLI::RequiredError&) {
    // A required option may be missing because it was misspelt.
    if (const auto [app, word] = unknown_word(program); !word.empty()) refuse(*app, word);
    const CLI::App& app = deepest(program);
    if (app.get_subcommands([](const CLI::App*) { return true; }).empty()) throw;
    throw BadInput("no command: see " + full_name(app) + " --help");
  }
}

CLI::Validator one_of(std::vector<std::string> words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ",") + word;
  list = "{" + list + "}";
  const auto check = [words = std::move(words), list](const std::string& word) -> std::string {
    if (std::ranges::find(words, word) != words.end()) return "";
    return word + " not in " + list + study::did_you_mean(word, words);
  };
  return {check, list};
}

void add_format(CLI::App& command, Format& format) {
  CLI::Option* const word = add_choice(command, "--format", format,
                                       {{"text", Format::text}, {"json", Format::json}, {"markdown", Format::markdown}},
                                       "How the result is written");
  CLI::Option* const json = command.add_flag_callback(
      "--json", [&format] { format = Format::json; }, "The same as --format json");
  CLI::Option* const markdown = command.add_flag_callback(
      "--markdown", [&format] { format = Format::markdown; }, "The same as --format markdown");
  json->excludes(word);
  markdown->excludes(word);
  markdown->excludes(json);
  for (CLI::Option* option : {word, json, markdown}) option->configurable(false);
}

}  // namespace softradial::program
