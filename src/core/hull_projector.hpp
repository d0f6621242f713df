#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "softradial/affine_hull.hpp"

namespace softradial {

// Orthogonal projection onto the direction space of an affine hull, d <- d - N'(N d), N orthonormal (codimension x dim).
template <class T>
class HullProjector {
 public:
  explicit HullProjector(const AffineHull& hull);

  [[nodiscard]] bool trivial() const noexcept { return codimension_ == 0; }
  [[nodiscard]] std::size_t codimension() const noexcept { return codimension_; }
  // N, as rounded to T.
  [[nodiscard]] Eigen::MatrixXd normals() const;
  // The hull is {1.x = total}.
  [[nodiscard]] bool is_sum() const noexcept;

  // Projects in place until what is left of the normal part is rounding error of d itself: one pass leaves an error of
  // ulp(|d before|), which a large offset along the normals turns into a large one (docs/math/margin.md).
  // Returns the length of the normal part that was removed.
  T project(std::span<T> d) const noexcept;

 private:
  std::size_t dim_;
  std::size_t codimension_;
  std::vector<T> normals_;  // row by row
};

extern template class HullProjector<float>;
extern template class HullProjector<double>;

}  // namespace softradial
