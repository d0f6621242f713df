#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "guard.hpp"
#include "kernels/kernel_table.hpp"
#include "softradial/rows.hpp"

// The guarded reciprocal slacks of linear rows a_i.x <= b_i that change from sample to sample
// (softradial/sample_polyhedra.hpp), by guard.hpp with norm_i = |a_i| and |u0| norm_i >= |a_i.u0|:
//
//   scale_i = 1 / (slack_i (1 - 8 ulp) - roundings ulp norm_i |u0|)
//
// A row that never binds has scale 0: slack_i = +infinity, or norm_i = 0 with slack_i >= 0.
namespace softradial::kernels {

// The numbers of an anchor that the loss of a slack depends on.
template <class T>
struct AnchorSize {
  T norm;       // |u0|
  T roundings;  // guard::slack_roundings(dim)
};

// slack = b - image, or b where image is null.
template <class T>
struct LinearSlack {
  const T* b;
  const T* image;
};

// For samples that share the rows and the anchor, if all norms lie between kSmallestSlack and its reciprocal. Everything that
// does not depend on b is prepared once.
template <class T>
struct SharedRows {
  std::span<const T> norms;
  const T* image;        // or null
  std::vector<T> loss;   // guard::row_loss
  std::vector<T> least;  // the smallest slack that is resolvable

  SharedRows(std::span<const T> row_norms, const AnchorSize<T>& size, const T* image_of_anchor);
};

template <class T>
struct RowSlackKernels {
  T(*guarded_scales)
  (const LinearSlack<T>& slack, const T* norms, const AnchorSize<T>& size, std::size_t m, T* scale) noexcept;
  void (*guarded_scale_rows)(const SharedRows<T>& rows, Rows<const T> b, Rows<T> scales, T* steepest) noexcept;

  static const RowSlackKernels& choose() noexcept;
};
template <>
const RowSlackKernels<float>& RowSlackKernels<float>::choose() noexcept;
template <>
const RowSlackKernels<double>& RowSlackKernels<double>::choose() noexcept;

// The scales of m rows. Returns D = max_i norm_i scale_i, an upper bound of the gauge over unit vectors. Negative where a
// slack is not resolvable, norm_i is not between kSmallestSlack and its reciprocal, or D lies above the latter: products with
// d of ordinary size could overflow or vanish.
template <class T>
[[nodiscard]] inline T guarded_scales(const LinearSlack<T>& slack, const T* norms, const AnchorSize<T>& size,
                                      std::size_t m, T* scale) noexcept {
  return table<RowSlackKernels<T>>().guarded_scales(slack, norms, size, m, scale);
}

// The scales for all samples of a batch. scales: a row for each row of b. steepest: D of each, or a negative number.
template <class T>
inline void guarded_scale_rows(const SharedRows<T>& rows, Rows<const T> b, Rows<T> scales, T* steepest) noexcept {
  table<RowSlackKernels<T>>().guarded_scale_rows(rows, b, scales, steepest);
}

// One scale alone, to rounding, for a row that is resolvable and can bind.
template <class T>
[[nodiscard]] T guarded_scale(T slack, T norm, const AnchorSize<T>& size) noexcept {
  const guard::Scalars<T> math;
  const T loss = guard::row_loss(math, size.roundings, size.norm, norm);
  return guard::reciprocal_slack(math, false, guard::guarded_slack(math, slack, loss));
}

}  // namespace softradial::kernels
