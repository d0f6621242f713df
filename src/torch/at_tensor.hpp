#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <functional>

#include "softradial/tensor.hpp"

// The core's tensors are ATen's.
namespace softradial::ops {

[[nodiscard]] Tensor wrap(at::Tensor tensor);
[[nodiscard]] const at::Tensor& unwrap(const Tensor& tensor);

// gamma(d), (..., dim) -> (..., 1), by ATen ops.
using AtGauge = std::function<at::Tensor(const at::Tensor& d)>;
[[nodiscard]] AtGauge unwrap(TensorGauge gauge);

// The precision in which a dtype is computed, and an ulp of 1 in a dtype.
[[nodiscard]] at::ScalarType working_type(at::ScalarType type);
// A wider one for single precision, double: squares and reciprocals of a set's sizes, and their derivatives, stay in range.
[[nodiscard]] at::ScalarType wide_type(at::ScalarType type);
[[nodiscard]] double ulp(at::ScalarType type);

// Tensors on one device for results of one dtype, which are computed in another.
class AtSpace final : public TensorSpace {
 public:
  AtSpace(at::Device device, at::ScalarType type) : AtSpace(device, type, working_type(type)) {}
  AtSpace(at::Device device, at::ScalarType type, at::ScalarType working)
      : device_(device), type_(type), working_(working) {}

  [[nodiscard]] Tensor constant(double value) const override;
  [[nodiscard]] Tensor constant(const Eigen::VectorXd& values) const override;
  [[nodiscard]] Tensor constant(const Eigen::MatrixXd& values) const override;
  [[nodiscard]] Tensor constant(const std::vector<Eigen::MatrixXd>& values) const override;
  [[nodiscard]] Tensor working(const Tensor& values) const override;
  [[nodiscard]] double ulp() const override;
  [[nodiscard]] double coarse_ulp() const override;

 private:
  at::Device device_;
  at::ScalarType type_;
  at::ScalarType working_;
};

}  // namespace softradial::ops
