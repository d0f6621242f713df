#include "hull_projector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>

#include "algebra/as_doubles.hpp"
#include "kernels/matrix_product_kernels.hpp"
#include "kernels/row_kernels.hpp"
#include "sets/margin.hpp"
#include "sets/number_text.hpp"
#include "softradial/errors.hpp"

namespace softradial {
namespace {

// Each pass shrinks the normal part by a factor of about an ulp. From the largest row whose square does not overflow to the
// smallest normal number that takes 9 passes in float and 30 in double. A row that needs more is a multiple of the normals: d = 0.
constexpr int kMaxPasses = 32;

// A pass that removed no more than this many times what it left was the last: the error is then as many ulp of d. Rows whose
// entries are independent have a quotient of about sqrt(codimension / dimension of the hull): 4 lets nine tenths of
// the dimensions be normal.
constexpr int kClose = 4;

// Coefficients whose sizes differ by less count as equal.
constexpr int kLikeSize = 4;

// Fewer normals than this go row by row: a product's vectors hold 16 of them at once, used or not.
constexpr std::size_t kFewNormals = 4;

// The largest |values[i]| for the indices i; NaN does not count.
template <class T>
T largest_of(std::span<const T> values, const std::vector<std::size_t>& indices) noexcept {
  T most = 0;
  for (const std::size_t i : indices) most = std::max(most, std::abs(values[i]));
  return most;
}

}  // namespace

template <class T>
HullProjector<T>::HullProjector(const AffineHull& hull, Units units)
    : dim_(hull.dim()), codimension_(hull.codimension()), units_(units), normals_(dim_ * codimension_) {
  const Eigen::MatrixXd normals = normals_without_dust(hull);
  for (std::size_t j = 0; j < dim_; ++j) {
    for (std::size_t k = 0; k < codimension_; ++k) {
      const double entry = normals(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j));
      if (entry == 0) continue;
      // Normals have length 1: what x_j moves of the coordinate with the largest entry would vanish.
      if (std::abs(entry) < static_cast<double>(guard::kSmallestSlack<T>)) {
        throw AnchorNotInterior("equalities: coordinate " + std::to_string(j) + " has a coefficient of " +
                                number_text(std::abs(entry)) + " of the largest, too little for " +
                                precision_name<T>());
      }
      normals_[k * dim_ + j] = static_cast<T>(entry);
    }
  }
  find_blocks();
  if (codimension_ < kFewNormals) return;
  Matrices matrices{{codimension_, dim_}, {dim_, codimension_}};
  for (std::size_t k = 0; k < codimension_; ++k) {
    for (std::size_t j = 0; j < dim_; ++j) {
      matrices.normals.set(k, j, normals_[k * dim_ + j]);
      matrices.directions.set(j, k, normals_[k * dim_ + j]);
    }
  }
  matrices_ = std::make_shared<const Matrices>(std::move(matrices));
}

template <class T>
void HullProjector<T>::find_blocks() {
  if (trivial()) return;
  // Each coordinate points to one of its block, the first of which points to itself.
  std::vector<std::size_t> tied(dim_);
  std::iota(tied.begin(), tied.end(), std::size_t{0});
  const auto first_of = [&](std::size_t j) {
    while (tied[j] != j) j = tied[j] = tied[tied[j]];
    return j;
  };
  std::vector<std::size_t> some_coordinate(codimension_);
  for (std::size_t k = 0; k < codimension_; ++k) {
    std::optional<std::size_t> before;
    for (std::size_t j = 0; j < dim_; ++j) {
      if (normals_[k * dim_ + j] == 0) continue;
      if (before) tied[first_of(j)] = first_of(*before);
      before = j;
    }
    some_coordinate[k] = before.value_or(0);
  }
  std::unordered_map<std::size_t, std::size_t> block_of;
  for (std::size_t k = 0; k < codimension_; ++k) {
    const auto [place, is_new] = block_of.try_emplace(first_of(some_coordinate[k]), blocks_.size());
    if (is_new) blocks_.emplace_back();
    blocks_[place->second].normals.push_back(k);
  }
  for (std::size_t j = 0; j < dim_; ++j) {
    const auto place = block_of.find(first_of(j));
    if (place != block_of.end()) blocks_[place->second].coordinates.push_back(j);
  }
  whole_ = blocks_.front().coordinates.size() == dim_;
  for (Block& block : blocks_) block.close = close_enough(block);
}

// With n_j the largest |N_kj| of a coordinate, the terms of N d are at least min_j n_j / max_j n_j of |N| |d|.
template <class T>
T HullProjector<T>::close_enough(const Block& block) const noexcept {
  T least = std::numeric_limits<T>::infinity();
  T most = 0;
  for (const std::size_t j : block.coordinates) {
    T largest = 0;
    for (const std::size_t k : block.normals) largest = std::max(largest, std::abs(normals_[k * dim_ + j]));
    least = std::min(least, largest);
    most = std::max(most, largest);
  }
  return most < kLikeSize * least ? T{kClose} : kClose * (least / most);
}

// Compares the largest entries, because squares underflow: where both are 0, a multiple of the normals would pass for a
// direction of the hull. Denormals do not shrink from pass to pass, so they are as good as nothing, and d must be 0 then.
// Numbers that are not finite stay so and need no further pass. A block of one coordinate needs no second pass: its normal is a
// unit vector, and d_j - d_j is 0.
//
// In mixed units the terms of a normal may be much smaller than |d|, and an equality is as exact as these. Normals are orthogonal
// to an ulp: of what a pass removes along one of them, as much is left along the others.
template <class T>
bool HullProjector<T>::is_close(const Block& block, const Pass& pass, std::span<const T> d) const noexcept {
  if (block.coordinates.size() == 1) return true;
  const T left = whole_ ? kernels::largest(d.data(), d.size()) : largest_of(d, block.coordinates);
  if (left < std::numeric_limits<T>::min()) return left == 0;
  if (units_ == Units::alike) return !(pass.part > block.close * left);
  const T floor = 2 * std::numeric_limits<T>::epsilon() * left;
  return !(pass.excess > kClose) && !(pass.part > kClose * std::max(pass.terms, floor));
}

template <class T>
void HullProjector<T>::add_to(Pass& pass, std::size_t k, T part, const T* d) const noexcept {
  pass.part = std::max(pass.part, std::abs(part));
  if (units_ == Units::alike) return;
  const T terms = kernels::dot_of_sizes(normals_.data() + k * dim_, d, dim_);
  pass.terms = std::min(pass.terms, terms);
  pass.excess = std::max(pass.excess, std::abs(part) / terms);
}

template <class T>
bool HullProjector<T>::is_close(const Block& block, std::span<const T> parts, std::span<const T> d) const noexcept {
  Pass pass;
  for (const std::size_t k : block.normals) add_to(pass, k, parts[k], d.data());
  return is_close(block, pass, d);
}

template <class T>
bool HullProjector<T>::is_close(std::span<const T> parts, std::span<const T> d) const noexcept {
  return std::all_of(blocks_.begin(), blocks_.end(), [&](const Block& block) { return is_close(block, parts, d); });
}

template <class T>
void HullProjector<T>::clear(const Block& block, std::span<T> d) const noexcept {
  for (const std::size_t j : block.coordinates) d[j] = 0;
}

template <class T>
HullScratch<T>::HullScratch(const HullProjector<T>& hull, std::size_t max_rows)
    : removed(hull.trivial() ? 0 : max_rows),
      parts(max_rows * kernels::padded_rows<T>(hull.codimension())),
      gathered(hull.trivial() ? 0 : max_rows * hull.dim()),
      open(hull.trivial() ? 0 : max_rows) {}

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
  T squares = 0;
  for (const Block& block : blocks_) squares += settle(block, d);
  return std::sqrt(squares);
}

template <class T>
T HullProjector<T>::settle(const Block& block, std::span<T> d) const noexcept {
  T removed = 0;
  for (int number = 0; number < kMaxPasses; ++number) {
    T squares = 0;
    Pass pass;
    for (const std::size_t k : block.normals) {
      const T* const normal = normals_.data() + k * dim_;
      const T along = kernels::dot(normal, d.data(), dim_);
      kernels::add_scaled(-along, normal, d.data(), dim_);
      squares += along * along;
      add_to(pass, k, along, d.data());
    }
    if (number == 0) removed = squares;
    if (is_close(block, pass, d)) return removed;
  }
  clear(block, d);
  return removed;
}

template <class T>
void HullProjector<T>::remove_normal_part(Rows<T> d, Rows<T> parts) const noexcept {
  kernels::multiply<T>(matrices_->normals, d, parts);
  kernels::subtract_product<T>(matrices_->directions, parts, d);
}

template <class T>
void HullProjector<T>::project(Rows<T> d, HullScratch<T>& scratch) const noexcept {
  if (trivial()) return;
  if (!matrices_) {
    for (std::size_t i = 0; i < d.count(); ++i) scratch.removed[i] = project(d[i]);
    return;
  }
  const auto parts_of = [&](std::size_t count) {
    return Rows<T>(scratch.parts.data(), count, codimension_,
                   static_cast<std::ptrdiff_t>(kernels::padded_rows<T>(codimension_)));
  };
  Rows<T> parts = parts_of(d.count());
  remove_normal_part(d, parts);
  std::size_t num_open = 0;
  for (std::size_t i = 0; i < d.count(); ++i) {
    scratch.removed[i] = std::sqrt(kernels::dot(parts.row(i), parts.row(i), codimension_));
    if (!is_close(parts[i], d[i])) scratch.open[num_open++] = i;
  }
  // Rows that need more passes go on together, row `open[k]` at place k.
  for (int pass = 1; num_open > 0; ++pass) {
    const Rows<T> rows(scratch.gathered.data(), num_open, dim_);
    for (std::size_t k = 0; k < num_open; ++k) std::copy_n(d.row(scratch.open[k]), dim_, rows.row(k));
    parts = parts_of(num_open);
    remove_normal_part(rows, parts);
    std::size_t still_open = 0;
    for (std::size_t k = 0; k < rows.count(); ++k) {
      const std::size_t i = scratch.open[k];
      std::copy_n(rows.row(k), dim_, d.row(i));
      if (is_close(parts[k], rows[k])) continue;
      if (pass + 1 == kMaxPasses) {
        for (const Block& block : blocks_) {
          if (!is_close(block, parts[k], d[i])) clear(block, d[i]);
        }
      } else {
        scratch.open[still_open++] = i;
      }
    }
    num_open = still_open;
  }
}

template class HullProjector<float>;
template class HullProjector<double>;
template struct HullScratch<float>;
template struct HullScratch<double>;

}  // namespace softradial
