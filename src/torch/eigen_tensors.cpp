#include "eigen_tensors.hpp"

#include <ATen/ATen.h>

#include <limits>
#include <string>

#include "plain_tensors.hpp"
#include "shapes.hpp"
#include "softradial/errors.hpp"

namespace softradial::ops {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

at::Tensor as_doubles(const at::Tensor& tensor, std::string_view name, int64_t dimensions) {
  if (tensor.dim() != dimensions) {
    throw ShapeError(std::string(name) + ": expected " + std::to_string(dimensions) +
                     (dimensions == 1 ? " dimension" : " dimensions") + ", got shape " + shape_text(tensor));
  }
  return tensor.detach().to(at::kCPU, at::kDouble).contiguous();
}

}  // namespace

Eigen::VectorXd to_vector(const at::Tensor& tensor, std::string_view name) {
  const at::Tensor values = as_doubles(tensor, name, 1);
  return Eigen::Map<const Eigen::VectorXd>(values.data_ptr<double>(), values.size(0));
}

Eigen::MatrixXd to_matrix(const at::Tensor& tensor, std::string_view name) {
  const at::Tensor values = as_doubles(tensor, name, 2);
  return Eigen::Map<const RowMajor>(values.data_ptr<double>(), values.size(0), values.size(1));
}

// Makes a constant: a trace records its values, not how it is filled, and no transform may wrap it meanwhile.
at::Tensor to_tensor(const Eigen::VectorXd& vector) {
  const PlainTensors plain;
  at::Tensor out = at::empty({vector.size()}, at::kDouble);
  Eigen::Map<Eigen::VectorXd>(out.data_ptr<double>(), vector.size()) = vector;
  return out;
}

at::Tensor to_tensor(const Eigen::MatrixXd& matrix) {
  const PlainTensors plain;
  at::Tensor out = at::empty({matrix.rows(), matrix.cols()}, at::kDouble);
  Eigen::Map<RowMajor>(out.data_ptr<double>(), matrix.rows(), matrix.cols()) = matrix;
  return out;
}

Eigen::MatrixXd to_columns(const at::Tensor& rows) {
  const at::Tensor wide = rows.to(at::kCPU, at::kDouble).contiguous();
  const int64_t count = c10::multiply_integers(wide.sizes().slice(0, static_cast<std::size_t>(wide.dim()) - 1));
  return Eigen::Map<const Eigen::MatrixXd>(wide.data_ptr<double>(), wide.size(-1), count);
}

at::Tensor from_columns(const Eigen::MatrixXd& columns, const at::Tensor& like) {
  const at::Tensor out = at::empty(like.sizes(), at::kDouble);
  Eigen::Map<Eigen::MatrixXd>(out.data_ptr<double>(), columns.rows(), columns.cols()) = columns;
  return out.to(like.options());
}

at::Tensor rounded_inwards(const Eigen::VectorXd& bounds, Inwards direction, const at::TensorOptions& options) {
  const PlainTensors plain;
  const at::Tensor exact = to_tensor(bounds);
  if (options.dtype() == at::kDouble) return exact.to(options);
  const at::Tensor coarse = exact.to(at::kFloat);
  const double infinity = std::numeric_limits<double>::infinity();
  const at::Tensor beyond =
      direction == Inwards::down ? coarse.to(at::kDouble) > exact : coarse.to(at::kDouble) < exact;
  const at::Tensor toward = at::full_like(coarse, direction == Inwards::down ? -infinity : infinity);
  return at::where(beyond, at::nextafter(coarse, toward), coarse).to(options);
}

}  // namespace softradial::ops
