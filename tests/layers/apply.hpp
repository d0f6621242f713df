#pragma once

#include <Eigen/Core>

#include "softradial/layer.hpp"
#include "support/batch.hpp"

namespace softradial {

// One row through a layer.
[[nodiscard]] inline Eigen::VectorXd apply(const Layer<double>& layer, const Eigen::VectorXd& u) {
  support::Batch<double> in(1, layer.input_dim());
  support::Batch<double> out(1, layer.dim());
  in.set(0, u);
  layer.project(in.view(), out.rows(), {});
  return out.get(0);
}

}  // namespace softradial
