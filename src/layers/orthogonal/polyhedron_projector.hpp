#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>

#include "packed_matrix.hpp"

namespace softradial::layers {

// The nearest points of polyhedra that share their rows:
//
//   x(u, b, f) = argmin |x - u|   subject to   A x <= b,  E x = f
//
// Columns are samples; u (n, batch), b (m, batch), f (k, batch). The equalities are eliminated: with y = P u + E^+ f, the
// nearest point of the hull, P = I - E^+ E, what remains is the dual problem
//
//   x = y - P A'v,   v = argmin_{v >= 0} 1/2 v'S v - c'v,   S = A P A',   c = A y - b
//
// which has the size of the inequalities alone. Rows are divided by their length on the hull; a row that is constant there
// takes no part. Splitting steps, one product with an m x m matrix for all samples, guess the active rows. The exact solution
// on them is found sample by sample (active_set.hpp).
class PolyhedronProjector {
 public:
  PolyhedronProjector(const Eigen::MatrixXd& A, const Eigen::MatrixXd& E);

  [[nodiscard]] Eigen::Index dim() const noexcept { return P_.rows(); }
  [[nodiscard]] Eigen::Index num_inequalities() const noexcept { return A_.rows(); }
  [[nodiscard]] Eigen::Index num_equalities() const noexcept { return E_.rows(); }

  struct Nearest {
    Eigen::MatrixXd x;           // (n, batch)
    Eigen::MatrixXd duals;       // v, (m, batch), not negative; 0 on rows that do not hold x back
    std::size_t iterations = 0;  // summed over the samples
    std::size_t unsolved = 0;    // samples whose active rows were not found: they keep the splitting's result
  };
  // With `steps`, does that many splitting steps instead of the exact solution: x is near the polyhedron, not exactly in it.
  [[nodiscard]] Nearest solve(const Eigen::MatrixXd& u, const Eigen::MatrixXd& b, const Eigen::MatrixXd& f,
                              std::optional<int> steps = {}) const;

  // Cotangents from those of x, at the duals that `solve` found. With w, mu from [I R'; R 0] [w; mu] = [grad_x; 0] on the
  // equalities and the active rows, R = [E; A_a]:  grad_u = w,  grad_(f, b) = mu.
  struct Cotangents {
    Eigen::MatrixXd u;  // (n, batch)
    Eigen::MatrixXd b;  // (m, batch)
  };
  [[nodiscard]] Cotangents through(const Eigen::MatrixXd& duals, const Eigen::MatrixXd& grad_x) const;

  // The cotangent of f, (k, batch).
  [[nodiscard]] Eigen::MatrixXd through_levels(const Eigen::MatrixXd& grad_x, const Cotangents& found) const;

  // The cotangents of the rows, summed over the samples: with v the multipliers of R, grad_R = -(mu x' + v w').
  struct RowCotangents {
    Eigen::MatrixXd A;
    Eigen::MatrixXd E;
  };
  [[nodiscard]] RowCotangents through_rows(const Eigen::MatrixXd& u, const Eigen::MatrixXd& x,
                                           const Eigen::MatrixXd& duals, const Cotangents& found,
                                           const Eigen::MatrixXd& of_levels) const;

  // For each sample, how many dimensions its face has fewer than the hull.
  [[nodiscard]] Eigen::VectorXd lost_dimensions(const Eigen::MatrixXd& duals) const;

 private:
  [[nodiscard]] Eigen::MatrixXd on_hull(const Eigen::MatrixXd& d) const;

  Eigen::MatrixXd A_;
  Eigen::MatrixXd E_;
  Eigen::MatrixXd pseudo_inverse_;  // E^+, (n, k)
  Eigen::MatrixXd P_;
  Eigen::VectorXd lengths_;  // |P a_i|; 0 for rows that are constant on the hull
  Eigen::MatrixXd rows_;     // P a_i / |P a_i|, (m, n)
  Eigen::MatrixXd gram_;     // S of these rows

  struct Packed {
    PackedMatrix onto_hull;  // P
    PackedMatrix A;
    PackedMatrix rows;
    PackedMatrix directions;  // rows'
    PackedMatrix pseudo_inverse;
  };
  Packed packed_;
};

}  // namespace softradial::layers
