#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "softradial/linear_system.hpp"

namespace softradial {

// A row a is constant on a hull with the projector P if no (P a)_j is more than this share of the terms that cancel in it: far
// above the rounding of a combination of normals, far below a direction that someone could mean. Each coordinate is judged in its
// own unit: where x_2 + x_3 is fixed, 1e-5 x_1 + 1e5 x_2 + 1e5 x_3 still moves, by 1e-5 x_1.
inline constexpr double kConstantOnHull = 1e-9;

// The affine hull {x : N x = c} of a set. The rows of N (codimension x dim) are orthonormal; without rows it is all of R^n.
struct AffineHull {
  Eigen::MatrixXd normals;
  Eigen::VectorXd offsets;
  // A coordinate that moves by no more than this where a point moves by 1 along the hull is fixed: the rest is rounding of the
  // decomposition that made the normals.
  double rounding = kConstantOnHull;

  [[nodiscard]] static AffineHull whole_space(std::size_t dim);

  [[nodiscard]] std::size_t dim() const noexcept { return static_cast<std::size_t>(normals.cols()); }
  [[nodiscard]] std::size_t codimension() const noexcept { return static_cast<std::size_t>(normals.rows()); }

  // P d, the part of a direction that lies along the hull; of several, which are columns.
  [[nodiscard]] Eigen::MatrixXd along(const Eigen::MatrixXd& d) const;
  // The orthogonal projection of a point onto the hull.
  [[nodiscard]] Eigen::VectorXd project(const Eigen::VectorXd& x) const;
};

// What moves along a hull and what is constant on it. Refers to the hull, which must outlive it.
class HullReach {
 public:
  explicit HullReach(const AffineHull& hull);

  // |P e_j|; 0 if the hull fixes x_j.
  [[nodiscard]] double coordinate(std::size_t j) const { return coordinates_[static_cast<Eigen::Index>(j)]; }
  // Whether the bounds of x_j need not be watched where x_j has this much room to the nearer one and both are numbers of this size:
  // the hull fixes x_j, and there is no room. The same rule as for rows, below.
  [[nodiscard]] bool settles(std::size_t j, double room, double size) const;
  // |P a|; 0 if a.x is constant on the hull.
  [[nodiscard]] double length(const std::vector<LinearSystem::Entry>& a) const;
  [[nodiscard]] double length(const Eigen::VectorXd& a) const;
  // |P a| for the inequality a.x <= b, seen from the point x; 0 if it need not be watched: because a.x is constant to rounding, or
  // constant and as large as b at x already. An inequality with room is watched however little it moves: u may be far away.
  [[nodiscard]] double length(const LinearSystem::Row& row, const Eigen::VectorXd& x) const;
  // P a without what rounding leaves of terms that cancel; 0 where a.x is constant to rounding.
  [[nodiscard]] Eigen::VectorXd along(const std::vector<LinearSystem::Entry>& a) const;

 private:
  // What counts as rounding: a share of the terms that cancel; and what the decomposition left of several normals, too.
  struct Rounding {
    double share;
    bool of_normals;
  };
  [[nodiscard]] double length(const std::vector<LinearSystem::Entry>& a, Rounding rounding) const;
  [[nodiscard]] Eigen::VectorXd along(const std::vector<LinearSystem::Entry>& a, Rounding rounding) const;
  [[nodiscard]] double rounding_of(const std::vector<LinearSystem::Entry>& a) const;

  const AffineHull& hull_;
  Eigen::VectorXd coordinates_;
  Eigen::VectorXd largest_;  // max_k |N_kj|
};

// N without what is rounding of the decomposition that made several normals orthogonal, which would tie blocks together: entries
// below an ulp of the coordinate's largest one, and below an ulp of the normal's terms N_kj m_j, m_j = |P e_j|. Beside the entries
// of other coordinates, which may be in other units, nothing is too small.
[[nodiscard]] Eigen::MatrixXd normals_without_dust(const AffineHull& hull);

}  // namespace softradial
