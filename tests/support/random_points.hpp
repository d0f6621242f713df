#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "softradial/anchor.hpp"
#include "support/batch.hpp"

namespace softradial::support {

// Random points and directions from a seed; the same on every platform that has the same standard library.
class RandomPoints {
 public:
  explicit RandomPoints(std::uint64_t seed) : engine_(seed) {}

  [[nodiscard]] double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }

  [[nodiscard]] Eigen::VectorXd gaussian(std::size_t dim) {
    Eigen::VectorXd v(static_cast<Eigen::Index>(dim));
    for (double& coordinate : v) coordinate = normal_(engine_);
    return v;
  }

  [[nodiscard]] Eigen::VectorXd unit(std::size_t dim) { return gaussian(dim).normalized(); }

  // A unit vector along the hull.
  [[nodiscard]] Eigen::VectorXd unit_on(const AffineHull& hull) {
    const Eigen::VectorXd v = unit(hull.dim());
    return (v - hull.normals.transpose() * (hull.normals * v)).normalized();
  }

  // anchor + scale * gaussian / sqrt(dim), each coordinate kept finite in T.
  template <class T>
  void fill_row(std::span<T> row, const Eigen::VectorXd& anchor, double scale) {
    const double root = std::sqrt(static_cast<double>(row.size()));
    const double largest = std::numeric_limits<T>::max();
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double value = anchor[static_cast<Eigen::Index>(j)] + scale * (normal_(engine_) / root);
      row[j] = static_cast<T>(std::clamp(value, -largest, largest));
    }
  }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

// Rows around an anchor, `per_scale` for each scale.
template <class T>
[[nodiscard]] Batch<T> rows_at_scales(RandomPoints& random, const Eigen::VectorXd& anchor,
                                      const std::vector<double>& scales, std::size_t per_scale) {
  Batch<T> batch(scales.size() * per_scale, static_cast<std::size_t>(anchor.size()));
  for (std::size_t i = 0; i < batch.count(); ++i) random.fill_row(batch[i], anchor, scales[i / per_scale]);
  return batch;
}

// From nothing to the largest finite number of T.
template <class T>
[[nodiscard]] std::vector<double> all_scales() {
  return {0, 1e-30, 1e-3, 1, 1e3, 1e6, 1e18, 1e30, static_cast<double>(std::numeric_limits<T>::max())};
}

}  // namespace softradial::support
