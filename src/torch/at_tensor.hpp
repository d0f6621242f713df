#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <functional>

#include "softradial/tensor.hpp"

// Implements the core's tensor interface with ATen tensors.
namespace softradial::ops {

[[nodiscard]] Tensor wrap(at::Tensor tensor);
[[nodiscard]] const at::Tensor& unwrap(const Tensor& tensor);

// gamma(d), (..., dim) -> (..., 1), computed by ATen ops.
using AtGauge = std::function<at::Tensor(const at::Tensor& d)>;
[[nodiscard]] AtGauge unwrap(TensorGauge gauge);

// The precision in which tensors of a dtype are computed, and the ulp of 1 in a dtype.
[[nodiscard]] at::ScalarType working_type(at::ScalarType type);
// A wider type: double for single precision. Squares and reciprocals of a set's sizes, and their derivatives, stay in range.
[[nodiscard]] at::ScalarType wide_type(at::ScalarType type);
[[nodiscard]] double ulp(at::ScalarType type);

// Makes tensors on one device. Results have one dtype and may be computed in another.
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
