#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "softradial/sample_bounds.hpp"

namespace softradial {

// One row of a batch with coordinates that its bounds fix, lower_j = upper_j (a cap of 0): they have their value, and the
// rest is a row of its own in the coordinates that are free, with what the fixed ones leave of the total. Where a sum is all
// that bounds a single free coordinate, it has its value, too.
template <class T>
class FixedCoordinates {
 public:
  // Whether row i has such coordinates.
  [[nodiscard]] static bool in_row(const SampleBounds<T>& bounds, std::size_t i) noexcept;

  FixedCoordinates(const SampleBounds<T>& bounds, std::size_t i, std::span<const T> u);

  // x of the row; NaN where the status is not ok.
  [[nodiscard]] RowStatus project(const Method& method, std::span<T> x);

  // The cotangents of row i. A fixed coordinate's own is shared by its two bounds; its u and its anchor have none.
  void project_vjp(const Method& method, std::span<const T> grad_x, std::size_t i, std::span<T> grad_u,
                   const SampleBoundsGradient<T>& gradient);

 private:
  [[nodiscard]] SampleBounds<T> view() const noexcept;
  [[nodiscard]] RowStatus project_free(const Method& method, std::vector<T>& x, std::vector<RowState<T>>& state) const;
  // Whether the sum alone decides the free coordinates: none, or one.
  [[nodiscard]] bool is_decided() const noexcept { return has_total_ && free_.size() < 2; }

  std::vector<std::size_t> free_;
  std::vector<std::size_t> fixed_;
  std::vector<T> values_;  // of the fixed ones
  bool has_total_;
  bool has_anchor_;
  bool finite_ = true;  // u is
  T total_ = 0;         // what the fixed ones leave
  T rounding_ = 0;      // of it
  // Of the free ones.
  std::vector<T> u_;
  std::vector<T> lower_;
  std::vector<T> upper_;
  std::vector<T> anchor_;
};

extern template class FixedCoordinates<float>;
extern template class FixedCoordinates<double>;

}  // namespace softradial
