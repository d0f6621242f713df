#include "train/config_flags.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "command.hpp"
#include "data/calendar.hpp"
#include "softradial/set_json.hpp"

namespace softradial::program {
namespace {

using study::Field;

template <class Value>
CLI::Validator range_check(const study::FieldRange& range) {
  if (range == study::kPositive) return CLI::PositiveNumber;
  if (range == study::kNotNegative) return CLI::NonNegativeNumber;
  return CLI::Range(static_cast<Value>(range.least), static_cast<Value>(range.most));
}

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
    } else {
      option = command.add_option(flag, value, help)->capture_default_str();
      if constexpr (std::is_arithmetic_v<Value>) {
        if (field.range != study::kAnyNumber) option->check(range_check<Value>(field.range));
      }
    }
    if (!field.type_name.empty()) option->type_name(std::string(field.type_name));
  };
}

constexpr std::string_view kConfigFlag = "--config";

// The file that the words name; empty if there is none.
std::string config_file(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == kConfigFlag && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(std::string(kConfigFlag) + "=")) return words[i].substr(kConfigFlag.size() + 1);
  }
  return "";
}

}  // namespace

void add_task_flags(CLI::App& command, study::PortfolioConfig& config) {
  study::for_each_task_field(config, adding_flags_to(command));
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
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command.add_option("--contraction", flags.contraction, "rational, exponential, hyperbolic (soft_radial, gauge_map)")
      ->check(CLI::IsMember({"rational", "exponential", "hyperbolic"}));
  for (std::size_t k = 0; k < study::kMethodNumbers.size(); ++k) {
    const study::MethodNumber& number = study::kMethodNumbers[k];
    command.add_option("--" + std::string(number.flag), flags.numbers[k], std::string(number.help));
  }
  command.add_option("--set", flags.set_file, "Set (SET.json) that replaces the cap; it has the dimension of the data")
      ->type_name("FILE");
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
  if (!flags.set_file.empty()) config.set_json = to_json(load_set(flags.set_file));
}

std::vector<std::string> expand_config(std::vector<std::string> words) {
  const std::string file = config_file(words);
  if (file.empty()) return words;
  if (!std::filesystem::exists(file)) throw BadInput(file + ": no such file");
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigTOML().from_file(file);
  } catch (const CLI::Error& error) {
    throw BadInput(file + ": " + error.what());
  }
  const std::vector<std::string> given = words;
  for (const CLI::ConfigItem& item : items) {
    const std::string flag = "--" + item.name;
    const std::string with_value = flag + "=";
    const bool is_given = std::ranges::any_of(
        given, [&](const std::string& word) { return word == flag || word.starts_with(with_value); });
    if (is_given) continue;
    for (const std::string& value : item.inputs) words.push_back(with_value + value);
  }
  return words;
}

std::string toml_of(const CLI::App& command) {
  std::istringstream lines(command.config_to_str(true));
  std::string out;
  // A flag without a value is written as an empty text, which it would not accept: it is left out.
  for (std::string line; std::getline(lines, line);) {
    if (!line.ends_with("=\"\"")) out += line + "\n";
  }
  return out;
}

}  // namespace softradial::program
