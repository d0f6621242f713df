#pragma once

#include <string>
#include <string_view>

#include "softradial/layer.hpp"

namespace softradial::c_abi {

// What a layer is made of, besides its set.
struct LayerOptions {
  LayerMethod method = SoftRadial{};
  bool auto_lambda = true;            // soft radial's lambda in units of the set, not that of `method`
  ProjectionOptions projection = {};  // anchor and anchor_point only
  bool check_finite = false;
};

// A JSON object with the words of the program: {"method": "dc3", "steps": 5}. Nothing at all: the defaults. Throws
// InvalidOption for a text that is no such object, an unknown key, or an anchor for a method that has none.
[[nodiscard]] LayerOptions parse_layer_options(std::string_view json);
// The inverse; every number of the method is written out.
[[nodiscard]] std::string to_json(const LayerOptions& options);

// The table of methods: what other languages make their classes from.
[[nodiscard]] std::string methods_json();

}  // namespace softradial::c_abi
