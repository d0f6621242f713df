#include "softradial/affine_hull.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "algebra/row_length.hpp"

namespace softradial {
namespace {

// A row touches a point where its slack is no more than this share of its size: ten times the flatness below which inequalities
// become equalities (anchor/linear_part.hpp), whose errors end up in rows that depend on them.
constexpr double kTouchingRow = 1e-10;

}  // namespace

AffineHull AffineHull::whole_space(std::size_t dim) {
  return {.normals = Eigen::MatrixXd(0, static_cast<Eigen::Index>(dim)), .offsets = Eigen::VectorXd(0)};
}

// d - N'(N d), twice: a pass leaves an ulp of what it removes, which may be large beside what stays.
Eigen::MatrixXd AffineHull::along(const Eigen::MatrixXd& d) const {
  if (codimension() == 0) return d;
  const Eigen::MatrixXd once = d - normals.transpose() * (normals * d);
  return once - normals.transpose() * (normals * once);
}

// x - N'(N x - c)
Eigen::VectorXd AffineHull::project(const Eigen::VectorXd& x) const {
  return x - normals.transpose() * (normals * x - offsets);
}

// |P e_j|^2 = 1 - |N e_j|^2 where that loses no digits. The other coordinates are at most twice as many as normals, because the
// squares of all add up to their number.
HullReach::HullReach(const AffineHull& hull) : hull_(hull) {
  const Eigen::VectorXd lost = hull.normals.colwise().squaredNorm().transpose();
  coordinates_ = (1 - lost.array().min(1)).sqrt();
  largest_ = Eigen::VectorXd::Zero(lost.size());
  for (Eigen::Index k = 0; k < hull.normals.rows(); ++k) {
    largest_ = largest_.cwiseMax(hull.normals.row(k).cwiseAbs().transpose());
  }
  std::vector<Eigen::Index> close;
  for (Eigen::Index j = 0; j < lost.size(); ++j) {
    if (lost[j] > 0.5) close.push_back(j);
  }
  Eigen::MatrixXd units = Eigen::MatrixXd::Zero(lost.size(), static_cast<Eigen::Index>(close.size()));
  for (std::size_t k = 0; k < close.size(); ++k) units(close[k], static_cast<Eigen::Index>(k)) = 1;
  const Eigen::MatrixXd moves = hull.along(units);
  for (std::size_t k = 0; k < close.size(); ++k) {
    const double reach = moves.col(static_cast<Eigen::Index>(k)).norm();
    coordinates_[close[k]] = reach > hull.rounding ? reach : 0;
  }
}

bool HullReach::settles(std::size_t j, double room, double size) const {
  return coordinate(j) == 0 && room <= kTouchingRow * size;
}

// m = P a, in the unit of |a|. m_j is what is left of the terms
//   |a_j| + sum_k |N_kj| h_k,   h_k = sum_l |N_kl a_l|
// and 0 where that is no more than a share of them, or than what the rounding of several normals makes of them.
Eigen::VectorXd HullReach::along(const std::vector<LinearSystem::Entry>& a, Rounding rounding) const {
  const double norm = row_length(a);
  Eigen::VectorXd direction = Eigen::VectorXd::Zero(coordinates_.size());
  Eigen::VectorXd sizes = Eigen::VectorXd::Zero(hull_.normals.rows());
  for (const LinearSystem::Entry& entry : a) {
    const auto j = static_cast<Eigen::Index>(entry.column);
    direction[j] += entry.value / norm;
    sizes += std::abs(entry.value / norm) * hull_.normals.col(j).cwiseAbs();
  }
  if (hull_.codimension() == 0) return direction;
  const Eigen::ArrayXd terms = direction.cwiseAbs() + hull_.normals.cwiseAbs().transpose() * sizes;
  const Eigen::ArrayXd moves = hull_.along(direction);
  const Eigen::ArrayXd noise = rounding.share * terms;
  if (!rounding.of_normals) return (moves.abs() > noise).select(moves, 0);
  const Eigen::ArrayXd of_normals = hull_.rounding * sizes.maxCoeff() * largest_.array();
  return (moves.abs() > noise.max(of_normals) && coordinates_.array() > 0).select(moves, 0);
}

double HullReach::length(const std::vector<LinearSystem::Entry>& a, Rounding rounding) const {
  const double norm = row_length(a);
  if (hull_.codimension() == 0 || norm == 0) return norm;
  Eigen::VectorXd normal_part = Eigen::VectorXd::Zero(hull_.normals.rows());
  for (const LinearSystem::Entry& entry : a) {
    normal_part += (entry.value / norm) * hull_.normals.col(static_cast<Eigen::Index>(entry.column));
  }
  // Where most of |a| stays, the columns of a alone tell, so that unit rows in 10^5 variables cost nothing.
  const double lost = normal_part.squaredNorm();
  return norm * (lost < 0.5 ? std::sqrt(1 - lost) : along(a, rounding).norm());
}

double HullReach::length(const std::vector<LinearSystem::Entry>& a) const { return length(a, {kConstantOnHull, true}); }

double HullReach::length(const Eigen::VectorXd& a) const { return length(entries_of(a)); }

double HullReach::length(const LinearSystem::Row& row, const Eigen::VectorXd& x) const {
  const bool touches = residual(row, x.data()) <= kTouchingRow * row_size(row, x);
  return length(row.entries, touches ? Rounding{kConstantOnHull, true} : Rounding{rounding_of(row.entries), false});
}

Eigen::VectorXd HullReach::along(const std::vector<LinearSystem::Entry>& a) const {
  const double norm = row_length(a);
  if (norm == 0) return Eigen::VectorXd::Zero(coordinates_.size());
  return norm * along(a, Rounding{rounding_of(a), true});
}

// An ulp for each product that may cancel, and a few for normals that are orthogonal and of length 1 to rounding only.
double HullReach::rounding_of(const std::vector<LinearSystem::Entry>& a) const {
  constexpr double kUlp = std::numeric_limits<double>::epsilon();
  return 4 * kUlp * static_cast<double>(a.size() + hull_.codimension() + 4);
}

Eigen::MatrixXd normals_without_dust(const AffineHull& hull) {
  constexpr double kUlp = std::numeric_limits<double>::epsilon();
  Eigen::MatrixXd normals = hull.normals;
  if (hull.codimension() < 2) return normals;
  const Eigen::VectorXd least = kUlp * normals.cwiseAbs().colwise().maxCoeff().transpose();
  std::optional<HullReach> reach;  // is searched at the first question
  for (Eigen::Index k = 0; k < normals.rows(); ++k) {
    const Eigen::VectorXd sizes = normals.row(k).cwiseAbs().transpose();
    const auto is_small = [&](Eigen::Index j) { return sizes[j] > 0 && sizes[j] <= least[j]; };
    const auto term = [&](Eigen::Index j) {
      if (!reach) reach.emplace(hull);
      return sizes[j] * reach->coordinate(static_cast<std::size_t>(j));
    };
    std::optional<double> largest_term;
    for (Eigen::Index j = 0; j < sizes.size(); ++j) {
      if (!is_small(j)) continue;
      if (!largest_term) {
        largest_term = 0;
        for (Eigen::Index i = 0; i < sizes.size(); ++i) {
          if (sizes[i] > least[i]) *largest_term = std::max(*largest_term, term(i));
        }
      }
      if (term(j) <= kUlp * *largest_term) normals(k, j) = 0;
    }
  }
  return normals;
}

}  // namespace softradial
