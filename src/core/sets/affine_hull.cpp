#include "softradial/affine_hull.hpp"

#include <cmath>

#include "algebra/row_length.hpp"

namespace softradial {

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

double HullReach::length(const std::vector<LinearSystem::Entry>& a) const {
  const double norm = row_length(a);
  if (hull_.codimension() == 0 || norm == 0) return norm;
  Eigen::VectorXd normal_part = Eigen::VectorXd::Zero(hull_.normals.rows());
  double most = 0;
  for (const LinearSystem::Entry& entry : a) {
    normal_part += (entry.value / norm) * hull_.normals.col(static_cast<Eigen::Index>(entry.column));
    most += std::abs(entry.value / norm) * coordinate(entry.column);
  }
  // Where most of |a| stays, the columns of a alone tell, so that unit rows in 10^5 variables cost nothing.
  const double lost = normal_part.squaredNorm();
  if (lost < 0.5) return norm * std::sqrt(1 - lost);
  if (most == 0) return 0;
  Eigen::VectorXd direction = Eigen::VectorXd::Zero(hull_.normals.cols());
  for (const LinearSystem::Entry& entry : a) {
    direction[static_cast<Eigen::Index>(entry.column)] += entry.value / norm;
  }
  const double along = hull_.along(direction).norm();
  return along > kConstantOnHull * most ? norm * along : 0;
}

double HullReach::length(const Eigen::VectorXd& a) const {
  std::vector<LinearSystem::Entry> entries;
  for (Eigen::Index j = 0; j < a.size(); ++j) {
    if (a[j] != 0) entries.push_back({static_cast<std::size_t>(j), a[j]});
  }
  return length(entries);
}

}  // namespace softradial
