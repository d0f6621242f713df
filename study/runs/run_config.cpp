#include "runs/run_config.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/calendar.hpp"
#include "data/csv_file.hpp"
#include "data/tables.hpp"
#include "runs/config_fields.hpp"
#include "softradial/sets.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

template <class Value>
json json_of(const Value& value) {
  if constexpr (std::same_as<Value, std::chrono::sys_days>) {
    return format_date(value);
  } else if constexpr (std::is_enum_v<Value>) {
    return word_of(value);
  } else {
    return value;
  }
}

template <class Value>
void read_value(const json& in, std::string_view key, Value& value) {
  if constexpr (std::same_as<Value, std::chrono::sys_days>) {
    const auto text = in.get<std::string>();
    const auto day = parse_date(text);
    if (!day) throw DataError(std::string(key) + ": " + quoted_field(text) + " is no date (expected 2018-12-31)");
    value = *day;
  } else if constexpr (std::is_enum_v<Value>) {
    const auto text = in.get<std::string>();
    const Words<Value> words = words_of(value);
    const auto found = std::ranges::find(words, text, &Words<Value>::value_type::first);
    if (found == words.end()) throw DataError(std::string(key) + ": " + quoted_field(text) + " is unknown");
    value = found->second;
  } else {
    value = in.get<Value>();
  }
}

// Writes the method with all of its numbers, and the set.
void write_layer(json& out, const RunConfig& c) {
  out["method"] = c.layer.method;
  if (!c.layer.equal_weight()) {
    json options = json::object();
    for (const auto& [name, value] : method_options(c.layer.options)) options[name] = value;
    out["method_options"] = options;
    if (!method_contraction(c.layer.options).empty()) out["contraction"] = method_contraction(c.layer.options);
  }
  if (!c.set_json.empty()) out["set"] = json::parse(c.set_json);
}

void read_layer(const json& in, RunConfig& c) {
  c.layer.method = in.at("method").get<std::string>();
  if (!c.layer.equal_weight()) {
    c.layer.options = method_named(c.layer.method);
    for (const auto& [name, value] : in.at("method_options").items()) {
      set_option(c.layer.options, name, value.get<double>());
    }
    if (in.contains("contraction")) set_contraction(c.layer.options, in["contraction"].get<std::string>());
  }
  if (in.contains("set")) c.set_json = in["set"].dump();
}

template <class Config>
json written(const char* task, const Config& config) {
  json out = {{"task", task}};
  write_layer(out, config);
  const auto write = [&](const Field& field, const auto& value) {
    if (field.is_saved) out[std::string(field.key)] = json_of(value);
  };
  for_each_task_field(config, write);
  for_each_training_field(config, write);
  return out;
}

// Throws DataError, also in place of the JSON library's exceptions.
template <class Config>
Config read(const char* task, const json& in) {
  try {
    if (in.at("task") != task) throw DataError("the model was trained for " + in.at("task").get<std::string>());
    Config config;
    read_layer(in, config);
    const auto read_field = [&](const Field& field, auto& value) {
      const std::string name(field.key);
      if (field.is_saved || in.contains(name)) read_value(in.at(name), field.key, value);
    };
    for_each_task_field(config, read_field);
    for_each_training_field(config, read_field);
    return config;
  } catch (const json::exception& error) {
    throw DataError(std::string("the saved configuration is not readable: ") + error.what());
  }
}

}  // namespace

json to_json(const PortfolioConfig& config) { return written("portfolio", config); }
json to_json(const DispatchConfig& config) { return written("dispatch", config); }

PortfolioConfig portfolio_config(const json& in) {
  auto config = read<PortfolioConfig>("portfolio", in);
  // Parses the dates once more as a pair, which refuses a wrong order.
  config.split = parse_splits(format_date(config.split.train_end) + "," + format_date(config.split.validation_end));
  return config;
}

DispatchConfig dispatch_config(const json& in) { return read<DispatchConfig>("dispatch", in); }

DecisionSet decision_set(const RunConfig& config, const std::vector<std::string>& columns, std::size_t left_out) {
  return decision_set(
      LimitsRequest{.json = config.set_json, .origin = config.set_file, .cap = config.cap, .left_out = left_out},
      columns);
}

double total_of(const Set& set) {
  const auto* coordinates = dynamic_cast<const CoordinateSet*>(&*set);
  return coordinates != nullptr && coordinates->total() ? *coordinates->total() : 1.0;
}

}  // namespace softradial::study
