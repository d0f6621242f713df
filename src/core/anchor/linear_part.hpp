#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "anchor/equality_hull.hpp"
#include "softradial/set.hpp"

namespace softradial {

// A polyhedron whose inradius is below this, relative to the sizes of the rows that confine it (row_size), is flat: 1e-11 is
// 1e5 ulp, more than the rounding of data that were meant to coincide, and far below a thickness that someone could mean.
// Each row is judged in its own units: a metre beside a nanometre is not flat.
inline constexpr double kFlatTolerance = 1e-11;

// A point that is inside a row by more than this share of the row's size proves that the row is no equality in disguise: 64
// ulp are more than the rounding of the point and of the row's data.
inline constexpr double kWitnessTolerance = 64 * std::numeric_limits<double>::epsilon();

// An inequality a.x <= b that is not constant on the hull.
struct FreeRow {
  std::size_t inequality = 0;  // its number in the linear system
  double norm = 0;             // |P a|, the length of a along the hull: slack / norm is a distance within the hull
  // P a where it is far shorter than a, which differs from it by a constant on the hull; otherwise empty.
  std::vector<LinearSystem::Entry> along = {};
};

// The linear rows of a set, seen on the affine hull that its equalities span.
class LinearPart {
 public:
  // The hull of the stated equalities. Rows that are constant on it are left out; one that is violated there makes the
  // set empty.
  explicit LinearPart(LinearSystem system);

  // The same polyhedron in the coordinates y_j = x_j / sizes_j, exactly: sizes are powers of two.
  [[nodiscard]] LinearPart in_sizes() const;
  // Takes over the implicit equalities that were found there.
  void add_equalities_of(const LinearPart& in_sizes);

  // Declares that inequalities hold with equality throughout the set, and starts again with the hull that this gives. The
  // equality is a_i.x = b_i if `point`, a central one, is close to it, by a share of the row's size or by a distance;
  // otherwise it is a_i.x = a_i.point: the set has some thickness after all.
  void add_implicit_equalities(const std::vector<std::size_t>& inequalities, const Eigen::VectorXd& point,
                               double relative, double distance);

  [[nodiscard]] AnchorStatus status() const noexcept { return status_; }  // `found`: nothing wrong so far
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  [[nodiscard]] std::size_t dim() const noexcept { return system_.dim(); }
  [[nodiscard]] const LinearSystem& system() const noexcept { return system_; }
  [[nodiscard]] const AffineHull& hull() const noexcept { return hull_; }
  [[nodiscard]] const std::vector<LinearSystem::Row>& independent_equalities() const noexcept { return independent_; }
  [[nodiscard]] const std::vector<FreeRow>& free_rows() const noexcept { return free_rows_; }
  [[nodiscard]] const LinearSystem::Row& row(const FreeRow& free_row) const {
    return system_.inequalities()[free_row.inequality];
  }
  // The entries of a row as it is on the hull, up to a constant: those of P a where a is far longer, else those of a.
  [[nodiscard]] const std::vector<LinearSystem::Entry>& entries(const FreeRow& free_row) const {
    return free_row.along.empty() ? row(free_row).entries : free_row.along;
  }

  // Sizes of the coordinates that the rows tell of (coordinate_sizes.hpp); 1 where they are alike.
  [[nodiscard]] const Eigen::VectorXd& sizes() const noexcept { return sizes_; }
  [[nodiscard]] bool has_like_coordinates() const { return (sizes_.array() == 1).all(); }

  // Units of the coordinates, in which none of them moves much less than others along the hull: |P e_j|, as a power of two, where
  // that is below 1/16, otherwise 1.
  [[nodiscard]] const Eigen::VectorXd& units() const noexcept { return units_; }
  // A row's entries in these units.
  [[nodiscard]] std::vector<LinearSystem::Entry> in_units(std::vector<LinearSystem::Entry> entries) const;

  // The point of the hull that is closest to the origin.
  [[nodiscard]] Eigen::VectorXd least_norm_point() const { return hull_.normals.transpose() * hull_.offsets; }

 private:
  LinearPart(LinearSystem system, Eigen::VectorXd sizes);
  void reduce();

  LinearSystem system_;
  Eigen::VectorXd sizes_;
  std::vector<LinearSystem::Row> equalities_;  // stated ones, then implicit ones
  AnchorStatus status_ = AnchorStatus::found;
  std::string reason_;
  AffineHull hull_;
  std::vector<LinearSystem::Row> independent_;
  std::vector<FreeRow> free_rows_;
  Eigen::VectorXd units_;
};

// The smallest slack / norm of the free rows at x: how far x is from the closest of them. +infinity without rows.
[[nodiscard]] double smallest_distance(const LinearPart& part, const Eigen::VectorXd& x);

// True if x is inside every free row by more than kWitnessTolerance of the row's size. If such a point is on the hull, there
// are no implicit equalities.
[[nodiscard]] bool is_clearly_inside(const LinearPart& part, const Eigen::VectorXd& x);

// x itself where it is on the hull to rounding, otherwise its projection.
[[nodiscard]] Eigen::VectorXd onto_hull(const AffineHull& hull, const Eigen::VectorXd& x);

}  // namespace softradial
