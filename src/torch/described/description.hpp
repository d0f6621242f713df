#pragma once

#include <ATen/core/Tensor.h>

#include "layer_object.hpp"
#include "map_object.hpp"

// Maps and layers as tensors of bytes. Compiled and exported programs hold these in place of an object, since their graphs
// only know numbers and tensors. The bytes are self-contained: a saved program needs nothing but this library.
//
//   description = 8 bytes of digest, then a JSON text of what pickle saves
//
// Reading a description returns the object it was made from while that lives. Otherwise the object is built from the text at
// the first call and kept as long as the tensor's memory. A lookup costs a hash table and 8 bytes, not the text.
namespace softradial::ops {

// Returns uint8 bytes on the CPU.
[[nodiscard]] at::Tensor describe(const MapPtr& map);
[[nodiscard]] at::Tensor describe(const LayerObjectPtr& layer);

// Throw InvalidOption for a tensor that is no such description.
[[nodiscard]] MapPtr map_of(const at::Tensor& description);
[[nodiscard]] LayerObjectPtr layer_of(const at::Tensor& description);

}  // namespace softradial::ops
