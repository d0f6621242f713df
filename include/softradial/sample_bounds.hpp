#pragma once

#include <cstddef>
#include <span>

#include "softradial/method.hpp"
#include "softradial/projection.hpp"
#include "softradial/row_status.hpp"
#include "softradial/rows.hpp"

namespace softradial {

// One coordinate set for each row i of a batch: lower_i <= x <= upper_i, with or without sum(x) = total_i. With stride 0
// all samples share one row. lower = -infinity and upper = +infinity leave a side open.
template <class T>
struct SampleBounds {
  Rows<const T> lower;
  Rows<const T> upper;
  Rows<const T> total;   // one number a row; without data there is no sum constraint
  Rows<const T> anchor;  // without data: the closed form; with a sum constraint the caller ensures sum(anchor) = total
};

// Cotangents of the data; members without data are not computed. Rows are not shared: shared data get one row for each
// sample, and the caller adds these up.
template <class T>
struct SampleBoundsGradient {
  Rows<T> lower;
  Rows<T> upper;
  Rows<T> total;
  Rows<T> anchor;
};

// The projection onto sets that change from row to row, by the fused passes of the fixed coordinate sets. With the bounds
// of row i, reach_j = min(upper_j - lower_j, spare), spare = total - sum(lower), the closed-form anchor is
//
//   u0 = lower + theta reach,   theta = spare / sum(reach)      with a sum: the same share of every reach; lower is finite
//   u0 = the middle of each interval                           without: an open side counts as max(1, |bound|)
//
// The anchor moves continuously with the bounds, and the gradient follows it (docs/math/vjp.md). The guard is that of the fixed
// sets, taken row by row (docs/math/margin.md). Shapes are assumed to fit. Each call allocates buffers for one row; calls
// may run side by side.
template <class T>
class BoundsMap {
 public:
  BoundsMap(std::size_t dim, Method method);

  // `state` is empty or has a place for each row.
  void project(const SampleBounds<T>& bounds, Rows<const T> u, Rows<T> x, std::span<RowStatus> status,
               std::span<RowState<T>> state = {}) const;

  // `state` and `status` hold what `project` saved for the same batch.
  void project_vjp(const SampleBounds<T>& bounds, Rows<const T> u, Rows<const T> grad_x,
                   std::span<const RowStatus> status, std::span<const RowState<T>> state, Rows<T> grad_u,
                   const SampleBoundsGradient<T>& gradient) const;

 private:
  std::size_t dim_;
  Method method_;
};

extern template class BoundsMap<float>;
extern template class BoundsMap<double>;

}  // namespace softradial
