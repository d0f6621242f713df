#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "softradial/tensor.hpp"

namespace softradial::support {

// Tensors of doubles in memory, without derivatives: the least that the core's formulas ask of a library of tensors. They run
// the formulas where there is no such library.
class PlainSpace final : public TensorSpace {
 public:
  [[nodiscard]] Tensor constant(double value) const override;
  [[nodiscard]] Tensor constant(const Eigen::VectorXd& values) const override;
  [[nodiscard]] Tensor constant(const Eigen::MatrixXd& values) const override;
  [[nodiscard]] Tensor constant(const std::vector<Eigen::MatrixXd>& values) const override;
  [[nodiscard]] Tensor working(const Tensor& values) const override { return values; }
  [[nodiscard]] double ulp() const override;
  [[nodiscard]] double coarse_ulp() const override { return 0; }
};

// The numbers of a tensor, the last dimension's together; truth values are 0 and 1.
[[nodiscard]] std::vector<double> numbers(const Tensor& tensor);

}  // namespace softradial::support
