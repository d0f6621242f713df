#pragma once

#include <ATen/core/Dict.h>
#include <ATen/core/Tensor.h>

#include <string>
#include <tuple>
#include <vector>

#include "layer_object.hpp"
#include "map_object.hpp"
#include "set_builders.hpp"

// Maps and layers as plain values: the functions by which TorchScript makes them, and the form in which they are saved.
namespace softradial::ops {

[[nodiscard]] MapPtr make_map(const SetPtr& set, const std::string& method, const std::string& contraction,
                              double lambda, double epsilon, const std::string& search, const MaybeTensor& anchor);

// A map is saved as its set, the names of its method, and numbers: lambda, epsilon, then the anchor that was found, so that
// loading needs no search. No tensors: a tensor made only for the pickle would be gone before a spawned process can share its
// memory.
using Numbers = std::vector<double>;
using SavedMap = std::tuple<std::string, std::vector<std::string>, Numbers>;
[[nodiscard]] SavedMap save_map(const MapPtr& map);
[[nodiscard]] MapPtr load_map(const SavedMap& saved);

using LayerOptions = c10::Dict<std::string, double>;
[[nodiscard]] LayerObjectPtr make_layer_object(const SetPtr& set, const std::string& method,
                                               const std::string& contraction, const LayerOptions& options,
                                               const std::string& search, const MaybeTensor& anchor);

// A layer is saved as its set, its words (method, contraction, search), its numbers by name, and the user's anchor, which is
// empty if there is none.
using SavedLayer = std::tuple<std::string, std::vector<std::string>, LayerOptions, Numbers>;
[[nodiscard]] SavedLayer save_layer(const LayerObjectPtr& layer);
[[nodiscard]] LayerObjectPtr load_layer(const SavedLayer& saved);

}  // namespace softradial::ops
