#pragma once

#include <ATen/core/Tensor.h>

#include "layer_object.hpp"
#include "map_object.hpp"

// Maps and layers as tensors of bytes: what compiled and exported programs hold in the place of an object, since their graphs
// know numbers and tensors alone. Bytes travel: a saved program needs nothing but this library.
//
//   description = 8 bytes of digest, then a JSON text of what pickle saves
//
// Who reads one gets the object that it was made from as long as that lives, else one that is built from the text at the
// first call and kept as long as the tensor's memory lives. A look costs a hash table and 8 bytes, not the text.
namespace softradial::ops {

// uint8, on the CPU.
[[nodiscard]] at::Tensor describe(const MapPtr& map);
[[nodiscard]] at::Tensor describe(const LayerObjectPtr& layer);

// Throw InvalidOption for a tensor that is not one of the above.
[[nodiscard]] MapPtr map_of(const at::Tensor& description);
[[nodiscard]] LayerObjectPtr layer_of(const at::Tensor& description);

}  // namespace softradial::ops
