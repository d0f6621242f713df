#include "anchor/linear_part.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algebra/row_length.hpp"
#include "anchor/coordinate_sizes.hpp"
#include "anchor/wording.hpp"

namespace softradial {
namespace {

// A row that is constant on the hull may miss its bound by this much, relative to its size: several times the
// flatness below which inequalities are made equalities (chebyshev.hpp), whose errors end up in such rows.
constexpr double kConstantRowTolerance = 1e-9;

// Coordinates that move by this much along the hull, or by more, are in the same units.
constexpr double kOrdinaryReach = 1.0 / 16;

// A row of which less than this share lies along the hull is replaced by that part, where numbers of its own size matter.
constexpr double kMostlyNormal = 1e-6;

}  // namespace

LinearPart::LinearPart(LinearSystem system) : LinearPart(std::move(system), {}) {}

LinearPart::LinearPart(LinearSystem system, Eigen::VectorXd sizes)
    : system_(std::move(system)),
      sizes_(sizes.size() > 0 ? std::move(sizes) : coordinate_sizes(system_)),
      equalities_(system_.equalities()) {
  reduce();
}

LinearPart LinearPart::in_sizes() const { return {system_.in_sizes(sizes_), Eigen::VectorXd::Ones(sizes_.size())}; }

void LinearPart::add_equalities_of(const LinearPart& in_sizes) {
  const Eigen::VectorXd back = sizes_.cwiseInverse();
  for (std::size_t k = equalities_.size(); k < in_sizes.equalities_.size(); ++k) {
    equalities_.push_back(softradial::in_sizes(in_sizes.equalities_[k], back));
  }
  reduce();
}

void LinearPart::add_implicit_equalities(const std::vector<std::size_t>& inequalities, const Eigen::VectorXd& point,
                                         double relative, double distance) {
  for (const std::size_t i : inequalities) {
    LinearSystem::Row row = system_.inequalities()[i];
    const double slack = residual(row, point.data());
    const double close = std::max(relative * row_size(row, point), distance * row_length(row.entries));
    if (std::abs(slack) > close) row.bound -= slack;
    equalities_.push_back(std::move(row));
  }
  reduce();
}

std::vector<LinearSystem::Entry> LinearPart::in_units(std::vector<LinearSystem::Entry> entries) const {
  for (LinearSystem::Entry& entry : entries) entry.value *= units_[static_cast<Eigen::Index>(entry.column)];
  return entries;
}

void LinearPart::reduce() {
  EqualityHull found = equality_hull(system_.dim(), equalities_, sizes_);
  status_ = found.status;
  reason_ = std::move(found.reason);
  hull_ = std::move(found.hull);
  independent_.clear();
  free_rows_.clear();
  if (status_ != AnchorStatus::found) return;

  for (const std::size_t k : found.independent) independent_.push_back(equalities_[k]);
  const Eigen::VectorXd point = least_norm_point();
  const HullReach reach(hull_);
  units_ = Eigen::VectorXd::Ones(point.size());
  for (Eigen::Index j = 0; j < units_.size(); ++j) {
    const double moves = reach.coordinate(static_cast<std::size_t>(j));
    if (moves > 0 && moves < kOrdinaryReach) units_[j] = std::exp2(std::floor(std::log2(moves)));
  }
  for (std::size_t i = 0; i < system_.inequalities().size(); ++i) {
    const LinearSystem::Row& row = system_.inequalities()[i];
    const double norm = reach.length(row, point);
    const bool is_short = norm < kMostlyNormal * row_length(row.entries);
    const std::vector<LinearSystem::Entry> along =
        is_short && norm > 0 ? entries_of(reach.along(row.entries)) : std::vector<LinearSystem::Entry>{};
    if (norm > 0 && !(is_short && along.empty())) {
      free_rows_.push_back({.inequality = i, .norm = norm, .along = along});
      continue;
    }
    const double slack = residual(row, point.data());
    if (slack < -kConstantRowTolerance * row_size(row, point)) {
      status_ = AnchorStatus::empty;
      reason_ = row.name + " has slack " + amount_text(slack) +
                (row_length(row.entries) == 0 ? " everywhere" : " wherever the equalities hold");
      return;
    }
  }
}

double smallest_distance(const LinearPart& part, const Eigen::VectorXd& x) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const FreeRow& free_row : part.free_rows()) {
    smallest = std::min(smallest, residual(part.row(free_row), x.data()) / free_row.norm);
  }
  return smallest;
}

bool is_clearly_inside(const LinearPart& part, const Eigen::VectorXd& x) {
  const auto& free_rows = part.free_rows();
  return std::all_of(free_rows.begin(), free_rows.end(), [&](const FreeRow& free_row) {
    const LinearSystem::Row& row = part.row(free_row);
    return residual(row, x.data()) > kWitnessTolerance * row_size(row, x);
  });
}

Eigen::VectorXd onto_hull(const AffineHull& hull, const Eigen::VectorXd& x) {
  if (hull.codimension() == 0) return x;
  // Half an ulp in every coordinate of x moves N x by half an ulp of its terms; a few of them leave no better point.
  const Eigen::ArrayXd terms = hull.normals.cwiseAbs() * x.cwiseAbs() + hull.offsets.cwiseAbs();
  const Eigen::ArrayXd off = (hull.normals * x - hull.offsets).cwiseAbs();
  const bool on_hull = (off <= 4 * std::numeric_limits<double>::epsilon() * terms).all();
  return on_hull ? x : hull.project(hull.project(hull.project(x)));
}

}  // namespace softradial
