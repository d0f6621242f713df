#include "train/config_flags.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

#include "command.hpp"
#include "data/calendar.hpp"
#include "data/csv_file.hpp"
#include "limits/limits.hpp"
#include "number_option.hpp"
#include "train/toml_flags.hpp"

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

// Returns a function that adds the flag of each field it is called with.
auto adding_flags_to(CLI::App& command) {
  return [&command]<class Value>(const Field& field, Value& value) {
    if (field.flag_name().empty()) return;
    const std::string flag = "--" + field.flag_name();
    const std::string help(field.help);
    CLI::Option* option = nullptr;
    if constexpr (std::same_as<Value, std::chrono::sys_days>) {
      option = add_date(command, flag, value, help);
    } else if constexpr (std::is_enum_v<Value>) {
      option = add_choice(command, flag, value, study::words_of(value), help);
    } else if constexpr (std::is_arithmetic_v<Value>) {
      option = add_number(command, flag, value, field.range, help);
    } else {
      option = command.add_option(flag, value, help)->capture_default_str();
    }
    if (!field.type_name.empty()) option->type_name(std::string(field.type_name));
  };
}

template <class Config>
std::string written(const Config& config, const LayerFlags& flags) {
  toml::table table;
  const auto write = [&]<class Value>(const Field& field, const Value& value) {
    const std::string key = field.flag_name();
    if (key.empty()) return;
    if constexpr (std::same_as<Value, std::chrono::sys_days>) {
      table.insert_or_assign(key, study::format_date(value));
    } else if constexpr (std::is_enum_v<Value>) {
      table.insert_or_assign(key, study::word_of(value));
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
  const CLI::Option* const split = command->get_option_no_throw(kSplitFlag);
  for (const auto& [key, value] : parse_toml(file)) {
    if (value.is_table()) {
      throw BadInput(place_in(file, key.source()) + std::string(key.str()) +
                     ": sections are not used: the keys stand at the top of the file");
    }
    const CLI::Option& option = option_of(*command, file, key);
    const bool split_given = key.str().ends_with("-end") && split != nullptr && !split->empty();
    if (option.empty() && !split_given) {
      give(*command, file, key, value);
    } else {
      checked_word(file, key, value, option);  // the command line wins, but a wrong file is refused all the same
    }
  }
}

std::string toml_of(const study::PortfolioConfig& config, const LayerFlags& flags) { return written(config, flags); }
std::string toml_of(const study::DispatchConfig& config, const LayerFlags& flags) { return written(config, flags); }

}  // namespace softradial::program
