#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "softradial/projection.hpp"

namespace softradial::feasibility {

// Draws inputs that may break a projection: of every size from subnormal to the largest finite number, and in directions that
// a random vector never takes.
template <class T>
class RowSource {
 public:
  // `normals`: directions worth trying, such as those of the set's linear rows; may be empty.
  RowSource(const Eigen::VectorXd& anchor, const std::vector<Eigen::VectorXd>& normals, std::uint64_t seed);

  void fill(std::span<T> row);

  // Replaces u by points next to the boundary: x, a point on it, moved by up to three ulp in each coordinate.
  void nudge(std::span<const T> x, std::span<T> u);

 private:
  double magnitude();
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }

  const Eigen::VectorXd& anchor_;
  const std::vector<Eigen::VectorXd>& normals_;
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

extern template class RowSource<float>;
extern template class RowSource<double>;

}  // namespace softradial::feasibility
