#include "anchor/equality_hull.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algebra/row_length.hpp"
#include "algebra/row_units.hpp"
#include "anchor/wording.hpp"

namespace softradial {
namespace {

using Eigen::Index;

// Normals are dense: beyond this many numbers (2 GB) they are not built.
constexpr double kMaxNormalEntries = 1 << 28;

// A dependent row is a combination of others. Its coefficients are off by up to this much, even those that are really 0.
constexpr double kCombinationRounding = 1e-12;

// A coordinate whose coefficients are all below this, in equalities of length 1, keeps its unit: they may be rounding.
constexpr double kDust = 1e-13;

// Where several equalities fix a coordinate together, their normals leave it a movement of this size, times their condition.
constexpr double kFixedTolerance = 64 * std::numeric_limits<double>::epsilon();

// An equality with the fixed coordinates moved to the right: entries.x = bound in the coordinates still free.
struct Remainder {
  std::size_t equality = 0;
  std::vector<LinearSystem::Entry> entries;
  double bound = 0;
  double size = 0;  // |f| + sum of |terms moved|: what rounding in `bound` is relative to
};

struct FixedCoordinate {
  std::size_t column = 0;
  double value = 0;
};

class HullBuilder {
 public:
  HullBuilder(std::size_t dim, const std::vector<LinearSystem::Row>& equalities, const Eigen::VectorXd& sizes)
      : dim_(dim), equalities_(equalities), sizes_(sizes), fixing_row_(dim, kNone), fixed_value_(dim, 0) {}

  EqualityHull build() {
    const std::vector<Remainder> open = fix_coordinates();
    if (result_.status == AnchorStatus::found) span_normals(open);
    return std::move(result_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void contradict(std::vector<std::string> names, double residual) {
    result_.status = AnchorStatus::empty;
    result_.reason = names.size() == 1 ? names.front() + " cannot hold" : name_list(names) + " contradict each other";
    result_.reason += ": off by " + amount_text(std::abs(residual));
  }

  [[nodiscard]] Remainder remainder_of(std::size_t equality) const {
    const LinearSystem::Row& row = equalities_[equality];
    Remainder rest{.equality = equality, .entries = {}, .bound = 0, .size = std::abs(row.bound)};
    long double bound = row.bound;
    for (const LinearSystem::Entry& entry : row.entries) {
      if (entry.value == 0) continue;
      if (fixing_row_[entry.column] == kNone) {
        rest.entries.push_back(entry);
      } else {
        const long double term = static_cast<long double>(entry.value) * fixed_value_[entry.column];
        bound -= term;
        rest.size += std::abs(static_cast<double>(term));
      }
    }
    rest.bound = static_cast<double>(bound);
    return rest;
  }

  // Names of an equality without free coordinates, and of the equalities that fix its coordinates.
  [[nodiscard]] std::vector<std::string> names_behind(std::size_t equality) const {
    std::vector<std::string> names;
    for (const LinearSystem::Entry& entry : equalities_[equality].entries) {
      if (entry.value != 0) names.push_back(equalities_[fixing_row_[entry.column]].name);
    }
    names.push_back(equalities_[equality].name);
    return names;
  }

  // An equality in one free coordinate fixes it; that may leave others with one. Returns the equalities with two or more.
  std::vector<Remainder> fix_coordinates() {
    std::vector<std::size_t> pending(equalities_.size());
    for (std::size_t k = 0; k < pending.size(); ++k) pending[k] = k;
    std::vector<Remainder> open;
    for (bool fixed_one = true; fixed_one;) {
      fixed_one = false;
      open.clear();
      for (const std::size_t k : pending) {
        Remainder rest = remainder_of(k);
        if (rest.entries.size() > 1) {
          open.push_back(std::move(rest));
        } else if (rest.entries.size() == 1) {
          const auto& [column, coefficient] = rest.entries.front();
          fixing_row_[column] = k;
          fixed_value_[column] = rest.bound / coefficient;
          fixed_.push_back({column, fixed_value_[column]});
          result_.independent.push_back(k);
          fixed_one = true;
        } else if (std::abs(rest.bound) > kEqualityTolerance * rest.size) {
          contradict(names_behind(k), rest.bound);
          return {};
        }
      }
      pending.clear();
      for (const Remainder& rest : open) pending.push_back(rest.equality);
    }
    return open;
  }

  // Unit normals for the fixed coordinates, then an orthonormal basis of the open rows.
  void span_normals(const std::vector<Remainder>& open) {
    if (static_cast<double>(fixed_.size() + open.size()) * static_cast<double>(dim_) > kMaxNormalEntries) {
      result_.status = AnchorStatus::not_found;
      result_.reason = "the affine hull has up to " + std::to_string(fixed_.size() + open.size()) +
                       " equalities in dimension " + std::to_string(dim_) + ", too many for dense normals";
      return;
    }
    std::vector<std::size_t> columns;
    Eigen::MatrixXd basis;  // orthonormal columns, over `columns`
    Eigen::VectorXd basis_offsets;
    if (open.size() == 1) {
      const double norm = row_length(open.front().entries);
      basis.resize(static_cast<Index>(open.front().entries.size()), 1);
      for (const LinearSystem::Entry& entry : open.front().entries) {
        basis(static_cast<Index>(columns.size()), 0) = entry.value / norm;
        columns.push_back(entry.column);
      }
      basis_offsets = Eigen::VectorXd::Constant(1, open.front().bound / norm);
      result_.independent.push_back(open.front().equality);
    } else if (!open.empty()) {
      columns = occupied_columns(open);
      if (!decompose(open, columns, basis, basis_offsets)) return;
    }

    if (basis.cols() <= 1) result_.hull.rounding = 0;
    const auto num_fixed = static_cast<Index>(fixed_.size());
    result_.hull.normals = Eigen::MatrixXd::Zero(num_fixed + basis.cols(), static_cast<Index>(dim_));
    result_.hull.offsets.resize(num_fixed + basis.cols());
    for (Index k = 0; k < num_fixed; ++k) {
      const FixedCoordinate& fixed = fixed_[static_cast<std::size_t>(k)];
      result_.hull.normals(k, static_cast<Index>(fixed.column)) = 1;
      result_.hull.offsets[k] = fixed.value;
    }
    for (std::size_t j = 0; j < columns.size(); ++j) {
      result_.hull.normals.col(static_cast<Index>(columns[j])).tail(basis.cols()) =
          basis.row(static_cast<Index>(j)).transpose();
    }
    result_.hull.offsets.tail(basis.cols()) = basis_offsets;
  }

  [[nodiscard]] static std::vector<std::size_t> occupied_columns(const std::vector<Remainder>& open) {
    std::vector<std::size_t> columns;
    for (const Remainder& rest : open) {
      for (const LinearSystem::Entry& entry : rest.entries) columns.push_back(entry.column);
    }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    return columns;
  }

  // Which rows depend on others is judged in units in which every coordinate's largest coefficient is 1, in equalities that have
  // length 1 in the sizes of the coordinates: with S diagonal and B = D E S of unit rows, B' Pi = Q R. With r the rank and R11 the
  // leading r x r block, B_2 = (R11^-1 R12)' B_1, and so must D f. False where it is not.
  bool decompose(const std::vector<Remainder>& open, const std::vector<std::size_t>& columns, Eigen::MatrixXd& basis,
                 Eigen::VectorXd& basis_offsets) {
    const auto num_rows = static_cast<Index>(open.size());
    Eigen::MatrixXd transposed = Eigen::MatrixXd::Zero(static_cast<Index>(columns.size()), num_rows);
    Eigen::VectorXd bounds(num_rows);
    Eigen::VectorXd sizes(num_rows);
    for (Index k = 0; k < num_rows; ++k) {
      const Remainder& rest = open[static_cast<std::size_t>(k)];
      const double norm = row_length(rest.entries);
      for (const LinearSystem::Entry& entry : rest.entries) {
        const auto place = std::lower_bound(columns.begin(), columns.end(), entry.column) - columns.begin();
        transposed(place, k) += entry.value / norm;
      }
      bounds[k] = rest.bound / norm;
      sizes[k] = rest.size / norm;
    }

    Eigen::MatrixXd balanced = transposed;
    for (std::size_t place = 0; place < columns.size() && sizes_.size() > 0; ++place) {
      balanced.row(static_cast<Index>(place)) *= sizes_[static_cast<Index>(columns[place])];
    }
    const Eigen::VectorXd lengths = row_units(balanced.transpose());
    const Eigen::VectorXd largest = (balanced * lengths.asDiagonal()).cwiseAbs().rowwise().maxCoeff();
    const Eigen::VectorXd units =
        (largest.array() > kDust).select(largest.cwiseInverse(), Eigen::VectorXd::Ones(largest.size()));
    balanced = units.asDiagonal() * balanced;
    const Eigen::VectorXd scales = row_units(balanced.transpose());
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
    qr.setThreshold(kConstantOnHull);
    qr.compute(balanced * scales.asDiagonal());
    const Index rank = qr.rank();
    const auto& order = qr.colsPermutation().indices();
    const auto R11 = qr.matrixQR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
    const Eigen::MatrixXd combination = R11.solve(qr.matrixQR().topRightCorner(rank, num_rows - rank));

    Eigen::VectorXd leading(rank);
    for (Index k = 0; k < rank; ++k) {
      leading[k] = scales[order[k]] * bounds[order[k]];
      result_.independent.push_back(open[static_cast<std::size_t>(order[k])].equality);
    }
    for (Index k = 0; k < num_rows - rank; ++k) {
      const Index row = order[rank + k];
      const double residual = scales[row] * bounds[row] - combination.col(k).dot(leading);
      const double size = scales[row] * sizes[row] + combination.col(k).cwiseAbs().dot(leading.cwiseAbs());
      const double rounding = kCombinationRounding * leading.cwiseAbs().maxCoeff();
      if (std::abs(residual) <= kEqualityTolerance * size + rounding) continue;
      std::vector<std::string> names;
      for (Index j = 0; j < rank; ++j) {
        const Remainder& other = open[static_cast<std::size_t>(order[j])];
        if (std::abs(combination(j, k)) > kConstantOnHull) names.push_back(equalities_[other.equality].name);
      }
      names.push_back(equalities_[open[static_cast<std::size_t>(row)].equality].name);
      contradict(std::move(names), residual / scales[row]);
      return false;
    }
    const Eigen::VectorXd like = scales(order.head(rank));
    orthonormalise(transposed(Eigen::indexing::all, order.head(rank)) * like.asDiagonal(),
                   bounds(order.head(rank)).cwiseProduct(like), basis, basis_offsets);
    if (rank > 1) {
      const double smallest = std::abs(qr.matrixQR()(rank - 1, rank - 1));
      result_.hull.rounding =
          std::min(kConstantOnHull, kFixedTolerance * std::sqrt(static_cast<double>(rank)) / smallest);
    }
    return true;
  }

  // Gram and Schmidt's method: for the columns e of `rows`, with Q the basis so far and c its offsets,
  //   e - Q h = r q,   f - c.h = r c_q   for h = Q'e
  // Each sum of it is rounded in the units of its coordinate, which reflections would mix; a column goes through three times,
  // after which it is orthogonal to rounding. c is corrected once with the residual of Q c in extended precision.
  //
  // The terms e_j x_j of all columns are of like size. The column with the largest entry left comes next, so that h is not much
  // larger than r in e = Q h + r q: the terms of h q are hardly larger than those of e, and what is right for Q is right for each
  // equality. In another order an equality could be off by as much more as the terms of another one are larger.
  static void orthonormalise(const Eigen::MatrixXd& rows, const Eigen::VectorXd& bounds, Eigen::MatrixXd& basis,
                             Eigen::VectorXd& offsets) {
    const Index rank = rows.cols();
    basis.resize(rows.rows(), rank);
    offsets.resize(rank);
    Eigen::MatrixXd R = Eigen::MatrixXd::Zero(rank, rank);
    Eigen::MatrixXd left = rows;
    std::vector<Index> order;
    for (Index k = 0; k < rank; ++k) {
      Index next = 0;
      left.cwiseAbs().colwise().maxCoeff().maxCoeff(&next);
      order.push_back(next);
      Eigen::VectorXd rest = rows.col(next);
      for (int pass = 0; pass < 3; ++pass) {
        const Eigen::VectorXd h = basis.leftCols(k).transpose() * rest;
        rest -= basis.leftCols(k) * h;
        R.col(k).head(k) += h;
      }
      R(k, k) = rest.norm();
      basis.col(k) = rest / R(k, k);
      for (int pass = 0; pass < 2; ++pass) left -= basis.col(k) * (basis.col(k).transpose() * left);
      left.col(next).setZero();
    }
    const auto lower = R.transpose().triangularView<Eigen::Lower>();
    offsets = lower.solve(bounds(order));
    const Eigen::VectorXd point = basis * offsets;
    Eigen::VectorXd correction(rank);
    for (Index k = 0; k < rank; ++k) {
      const Index row = order[static_cast<std::size_t>(k)];
      long double residual = bounds[row];
      for (Index j = 0; j < point.size(); ++j) {
        residual -= static_cast<long double>(rows(j, row)) * static_cast<long double>(point[j]);
      }
      correction[k] = static_cast<double>(residual);
    }
    offsets += lower.solve(correction);
  }

  std::size_t dim_;
  const std::vector<LinearSystem::Row>& equalities_;
  const Eigen::VectorXd& sizes_;
  std::vector<std::size_t> fixing_row_;  // per column: the equality that fixes it, or kNone
  std::vector<double> fixed_value_;
  std::vector<FixedCoordinate> fixed_;
  EqualityHull result_;
};

}  // namespace

EqualityHull equality_hull(std::size_t dim, const std::vector<LinearSystem::Row>& equalities,
                           const Eigen::VectorXd& sizes) {
  if (equalities.empty()) {
    return {.status = AnchorStatus::found, .reason = {}, .hull = AffineHull::whole_space(dim), .independent = {}};
  }
  return HullBuilder(dim, equalities, sizes).build();
}

}  // namespace softradial
