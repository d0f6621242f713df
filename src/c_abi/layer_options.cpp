#include "layer_options.hpp"

#include <nlohmann/json.hpp>

#include "json/json_document.hpp"
#include "json/json_node.hpp"
#include "softradial/errors.hpp"

namespace softradial::c_abi {
namespace {

using json::JsonNode;

constexpr const char* kLambda = "lambda";
constexpr const char* kAuto = "auto";

void set_anchor(LayerOptions& options, const JsonNode& value) {
  if (value.is_text()) {
    options.projection.anchor = anchor_search(value.text());
  } else if (value.is_list()) {
    options.projection.anchor_point = value.vector();
  } else {
    value.fail_expected("a word or a list of numbers");
  }
  const bool asks = options.projection.anchor_point || options.projection.anchor != AnchorSearch::automatic;
  if (asks && !has_anchor(options.method)) value.fail(std::string(method_name(options.method)) + " has no anchor");
}

// The value of one of a method's numbers; true is 1, as for all switches.
double option_value(const nlohmann::json& value, const JsonNode& node) {
  return value.is_boolean() ? static_cast<double>(value.get<bool>()) : node.number();
}

void set_one(LayerOptions& options, const std::string& key, const nlohmann::json& value, const JsonNode& node) {
  if (key == "method") return;
  if (key == "anchor") {
    set_anchor(options, node);
  } else if (key == "contraction") {
    set_contraction(options.method, node.text());
  } else if (key == "check_finite") {
    if (!value.is_boolean()) node.fail_expected("true or false");
    options.check_finite = value.get<bool>();
  } else if (key == kLambda && std::holds_alternative<SoftRadial>(options.method)) {
    options.auto_lambda = value == kAuto;
    if (!options.auto_lambda) set_option(options.method, key, option_value(value, node));
  } else {
    set_option(options.method, key, option_value(value, node));
  }
}

LayerOptions read(std::string_view text) {
  constexpr std::string_view kOrigin = "options";
  const nlohmann::json document = json::parse_document(text, kOrigin);
  const JsonNode root(document, kOrigin);
  LayerOptions options;
  if (const auto method = root.find("method")) options.method = method_named(method->text());
  for (const auto& [key, value] : document.items()) set_one(options, key, value, root.at(key));
  return options;
}

}  // namespace

LayerOptions parse_layer_options(std::string_view json) {
  if (json.empty()) return {};
  try {
    return read(json);
  } catch (const InvalidSet& error) {  // the only kind that the reader throws
    throw InvalidOption(error.what());
  }
}

std::string to_json(const LayerOptions& options) {
  nlohmann::ordered_json out{{"method", method_name(options.method)}};
  if (const auto word = method_contraction(options.method); !word.empty()) out["contraction"] = word;
  for (const auto& [name, value] : method_options(options.method)) out[name] = value;
  if (const auto& point = options.projection.anchor_point) {
    out["anchor"] = std::vector<double>(point->begin(), point->end());
  } else if (has_anchor(options.method)) {
    out["anchor"] = anchor_word(options.projection.anchor);
  }
  if (options.check_finite) out["check_finite"] = true;
  return out.dump();
}

std::string methods_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string_view name : method_names()) {
    const LayerMethod method = method_named(name);
    nlohmann::ordered_json entry{{"name", name},
                                 {"title", method_title(method)},
                                 {"anchor", has_anchor(method)},
                                 {"map", radial_method(method).has_value()},
                                 {"inverse", has_inverse(method)}};
    if (const auto word = method_contraction(method); !word.empty()) entry["contraction"] = word;
    entry["options"] = nlohmann::ordered_json::array();
    for (const auto& [option, value] : method_options(method)) {
      entry["options"].push_back({{"name", option}, {"otherwise", value}});
      if (option == kLambda && std::holds_alternative<SoftRadial>(method)) entry["options"].back()["otherwise"] = kAuto;
    }
    all.push_back(std::move(entry));
  }
  return all.dump();
}

}  // namespace softradial::c_abi
