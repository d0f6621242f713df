#pragma once

#include <ATen/core/Tensor.h>

#include <Eigen/Core>
#include <string_view>

// The only place where data of sets are converted between tensors and Eigen; as doubles on the CPU.
namespace softradial::ops {

// Shapes (n) and (m, n). Throws ShapeError, naming the argument, for any other number of dimensions.
[[nodiscard]] Eigen::VectorXd to_vector(const at::Tensor& tensor, std::string_view name);
[[nodiscard]] Eigen::MatrixXd to_matrix(const at::Tensor& tensor, std::string_view name);

[[nodiscard]] at::Tensor to_tensor(const Eigen::VectorXd& vector);
[[nodiscard]] at::Tensor to_tensor(const Eigen::MatrixXd& matrix);

// Batches: the rows of (..., width) as columns, and columns as a tensor like another one.
[[nodiscard]] Eigen::MatrixXd to_columns(const at::Tensor& rows);
[[nodiscard]] at::Tensor from_columns(const Eigen::MatrixXd& columns, const at::Tensor& like);

// Bounds in the precision that these options are computed in, each rounded towards the inside of its constraint, so that
// what holds for the tensor holds for the numbers given.
enum class Inwards { down, up };
[[nodiscard]] at::Tensor rounded_inwards(const Eigen::VectorXd& bounds, Inwards direction,
                                         const at::TensorOptions& options);

}  // namespace softradial::ops
