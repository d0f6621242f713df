#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "softradial/sample_bounds.hpp"

namespace softradial {

// A row of a batch whose bounds fix some coordinates, lower_j = upper_j (a cap of 0). These have their value. The free
// coordinates are a row of their own, with the part of the total that the fixed ones leave. A single free coordinate that the
// sum decides has its value, too. Where the total is that of all upper or of all lower bounds, it fixes every coordinate there:
// the set is one point.
template <class T>
class FixedCoordinates {
 public:
  // Whether row i has fixed coordinates. Such a row has no interior that the fused passes could use.
  [[nodiscard]] static bool in_row(const SampleBounds<T>& bounds, std::size_t i) noexcept;

  FixedCoordinates(const SampleBounds<T>& bounds, std::size_t i, std::span<const T> u);

  // Writes x of the row; NaN if the status is not ok.
  [[nodiscard]] RowStatus project(const Method& method, std::span<T> x);

  // Writes the cotangents of row i. That of a fixed coordinate goes to the bound that fixes it, or is shared by the two that are
  // equal; its u and its anchor have none.
  void project_vjp(const Method& method, std::span<const T> grad_x, std::size_t i, std::span<T> grad_u,
                   const SampleBoundsGradient<T>& gradient);

 private:
  [[nodiscard]] SampleBounds<T> view() const noexcept;
  [[nodiscard]] RowStatus project_free(const Method& method, std::vector<T>& x, std::vector<RowState<T>>& state) const;
  // Whether the sum alone decides the free coordinates: there is none, or one.
  [[nodiscard]] bool is_decided() const noexcept { return has_total_ && free_.size() < 2; }

  struct Fixed {
    std::size_t coordinate;
    T value;
    T lower_share;  // the part of its cotangent that the lower bound gets; the upper one gets the rest
  };

  std::vector<std::size_t> free_;
  std::vector<Fixed> fixed_;
  bool has_total_;
  bool has_anchor_;
  bool finite_ = true;  // whether u is finite
  T total_ = 0;         // what the fixed coordinates leave of the total
  T rounding_ = 0;      // rounding of total_
  // Data of the free coordinates.
  std::vector<T> u_;
  std::vector<T> lower_;
  std::vector<T> upper_;
  std::vector<T> anchor_;
};

extern template class FixedCoordinates<float>;
extern template class FixedCoordinates<double>;

}  // namespace softradial
