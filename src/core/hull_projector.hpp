#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "kernels/panels.hpp"
#include "softradial/affine_hull.hpp"
#include "softradial/rows.hpp"

namespace softradial {

template <class T>
struct HullScratch;

// Whether the coordinates of the rows that are projected, u - u0, are of about one size where they matter.
enum class Units { alike, mixed };

// Orthogonal projection onto the direction space of an affine hull, d <- d - N'(N d), N orthonormal (codimension x dim).
//
// A pass leaves a normal part of ulp(|d before|), which a large offset along the normals turns into a large one. Passes go
// on until the part that the last one removed is of the size of what is left, so that the rest is rounding error of d
// itself (docs/math/margin.md). One pass is enough for most rows. Coordinates that no normal ties together are compared by
// themselves: in a product, what is rounding of one block may be large beside another. Where the coefficients of a block differ
// widely, N d adds up terms that are small beside |d|, and a pass must remove as little as these are. In mixed units the terms of
// each normal are added up for every row.
template <class T>
class HullProjector {
 public:
  explicit HullProjector(const AffineHull& hull, Units units = Units::alike);

  [[nodiscard]] bool trivial() const noexcept { return codimension_ == 0; }
  [[nodiscard]] std::size_t dim() const noexcept { return dim_; }
  [[nodiscard]] std::size_t codimension() const noexcept { return codimension_; }
  // N, as rounded to T.
  [[nodiscard]] Eigen::MatrixXd normals() const;
  // Whether the hull is {1.x = total}.
  [[nodiscard]] bool is_sum() const noexcept;

  // Projects one row in place. Returns the length of the normal part that was removed.
  T project(std::span<T> d) const noexcept;
  // Projects all rows in place, by two matrix products per pass; the lengths are left in scratch.removed. There are at most as
  // many rows as scratch has room for. A row alone and the same row among others agree bit for bit.
  void project(Rows<T> d, HullScratch<T>& scratch) const noexcept;

 private:
  struct Matrices {
    kernels::Panels<T> normals;     // N
    kernels::Panels<T> directions;  // N'
  };

  // Coordinates that normals tie together, and these normals.
  struct Block {
    std::vector<std::size_t> coordinates;
    std::vector<std::size_t> normals;
    T close = 0;  // in like units, a pass that removed no more than this many times what it left was the last
  };
  // What a pass removed of a block, beside what it left.
  struct Pass {
    T part = 0;                                    // the largest part that was removed along a normal
    T excess = 0;                                  // the largest one in units of its normal's terms; in mixed units
    T terms = std::numeric_limits<T>::infinity();  // the smallest of these, too
  };
  void find_blocks();
  [[nodiscard]] T close_enough(const Block& block) const noexcept;
  // One pass over the rows; N d is left in `parts`.
  void remove_normal_part(Rows<T> d, Rows<T> parts) const noexcept;
  // All passes over the coordinates of a block; returns the square of the length of what the first one removed.
  T settle(const Block& block, std::span<T> d) const noexcept;
  // Counts what a pass removed along normal k; d is what it left.
  void add_to(Pass& pass, std::size_t k, T part, const T* d) const noexcept;
  // Whether a pass was the last one that d needs, in a block or in all of them; `parts` is the N d that it removed.
  [[nodiscard]] bool is_close(const Block& block, const Pass& pass, std::span<const T> d) const noexcept;
  [[nodiscard]] bool is_close(const Block& block, std::span<const T> parts, std::span<const T> d) const noexcept;
  [[nodiscard]] bool is_close(std::span<const T> parts, std::span<const T> d) const noexcept;
  // For a block that is still a multiple of its normals after the last pass.
  void clear(const Block& block, std::span<T> d) const noexcept;

  std::size_t dim_;
  std::size_t codimension_;
  Units units_;
  std::vector<T> normals_;  // row by row
  std::vector<Block> blocks_;
  bool whole_ = false;                        // there is one block, of all coordinates
  std::shared_ptr<const Matrices> matrices_;  // null for few normals, which go row by row
};

// Buffers for the projection of blocks of rows.
template <class T>
struct HullScratch {
  HullScratch(const HullProjector<T>& hull, std::size_t max_rows);

  std::vector<T> removed;         // the length of the normal part of each row
  std::vector<T> parts;           // N d
  std::vector<T> gathered;        // rows that need another pass
  std::vector<std::size_t> open;  // the numbers of these rows
};

extern template class HullProjector<float>;
extern template class HullProjector<double>;
extern template struct HullScratch<float>;
extern template struct HullScratch<double>;

}  // namespace softradial
