#pragma once

#include <string>
#include <string_view>

#include "softradial/layer.hpp"

namespace softradial::c_abi {

// Everything that makes a layer, besides its set.
struct LayerOptions {
  LayerMethod method = SoftRadial{};
  bool auto_lambda = true;            // take soft radial's lambda in units of the set, not from `method`
  ProjectionOptions projection = {};  // anchor and anchor_point only
  bool check_finite = false;
};

// Reads a JSON object with the words of the program: {"method": "dc3", "steps": 5}. An empty text gives the defaults. Throws
// InvalidOption for a text that is no such object, an unknown key, or an anchor for a method that has none.
[[nodiscard]] LayerOptions parse_layer_options(std::string_view json);
// Writes the options as JSON, with every number of the method.
[[nodiscard]] std::string to_json(const LayerOptions& options);

// The table of methods as JSON, from which other languages make their classes.
[[nodiscard]] std::string methods_json();

}  // namespace softradial::c_abi
