#pragma once

#include <ATen/core/Tensor.h>

#include <Eigen/Core>
#include <string_view>

// All conversions of set data between tensors and Eigen, as doubles on the CPU.
namespace softradial::ops {

// Shapes (n) and (m, n). Throw ShapeError, naming the argument, for any other number of dimensions.
[[nodiscard]] Eigen::VectorXd to_vector(const at::Tensor& tensor, std::string_view name);
[[nodiscard]] Eigen::MatrixXd to_matrix(const at::Tensor& tensor, std::string_view name);

[[nodiscard]] at::Tensor to_tensor(const Eigen::VectorXd& vector);
[[nodiscard]] at::Tensor to_tensor(const Eigen::MatrixXd& matrix);

// Batches: the rows of (..., width) become columns; and columns become a tensor shaped like another one.
[[nodiscard]] Eigen::MatrixXd to_columns(const at::Tensor& rows);
[[nodiscard]] at::Tensor from_columns(const Eigen::MatrixXd& columns, const at::Tensor& like);

// Converts bounds to the precision of these options. Each is rounded towards the inside of its constraint, so that a point
// which obeys the tensor also obeys the given numbers.
enum class Inwards { down, up };
[[nodiscard]] at::Tensor rounded_inwards(const Eigen::VectorXd& bounds, Inwards direction,
                                         const at::TensorOptions& options);

}  // namespace softradial::ops
