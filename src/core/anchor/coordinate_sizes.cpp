#include "anchor/coordinate_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "algebra/row_length.hpp"
#include "anchor/linear_part.hpp"

namespace softradial {
namespace {

using Eigen::Index;

constexpr double kUnknownSize = std::numeric_limits<double>::infinity();

// What is left of a bound at a point counts from this share of its terms on; below it is rounding.
constexpr double kRoundingOfBound = 1e-14;

// Sizes of one coordinate that rows suggest; the lower of two in the middle, since "x <= 1e20" for "no bound" is more frequent
// than a row in which a coordinate hardly counts.
double lower_median(std::vector<double>& values) {
  const auto middle = values.begin() + (std::ssize(values) - 1) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class CoordinateSizes {
 public:
  explicit CoordinateSizes(const LinearSystem& system)
      : system_(system),
        low_(system.dim(), -kUnknownSize),
        high_(system.dim(), kUnknownSize),
        suggested_(system.dim()) {
    for (const LinearSystem::Row& row : system.inequalities()) sort(row, false);
    for (const LinearSystem::Row& row : system.equalities()) sort(row, true);
  }

  Eigen::VectorXd find() {
    const Eigen::VectorXd point = nearest_to_zero();
    for (const LinearSystem::Row* row : long_rows_) {
      const double left = std::abs(residual(*row, point.data()));
      if (left > kRoundingOfBound * row_size(*row, point)) suggest(*row, left);
    }
    sizes_ = Eigen::VectorXd::Zero(static_cast<Index>(system_.dim()));
    for (std::size_t j = 0; j < system_.dim(); ++j) {
      const double extent = extent_of(j);
      const double median_size = suggested_[j].empty() ? kUnknownSize : lower_median(suggested_[j]);
      const double size = std::min(extent, median_size);
      if (std::isfinite(size) && size > 0) sizes_[static_cast<Index>(j)] = size;
    }
    spread();
    return sizes_;
  }

 private:
  static bool counts(const LinearSystem::Entry& entry) { return entry.value != 0; }

  // Bounds of single coordinates go to their intervals, other rows to `long_rows_`.
  void sort(const LinearSystem::Row& row, bool is_equality) {
    if (std::count_if(row.entries.begin(), row.entries.end(), counts) != 1) {
      long_rows_.push_back(&row);
      return;
    }
    const LinearSystem::Entry& entry = *std::find_if(row.entries.begin(), row.entries.end(), counts);
    const double bound = row.bound / entry.value;
    if (entry.value > 0 || is_equality) high_[entry.column] = std::min(high_[entry.column], bound);
    if (entry.value < 0 || is_equality) low_[entry.column] = std::max(low_[entry.column], bound);
  }

  [[nodiscard]] Eigen::VectorXd nearest_to_zero() const {
    Eigen::VectorXd point(static_cast<Index>(system_.dim()));
    for (std::size_t j = 0; j < system_.dim(); ++j) {
      point[static_cast<Index>(j)] = low_[j] > 0 ? low_[j] : high_[j] < 0 ? high_[j] : 0;
    }
    return point.array().isFinite().select(point, 0);
  }

  // Of two bounds, how far they are apart; of one, or of two that are equal but for kFlatTolerance, how far it is from 0.
  [[nodiscard]] double extent_of(std::size_t j) const {
    const double extent = high_[j] - low_[j];
    const double bound = std::isfinite(low_[j]) ? std::abs(low_[j]) : std::abs(high_[j]);
    if (std::isfinite(extent) && extent > kFlatTolerance * bound) return extent;
    return bound == 0 ? kUnknownSize : bound;
  }

  void suggest(const LinearSystem::Row& row, double left) {
    for (const LinearSystem::Entry& entry : row.entries) {
      if (counts(entry)) suggested_[entry.column].push_back(left / std::abs(entry.value));
    }
  }

  // Coordinates of no known size take that of the coordinates that they share rows with, in a few sweeps. Where nothing tells of
  // any, one coordinate of each row has size 1; so have those that are left.
  void spread() {
    constexpr int kMostSweeps = 20;
    const auto all_known = [&] { return (sizes_.array() > 0).all(); };
    for (int sweep = 0; sweep < kMostSweeps && !all_known(); ++sweep) {
      if (!learn()) begin();
    }
    sizes_ = (sizes_.array() > 0).select(sizes_, 1);
  }

  bool learn() {
    for (std::vector<double>& sizes : suggested_) sizes.clear();
    for (const LinearSystem::Row* row : long_rows_) {
      std::vector<double> terms;
      for (const LinearSystem::Entry& entry : row->entries) {
        const double term = std::abs(entry.value) * size_of(entry);
        if (term > 0) terms.push_back(term);
      }
      if (!terms.empty()) suggest(*row, lower_median(terms));
    }
    bool learned = false;
    for (std::size_t j = 0; j < suggested_.size(); ++j) {
      double& size = sizes_[static_cast<Index>(j)];
      if (size > 0 || suggested_[j].empty()) continue;
      size = lower_median(suggested_[j]);
      if (!std::isfinite(size) || !(size > 0)) size = 1;
      learned = true;
    }
    return learned;
  }

  void begin() {
    for (const LinearSystem::Row* row : long_rows_) {
      const auto known = [&](const LinearSystem::Entry& entry) { return size_of(entry) > 0; };
      if (!row->entries.empty() && std::none_of(row->entries.begin(), row->entries.end(), known))
        size_of(row->entries.front()) = 1;
    }
  }

  double& size_of(const LinearSystem::Entry& entry) { return sizes_[static_cast<Index>(entry.column)]; }

  const LinearSystem& system_;
  std::vector<const LinearSystem::Row*> long_rows_;
  std::vector<double> low_;
  std::vector<double> high_;
  std::vector<std::vector<double>> suggested_;
  Eigen::VectorXd sizes_;
};

bool fits(const LinearSystem::Row& row, const Eigen::VectorXd& sizes) {
  return std::all_of(row.entries.begin(), row.entries.end(), [&](const LinearSystem::Entry& entry) {
    const double value = std::abs(entry.value * sizes[static_cast<Index>(entry.column)]);
    return entry.value == 0 || (value >= std::numeric_limits<double>::min() && std::isfinite(value));
  });
}

}  // namespace

Eigen::VectorXd coordinate_sizes(const LinearSystem& system) {
  Eigen::VectorXd alike = Eigen::VectorXd::Ones(static_cast<Index>(system.dim()));
  if (system.dim() == 0) return alike;
  Eigen::VectorXd sizes = CoordinateSizes(system).find();
  if (sizes.maxCoeff() <= kLikeSizes * sizes.minCoeff()) return alike;
  sizes = sizes.unaryExpr([](double size) { return std::exp2(std::round(std::log2(size))); });
  const auto fits_here = [&](const LinearSystem::Row& row) { return fits(row, sizes); };
  const bool all_fit = std::all_of(system.inequalities().begin(), system.inequalities().end(), fits_here) &&
                       std::all_of(system.equalities().begin(), system.equalities().end(), fits_here) &&
                       sizes.cwiseInverse().allFinite();
  return all_fit ? sizes : alike;
}

}  // namespace softradial
