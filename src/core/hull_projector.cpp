#include "hull_projector.hpp"

#include <algorithm>
#include <cmath>

#include "algebra/as_doubles.hpp"
#include "kernels/row_kernels.hpp"

namespace softradial {
namespace {

// Each pass shrinks the normal part by a factor of about an ulp; from the largest number to the smallest that takes
// 12 passes in float and 13 in double. A row that needs them all is a multiple of the normals: d = 0.
constexpr int kMaxPasses = 14;

template <class T>
T largest_entry(std::span<const T> d) noexcept {
  T largest = 0;
  for (const T v : d) largest = std::max(largest, std::abs(v));
  return largest;
}

}  // namespace

template <class T>
HullProjector<T>::HullProjector(const AffineHull& hull)
    : dim_(hull.dim()), codimension_(hull.codimension()), normals_(dim_ * codimension_) {
  for (std::size_t k = 0; k < codimension_; ++k) {
    for (std::size_t j = 0; j < dim_; ++j) {
      normals_[k * dim_ + j] = static_cast<T>(hull.normals(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)));
    }
  }
}

template <class T>
Eigen::MatrixXd HullProjector<T>::normals() const {
  return as_doubles<T>(normals_, dim_);
}

template <class T>
bool HullProjector<T>::is_sum() const noexcept {
  return codimension_ == 1 && std::all_of(normals_.begin(), normals_.end(), [&](T v) { return v == normals_[0]; });
}

template <class T>
T HullProjector<T>::project(std::span<T> d) const noexcept {
  if (trivial()) return 0;
  T removed = 0;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    T squares = 0;
    T normal_part = 0;
    for (std::size_t k = 0; k < codimension_; ++k) {
      const T* const normal = normals_.data() + k * dim_;
      const T along = kernels::dot(normal, d.data(), dim_);
      kernels::add_scaled(-along, normal, d.data(), dim_);
      squares += along * along;
      normal_part = std::max(normal_part, std::abs(along));
    }
    // Compared by their largest entries: squares underflow, and where both were 0 a multiple of the normals would pass
    // for a direction along the hull.
    if (pass == 0) {
      removed = std::sqrt(squares);
    } else if (normal_part <= largest_entry<T>(d)) {
      return removed;
    }
  }
  std::fill(d.begin(), d.end(), T{0});
  return removed;
}

template class HullProjector<float>;
template class HullProjector<double>;

}  // namespace softradial
