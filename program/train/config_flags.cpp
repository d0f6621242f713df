#include "train/config_flags.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

#include "command.hpp"
#include "data/calendar.hpp"
#include "data/csv_file.hpp"
#include "data/nearest_name.hpp"
#include "limits/limits.hpp"
#include "number_option.hpp"

namespace softradial::program {
namespace {

using study::Field;

constexpr const char* kConfigFlag = "--config";
constexpr const char* kSplitFlag = "--split";

CLI::Option* add_date(CLI::App& command, const std::string& flag, std::chrono::sys_days& day, const std::string& help) {
  const auto choose = [&day, flag](const std::string& text) {
    const auto parsed = study::parse_date(text);
    if (!parsed) throw CLI::ValidationError(flag, "'" + text + "' is no date (expected 2018-12-31)");
    day = *parsed;
  };
  return command.add_option_function<std::string>(flag, choose, help)->default_str(study::format_date(day));
}

// Adds the flag of each field that it is called with.
auto adding_flags_to(CLI::App& command) {
  return [&command]<class Value>(const Field& field, Value& value) {
    if (field.flag_name().empty()) return;
    const std::string flag = "--" + field.flag_name();
    const std::string help(field.help);
    CLI::Option* option = nullptr;
    if constexpr (std::same_as<Value, std::chrono::sys_days>) {
      option = add_date(command, flag, value, help);
    } else if constexpr (std::same_as<Value, study::PortfolioObjective>) {
      option = add_choice(command, flag, value, {study::kObjectives.begin(), study::kObjectives.end()}, help);
    } else if constexpr (std::is_arithmetic_v<Value>) {
      option = add_number(command, flag, value, field.range, help);
    } else {
      option = command.add_option(flag, value, help)->capture_default_str();
    }
    if (!field.type_name.empty()) option->type_name(std::string(field.type_name));
  };
}

// A value of a TOML file in the words of the command line. `option` says which kind it has to be.
std::string word_of(const toml::node& value, const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const bool wants_number = type == "FLOAT" || type == "INT" || type == "UINT";
  const bool is_flag = option.get_items_expected_max() == 0;
  const auto expected = [&](const char* what) { throw BadInput(std::string("expected ") + what); };
  switch (value.type()) {
    case toml::node_type::boolean:
      if (!is_flag) expected(wants_number ? "a number" : "a text in quotes");
      return value.as_boolean()->get() ? "true" : "false";
    case toml::node_type::integer:
      if (!wants_number) expected(is_flag ? "true or false" : "a text in quotes");
      return number_text(value.as_integer()->get());
    case toml::node_type::floating_point:
      if (!wants_number) expected(is_flag ? "true or false" : "a text in quotes");
      return number_text(value.as_floating_point()->get());
    case toml::node_type::date: {
      if (type != "DATE") expected(wants_number ? "a number" : "a text in quotes");
      std::ostringstream text;
      text << value.as_date()->get();
      return text.str();
    }
    case toml::node_type::string:
      if (wants_number || is_flag) expected(is_flag ? "true or false" : "a number, without quotes");
      return value.as_string()->get();
    case toml::node_type::table:
      throw BadInput("sections are not used: the keys stand at the top of the file");
    default:
      expected(wants_number ? "one number" : "one value");
      return "";
  }
}

std::vector<std::string> keys_of(const CLI::App& command) {
  std::vector<std::string> keys;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_configurable() && !option->get_lnames().empty()) keys.push_back(option->get_lnames().front());
  }
  return keys;
}

template <class Config>
std::string written(const Config& config, const LayerFlags& flags) {
  toml::table table;
  const auto write = [&]<class Value>(const Field& field, const Value& value) {
    const std::string key = field.flag_name();
    if (key.empty()) return;
    if constexpr (std::same_as<Value, std::chrono::sys_days>) {
      table.insert_or_assign(key, study::format_date(value));
    } else if constexpr (std::same_as<Value, study::PortfolioObjective>) {
      for (const auto& [word, objective] : study::kObjectives) {
        if (objective == value) table.insert_or_assign(key, std::string(word));
      }
    } else if constexpr (std::integral<Value>) {
      table.insert_or_assign(key, static_cast<std::int64_t>(value));
    } else {
      table.insert_or_assign(key, value);
    }
  };
  study::for_each_task_field(config, write);
  study::for_each_training_field(config, write);
  table.insert_or_assign("method", flags.method);
  if (!flags.contraction.empty()) table.insert_or_assign("contraction", flags.contraction);
  for (std::size_t k = 0; k < flags.numbers.size(); ++k) {
    if (flags.numbers[k]) table.insert_or_assign(std::string(study::kMethodNumbers[k].flag), *flags.numbers[k]);
  }
  if (!config.set_json.empty()) table.insert_or_assign("set", config.set_json);
  std::ostringstream text;
  text << table << "\n";
  return text.str();
}

}  // namespace

void add_task_flags(CLI::App& command, study::PortfolioConfig& config) {
  study::for_each_task_field(config, adding_flags_to(command));
  const auto choose = [&config](const std::string& text) { config.split = study::parse_splits(text); };
  CLI::Option* const split =
      command.add_option_function<std::string>(kSplitFlag, choose, "Both dates at once, or the paper's: text, table")
          ->type_name("text|table|DATE,DATE")
          ->configurable(false);
  split->excludes(command.get_option("--train-end"));
  split->excludes(command.get_option("--validation-end"));
}
void add_task_flags(CLI::App& command, study::DispatchConfig& config) {
  study::for_each_task_field(config, adding_flags_to(command));
}
void add_training_flags(CLI::App& command, study::RunConfig& config) {
  study::for_each_training_field(config, adding_flags_to(command));
}

void add_layer_flags(CLI::App& command, LayerFlags& flags) {
  std::vector<std::string> names = {"equal_weight"};
  for (const std::string_view name : method_names()) names.emplace_back(name);
  command.add_option("--method", flags.method, "Constraint layer (docs/methods), or equal_weight")
      ->check(one_of(names))
      ->capture_default_str();
  command.add_option("--contraction", flags.contraction, "rational, exponential, hyperbolic (soft_radial, gauge_map)")
      ->check(one_of({"rational", "exponential", "hyperbolic"}));
  for (std::size_t k = 0; k < study::kMethodNumbers.size(); ++k) {
    const study::MethodNumber& number = study::kMethodNumbers[k];
    add_number(command, "--" + std::string(number.flag), flags.numbers[k], study::kAnyNumber, std::string(number.help));
  }
  command
      .add_option("--set", flags.set_file,
                  "Limits by name (TOML, docs/limits.md) or a set (SET.json), besides the cap; or JSON itself")
      ->type_name("FILE");
  for (const char* cap : {"--cap", "--kappa"}) {
    if (const CLI::Option* option = command.get_option_no_throw(cap)) flags.cap = option;
  }
}

void add_config_flag(CLI::App& command) {
  command.add_option(kConfigFlag, "TOML file with these flags as keys; flags on the command line win")
      ->type_name("FILE")
      ->configurable(false);
}

void apply(const LayerFlags& flags, study::RunConfig& config) {
  config.layer.method = flags.method;
  if (!config.layer.equal_weight()) {
    config.layer.options = method_named(flags.method);
    if (!flags.contraction.empty()) set_contraction(config.layer.options, flags.contraction);
    for (std::size_t k = 0; k < flags.numbers.size(); ++k) {
      if (flags.numbers[k]) set_option(config.layer.options, study::kMethodNumbers[k].option, *flags.numbers[k]);
    }
  }
  if (flags.set_file.empty()) return;
  config.set_json = study::load_limits(flags.set_file);
  config.set_file = flags.set_file.starts_with('{') ? "--set" : flags.set_file;
  if (flags.cap != nullptr && flags.cap->empty()) config.cap = 1;
}

void read_config_file(CLI::App& program) {
  CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  const CLI::Option* const flag = command->get_option_no_throw(kConfigFlag);
  if (flag == nullptr || flag->empty()) return;
  const auto file = flag->as<std::string>();
  const std::string text = study::read_text_file(file);
  const auto at = [&](const toml::source_position& place) {
    return file + ": line " + std::to_string(place.line) + ": ";
  };
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw BadInput(at(error.source().begin) + std::string(error.description()));
  }
  const std::vector<std::string> known = keys_of(*command);
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    const std::string where = at(key.source().begin) + name + ": ";
    if (value.is_table()) throw BadInput(where + "sections are not used: the keys stand at the top of the file");
    if (std::ranges::find(known, name) == known.end()) {
      const std::string meant = study::did_you_mean(name, known);
      throw BadInput(at(key.source().begin) + "unknown key " + program::quoted(name) + (meant.empty() ? "" : meant));
    }
    CLI::Option* const option = command->get_option("--" + name);
    try {
      std::string word = word_of(value, *option);
      const bool split_given = name.ends_with("-end") && command->get_option_no_throw(kSplitFlag) != nullptr &&
                               !command->get_option(kSplitFlag)->empty();
      if (!option->empty() || split_given) continue;  // the command line wins
      option->add_result(std::move(word));
      option->run_callback();
    } catch (const CLI::Error& error) {
      throw BadInput(at(key.source().begin) + error.what());  // it names the option
    } catch (const BadInput& error) {
      throw BadInput(where + error.what());
    }
  }
}

std::string toml_of(const study::PortfolioConfig& config, const LayerFlags& flags) { return written(config, flags); }
std::string toml_of(const study::DispatchConfig& config, const LayerFlags& flags) { return written(config, flags); }

}  // namespace softradial::program
