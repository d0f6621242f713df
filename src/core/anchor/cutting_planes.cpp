#include "anchor/cutting_planes.hpp"

#include <algorithm>
#include <utility>

#include "anchor/max_slack.hpp"

namespace softradial {
namespace {

using Eigen::Index;

constexpr double kBoxSizes = 100;         // half the width of the first box, in sizes of the data
constexpr double kSmallestRadius = 1e-8;  // in sizes of the data
constexpr double kDifference = 1e-6;      // step of the differences: balances their truncation and rounding
// Piecewise linear functions need fewer cuts (a few per dimension). Curved ones need many more, at a cost that no one would
// wait for; Newton's method is there for them.
constexpr Index kCutsPerDimension = 10;
constexpr Index kMoreCuts = 100;

// The cell at the start: the free rows of the part, and the box.
LinearSystem first_cell(const LinearPart& part, const Eigen::VectorXd& start, double half_width) {
  LinearSystem cell(part.dim());
  for (const LinearSystem::Row& row : part.independent_equalities()) cell.add_equality(row);
  for (const FreeRow& free_row : part.free_rows()) cell.add_inequality(part.row(free_row));
  for (std::size_t j = 0; j < part.dim(); ++j) {
    const double middle = start[static_cast<Index>(j)];
    cell.add_inequality({.entries = {{j, 1.0}}, .bound = half_width + middle, .name = {}});
    cell.add_inequality({.entries = {{j, -1.0}}, .bound = half_width - middle, .name = {}});
  }
  return cell;
}

// Row i: the gradient of slack i at x.
Eigen::MatrixXd slack_gradients(const RelevantInequalities& inequalities, const Eigen::VectorXd& x, double size) {
  Eigen::MatrixXd gradients(static_cast<Index>(inequalities.size()), x.size());
  Eigen::VectorXd shifted = x;
  for (Index j = 0; j < x.size(); ++j) {
    const double step = kDifference * std::max(size, std::abs(x[j]));
    shifted[j] = x[j] + step;
    const Eigen::VectorXd ahead = inequalities.slacks(shifted);
    shifted[j] = x[j] - step;
    const Eigen::VectorXd behind = inequalities.slacks(shifted);
    shifted[j] = x[j];
    gradients.col(j) = (ahead - behind) / (2 * step);
  }
  return gradients;
}

}  // namespace

std::optional<Eigen::VectorXd> interior_by_cuts(const LinearPart& part, const RelevantInequalities& inequalities,
                                                const Eigen::VectorXd& start, double size) {
  LinearSystem cell = first_cell(part, start, kBoxSizes * size);
  const Index max_cuts = kCutsPerDimension * start.size() + kMoreCuts;
  for (Index k = 0; k < max_cuts; ++k) {
    const LinearPart cell_part(cell);
    if (cell_part.status() != AnchorStatus::found) return std::nullopt;
    const std::optional<MaxSlack> center = maximise_smallest_slack(cell_part);
    if (!center || center->level < kSmallestRadius * size) return std::nullopt;
    const Eigen::VectorXd& x = center->point;
    const Eigen::VectorXd slacks = inequalities.slacks(x);
    if (slacks.minCoeff() > 0) return x;

    const Eigen::MatrixXd gradients = slack_gradients(inequalities, x, size);
    if (!slacks.allFinite() || !gradients.allFinite()) return std::nullopt;
    for (Index i = 0; i < slacks.size(); ++i) {
      if (slacks[i] > 0) continue;
      LinearSystem::Row cut{.entries = {}, .bound = slacks[i] - gradients.row(i).dot(x), .name = {}};
      for (Index j = 0; j < x.size(); ++j) cut.entries.push_back({static_cast<std::size_t>(j), -gradients(i, j)});
      cell.add_inequality(std::move(cut));
    }
  }
  return std::nullopt;
}

}  // namespace softradial
