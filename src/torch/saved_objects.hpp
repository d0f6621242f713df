#pragma once

#include <ATen/core/Dict.h>
#include <ATen/core/Tensor.h>

#include <string>
#include <tuple>
#include <vector>

#include "layer_object.hpp"
#include "map_object.hpp"
#include "set_builders.hpp"

// Maps and layers as plain values: what TorchScript calls to make them, and what they are saved as.
namespace softradial::ops {

[[nodiscard]] MapPtr make_map(const SetPtr& set, const std::string& method, const std::string& contraction,
                              double lambda, double epsilon, const std::string& search, const MaybeTensor& anchor);

// A map is saved as its set, the words of its method, and numbers: lambda, epsilon, then the anchor that was found, so that
// loading searches for nothing. No tensors: one that is made for the pickle alone is gone before a process that is being
// spawned can share its memory.
using Numbers = std::vector<double>;
using SavedMap = std::tuple<std::string, std::vector<std::string>, Numbers>;
[[nodiscard]] SavedMap save_map(const MapPtr& map);
[[nodiscard]] MapPtr load_map(const SavedMap& saved);

using LayerOptions = c10::Dict<std::string, double>;
[[nodiscard]] LayerObjectPtr make_layer_object(const SetPtr& set, const std::string& method,
                                               const std::string& contraction, const LayerOptions& options,
                                               const std::string& search, const MaybeTensor& anchor);

// A layer is saved as its set, its words (method, contraction, search) and its numbers by name; an anchor of the user's is
// one more, empty without.
using SavedLayer = std::tuple<std::string, std::vector<std::string>, LayerOptions, Numbers>;
[[nodiscard]] SavedLayer save_layer(const LayerObjectPtr& layer);
[[nodiscard]] LayerObjectPtr load_layer(const SavedLayer& saved);

}  // namespace softradial::ops
