#include "anchor/max_slack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algebra/row_length.hpp"
#include "anchor/linear_program.hpp"

namespace softradial {
namespace {

using Eigen::Index;

// The programme is posed around an origin and in a unit of length: x = origin + unit D z, t = unit s, with D the units of the
// coordinates (LinearPart::units). Rows further than kFarAway units are moved to there, so that "x <= 1e20" for "no bound" does
// not set the unit for all others; where one of them turns out to confine the solution, the unit grows. A solution whose |s| is
// below kCoarse lost digits to the solver's tolerance: it becomes the origin of the next one, in a smaller unit.
constexpr double kFarAway = 1e6;
constexpr double kGrowth = 1e4;
constexpr double kCoarse = 1e-3;
constexpr double kSmallestShrink = 1e-6;
constexpr int kMaxShrinks = 4;
// A multiplier counts as positive from this share of the largest on. Smaller ones, if they are real, come up again once
// the rows with the large ones are out of the way.
constexpr double kPositiveShare = 1e-6;
// A unit below this share of the origin's own size would measure its rounding.
constexpr double kSmallestUnit = 1e-9;

// How the equalities stand in the programme: as they are given, which keeps them sparse, or as the hull's orthonormal normals,
// which tell equalities apart whose angle is below what the solver resolves.
enum class Equalities { given, normals };

// Columns z_1 ... z_n, s; rows the free rows (D a_i / norm_i, 1), then the equalities D e_k / |D e_k|.
LinearProgramData programme(const LinearPart& part, Equalities equalities) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto num_free = static_cast<Index>(part.free_rows().size());
  const auto num_rows = num_free + static_cast<Index>(part.independent_equalities().size());
  const auto dim = static_cast<Index>(part.dim());
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < num_free; ++i) {
    const FreeRow& free_row = part.free_rows()[static_cast<std::size_t>(i)];
    for (const LinearSystem::Entry& entry : part.in_units(part.entries(free_row))) {
      entries.emplace_back(i, static_cast<Index>(entry.column), entry.value / free_row.norm);
    }
    entries.emplace_back(i, dim, 1.0);
  }
  for (Index k = num_free; k < num_rows; ++k) {
    std::vector<LinearSystem::Entry> row;
    if (equalities == Equalities::normals) {
      for (Index j = 0; j < dim; ++j) {
        row.push_back({static_cast<std::size_t>(j), part.hull().normals(k - num_free, j)});
      }
    } else {
      row = part.independent_equalities()[static_cast<std::size_t>(k - num_free)].entries;
    }
    row = part.in_units(std::move(row));
    const double norm = row_length(row);
    for (const LinearSystem::Entry& entry : row) {
      if (entry.value != 0) entries.emplace_back(k, static_cast<Index>(entry.column), entry.value / norm);
    }
  }
  LinearProgramData data;
  data.A.resize(num_rows, dim + 1);
  data.A.setFromTriplets(entries.begin(), entries.end());
  data.cost = -Eigen::VectorXd::Unit(dim + 1, dim);
  data.row_lower = Eigen::VectorXd::Constant(num_rows, -kInfinity);
  data.row_lower.tail(num_rows - num_free).setZero();
  data.row_upper = Eigen::VectorXd::Zero(num_rows);
  data.column_lower = Eigen::VectorXd::Constant(dim + 1, -kInfinity);
  data.column_upper = Eigen::VectorXd::Constant(dim + 1, kInfinity);
  return data;
}

// Slacks of the free rows at a point of the hull, as distances within the hull.
Eigen::VectorXd distances(const LinearPart& part, const Eigen::VectorXd& x) {
  Eigen::VectorXd result(static_cast<Index>(part.free_rows().size()));
  for (Index i = 0; i < result.size(); ++i) {
    const FreeRow& free_row = part.free_rows()[static_cast<std::size_t>(i)];
    result[i] = residual(part.row(free_row), x.data()) / free_row.norm;
  }
  return result;
}

// The first unit: the largest violation of a row at x, or else the smallest positive distance.
double first_unit(const LinearPart& part, const Eigen::VectorXd& x) {
  double violation = kSmallestUnit * x.cwiseAbs().maxCoeff();
  double distance = std::numeric_limits<double>::infinity();
  for (const FreeRow& free_row : part.free_rows()) {
    const LinearSystem::Row& row = part.row(free_row);
    const double slack = residual(row, x.data()) / row_length(row.entries);
    violation = std::max(violation, -slack);
    if (slack > 0) distance = std::min(distance, slack);
  }
  const double unit = std::isfinite(distance) ? std::max(violation, distance) : violation;
  return unit > 0 ? unit : 1;
}

class MaxSlackSearch {
 public:
  MaxSlackSearch(const LinearPart& part, Equalities equalities)
      : part_(part),
        program_(programme(part, equalities)),
        origin_(part.least_norm_point()),
        unit_(first_unit(part, origin_)) {
    // No ball of a set with a largest one is larger than the largest distance of a row from a point of the hull: with
    // multipliers y of sum 1 that cancel the rows' directions, t = sum_i y_i t <= sum_i y_i distance_i.
    cap_ = std::max({1.0, origin_.cwiseAbs().maxCoeff(), distances(part, origin_).cwiseAbs().maxCoeff()});
  }

  std::optional<MaxSlack> run() {
    while (solve_in_unit()) {
      if (at_far_row_ && unit_ < cap_) {
        unit_ *= kGrowth;
      } else {
        break;
      }
    }
    for (int k = 0; k < kMaxShrinks && best_ && !best_->capped && std::abs(best_->level) < kCoarse * unit_; ++k) {
      std::optional<MaxSlack> coarse = best_;
      origin_ = best_->point;
      unit_ *= std::max(10 * std::abs(best_->level) / unit_, kSmallestShrink);
      if (!solve_in_unit() || at_far_row_) return coarse;
    }
    return best_;
  }

 private:
  bool solve_in_unit() {
    const auto dim = static_cast<Index>(part_.dim());
    const Eigen::VectorXd scaled = distances(part_, origin_) / unit_;
    Eigen::VectorXd row_upper =
        Eigen::VectorXd::Zero(scaled.size() + static_cast<Index>(part_.independent_equalities().size()));
    row_upper.head(scaled.size()) = scaled.cwiseMin(kFarAway);
    const double scaled_cap = std::min(cap_ / unit_, kFarAway);
    program_.set_row_upper(row_upper);
    program_.set_column_upper(dim, scaled_cap);
    const LinearProgramSolution solution = program_.solve();
    best_.reset();
    if (solution.status != LinearProgramStatus::optimal) return false;

    const double s = solution.x[dim];
    const bool at_cap = s >= scaled_cap * (1 - kPositiveShare);
    best_.emplace();
    best_->point = onto_hull(part_.hull(), origin_ + unit_ * part_.units().cwiseProduct(solution.x.head(dim)));
    best_->level = unit_ * s;
    // Normals mix the coordinates, and with them the rounding of the largest: a few ulp.
    constexpr double kHullRounding = 64 * std::numeric_limits<double>::epsilon();
    best_->rounding = part_.hull().codimension() > 0 ? kHullRounding * best_->point.cwiseAbs().maxCoeff() : 0;
    best_->resolution = std::max(10 * LinearProgram::kTolerance * unit_, best_->rounding);
    best_->capped = at_cap && cap_ <= kFarAway * unit_;
    at_far_row_ = at_cap && !best_->capped;
    const Eigen::VectorXd multipliers = -solution.row_duals.head(scaled.size());
    const double positive = kPositiveShare * multipliers.maxCoeff();
    for (Index i = 0; i < scaled.size(); ++i) {
      if (!(multipliers[i] > positive)) continue;
      const FreeRow& free_row = part_.free_rows()[static_cast<std::size_t>(i)];
      const LinearSystem::Row& row = part_.row(free_row);
      best_->tight.push_back(free_row);
      best_->size = std::max(best_->size, row_size(row, best_->point) / row_length(row.entries));
      at_far_row_ = at_far_row_ || scaled[i] > kFarAway;
    }
    return true;
  }

  const LinearPart& part_;
  LinearProgram program_;
  Eigen::VectorXd origin_;
  double unit_;
  double cap_ = 0;
  std::optional<MaxSlack> best_;
  bool at_far_row_ = false;  // a row or a cap that had been moved closer confines the last solution
};

}  // namespace

std::optional<MaxSlack> maximise_smallest_slack(const LinearPart& part) {
  std::optional<MaxSlack> found = MaxSlackSearch(part, Equalities::given).run();
  if (!found && part.hull().codimension() > 1) found = MaxSlackSearch(part, Equalities::normals).run();
  return found;
}

}  // namespace softradial
