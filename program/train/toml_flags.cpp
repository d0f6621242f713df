#include "train/toml_flags.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "data/csv_file.hpp"
#include "data/nearest_name.hpp"
#include "number_option.hpp"
#include "outcome.hpp"

namespace softradial::program {
namespace {

std::vector<std::string> keys_of(const CLI::App& command) {
  std::vector<std::string> keys;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_configurable() && !option->get_lnames().empty()) keys.push_back(option->get_lnames().front());
  }
  return keys;
}

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
    default:
      expected(wants_number ? "one number" : "one value");
      return "";
  }
}

}  // namespace

toml::table parse_toml(const std::string& file) {
  const std::string text = study::read_text_file(file);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw BadInput(place_in(file, error.source()) + std::string(error.description()));
  }
}

std::string place_in(const std::string& file, const toml::source_region& source) {
  return file + ": line " + std::to_string(source.begin.line) + ": ";
}

CLI::Option& option_of(CLI::App& command, const std::string& file, const toml::key& key) {
  const std::string name(key.str());
  const std::vector<std::string> known = keys_of(command);
  if (std::ranges::find(known, name) == known.end()) {
    throw BadInput(place_in(file, key.source()) + "unknown key " + program::quoted(name) +
                   study::did_you_mean(name, known));
  }
  return *command.get_option("--" + name);
}

std::string checked_word(const std::string& file, const toml::key& key, const toml::node& value,
                         const CLI::Option& option) {
  try {
    return word_of(value, option);
  } catch (const BadInput& error) {
    throw BadInput(place_in(file, key.source()) + std::string(key.str()) + ": " + error.what());
  }
}

void give(CLI::App& command, const std::string& file, const toml::key& key, const toml::node& value) {
  CLI::Option& option = option_of(command, file, key);
  std::string word = checked_word(file, key, value, option);
  try {
    option.add_result(std::move(word));
    option.run_callback();
  } catch (const CLI::Error& error) {
    throw BadInput(place_in(file, key.source()) + error.what());  // the message names the option
  }
}

}  // namespace softradial::program
