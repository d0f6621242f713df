#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "set_object.hpp"

// Builds sets from tensors: the ops behind softradial.Simplex(...), softradial.Polyhedron(...) and the rest.
namespace softradial::ops {

using MaybeTensor = c10::optional<at::Tensor>;

[[nodiscard]] inline MaybeTensor maybe(const at::Tensor& tensor) {
  return tensor.defined() ? MaybeTensor(tensor) : c10::nullopt;
}

// Builds a set of any type (softradial/set_type.hpp) from its fields: numbers (), lists (n), matrices (m, n), dense or sparse,
// and lists of matrices (k, m, n). `sets` are the members of a field that holds sets. A tensor that requires a gradient is
// kept under the name that a layer's call takes for it (SetObject::learned).
[[nodiscard]] SetPtr make_set(const std::string& type, const c10::Dict<std::string, at::Tensor>& data,
                              const std::vector<SetPtr>& sets);

[[nodiscard]] SetPtr read_set(const std::string& json);
[[nodiscard]] SetPtr read_set_file(const std::string& path);

}  // namespace softradial::ops
