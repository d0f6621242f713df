#pragma once

#include <Eigen/Core>
#include <memory>

#include "kernels/matrix_product_kernels.hpp"

namespace softradial::layers {

// A matrix for products with batches. It is packed once; the products run on the kernels for this processor.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  explicit PackedMatrix(const Eigen::MatrixXd& M) {
    kernels::Panels<double> panels(static_cast<std::size_t>(M.rows()), static_cast<std::size_t>(M.cols()));
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      for (Eigen::Index k = 0; k < M.cols(); ++k) {
        panels.set(static_cast<std::size_t>(i), static_cast<std::size_t>(k), M(i, k));
      }
    }
    panels_ = std::make_shared<const kernels::Panels<double>>(std::move(panels));
  }

  // M v for every column v.
  [[nodiscard]] Eigen::MatrixXd operator*(const Eigen::MatrixXd& columns) const {
    const auto rows = static_cast<Eigen::Index>(panels_->num_rows());
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(rows, columns.cols());
    if (out.size() == 0 || columns.rows() == 0) return out;
    const auto count = static_cast<std::size_t>(columns.cols());
    kernels::multiply<double>(*panels_, {columns.data(), count, panels_->num_columns()},
                              Rows<double>(out.data(), count, panels_->num_rows()));
    return out;
  }

 private:
  std::shared_ptr<const kernels::Panels<double>> panels_;
};

}  // namespace softradial::layers
