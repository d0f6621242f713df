#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "softradial/affine_hull.hpp"
#include "softradial/method.hpp"
#include "softradial/projection.hpp"
#include "softradial/row_status.hpp"
#include "softradial/rows.hpp"

namespace softradial {

// One polyhedron for each row i of a batch, as seen from its anchor: {u0_i + d : A_i d <= slack_i} on the directions of
// the hull. The caller provides the anchor and slack_i = b_i - A_i u0_i, and the derivatives through both. The guard
// covers an error of ulp |a_k| |u0_i| in the slack and one rounding of its own. A slack of +infinity leaves its row out.
// Where all samples share A and the anchor, `image` is A u0 and the slack is formed here, without a pass of its own over
// (batch, num_rows) numbers.
template <class T>
struct SamplePolyhedra {
  Rows<const T> b;           // num_rows numbers a row; the slack itself if there is no image
  Rows<const T> anchor;      // with stride 0: one for all samples
  const T* image = nullptr;  // num_rows numbers
};

// Cotangents of the data; members without data are not computed. That of A covers the gauge alone, not the slack, and is
// added to what is there.
template <class T>
struct SamplePolyhedraGradient {
  Rows<T> b;
  Rows<T> anchor;
  Rows<T> A;  // num_rows rows of dim, or batch * num_rows, like the matrix A itself
};

// The projection onto polyhedra that change from row to row:
//   gamma_i(d) = max_k a_k.d / slack_ik,    guarded as docs/math/margin.md derives it for rows, with the bound
//   |a_k| |u0| for the sum of |a_kj u0_j|.
// Shapes are assumed to fit. Each call allocates buffers for a block of rows; calls may run side by side.
template <class T>
class PolyhedraMap {
 public:
  // A has num_rows rows of dim that all samples share (`shared`; packed here, once), or batch * num_rows rows, num_rows for
  // each sample (`own`; read in place at every call).
  static PolyhedraMap shared(Rows<const T> A, const AffineHull& hull, Method method);
  static PolyhedraMap own(std::size_t num_rows, std::size_t dim, const AffineHull& hull, Method method);
  PolyhedraMap(PolyhedraMap&&) noexcept;
  PolyhedraMap& operator=(PolyhedraMap&&) noexcept;
  ~PolyhedraMap();

  // `A` is the matrix that was given to `shared`, or the samples' own. `state` is empty or has a place for each row.
  void project(const SamplePolyhedra<T>& sets, Rows<const T> A, Rows<const T> u, Rows<T> x, std::span<RowStatus> status,
               std::span<RowState<T>> state = {}) const;

  // `state` and `status` hold what `project` saved for the same batch.
  void project_vjp(const SamplePolyhedra<T>& sets, Rows<const T> A, Rows<const T> u, Rows<const T> grad_x,
                   std::span<const RowStatus> status, std::span<const RowState<T>> state, Rows<T> grad_u,
                   const SamplePolyhedraGradient<T>& gradient) const;

 private:
  struct Impl;
  explicit PolyhedraMap(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

extern template class PolyhedraMap<float>;
extern template class PolyhedraMap<double>;

}  // namespace softradial
