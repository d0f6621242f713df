#pragma once

#include <ATen/core/Tensor.h>

#include <Eigen/Core>
#include <string>

#include "files/safetensors.hpp"

// Converts tensors and vectors to the arrays of a model file, and back.
namespace softradial::study {

[[nodiscard]] NamedArray to_array(std::string name, const at::Tensor& tensor);
[[nodiscard]] NamedArray to_array(std::string name, const Eigen::VectorXd& values);
[[nodiscard]] at::Tensor to_tensor(const NamedArray& array);
// Throws DataError unless the array is a vector of doubles.
[[nodiscard]] Eigen::VectorXd to_vector(const NamedArray& array);

[[nodiscard]] Dtype dtype_of(at::ScalarType type);

}  // namespace softradial::study
