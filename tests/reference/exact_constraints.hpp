#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "reference/enclosure.hpp"
#include "softradial/set.hpp"

namespace softradial::reference {

// What the examination of a point has found so far.
struct Finding {
  bool proved = true;                                      // every inequality so far holds strictly, for certain
  double slack = std::numeric_limits<double>::infinity();  // the smallest, relative to the size of its terms
  double residual = 0;  // the largest of an equality, relative likewise, over its dim

  // The inequality value > 0.
  template <class R>
  void require_positive(const Enclosure<R>& value) noexcept {
    proved = proved && value.mid > value.rad;
    slack = std::min(slack, static_cast<double>(value.mid / value.size));
  }
  // The equality value = 0 of `dim` terms: never exact in floating point, so measured instead of judged.
  template <class R>
  void measure_residual(const Enclosure<R>& value, std::size_t dim) noexcept {
    if (value.size > 0) {
      residual = std::max(residual, static_cast<double>(value.mid / (static_cast<R>(dim) * value.size)));
    }
  }
  void merge(const Finding& other) noexcept {
    proved = proved && other.proved;
    slack = std::min(slack, other.slack);
    residual = std::max(residual, other.residual);
  }
};

// A constraint in the data as they were given, examined in either precision.
class Constraint {
 public:
  virtual ~Constraint() = default;
  [[nodiscard]] virtual Finding examine(Point<long double> x) const = 0;
  [[nodiscard]] virtual Finding examine(Point<Float128> x) const = 0;
};
using ConstraintPtr = std::unique_ptr<const Constraint>;

// Derived::test(Point<R>), a template, in both precisions.
template <class Derived>
class InBothPrecisions : public Constraint {
 public:
  [[nodiscard]] Finding examine(Point<long double> x) const final { return static_cast<const Derived*>(this)->test(x); }
  [[nodiscard]] Finding examine(Point<Float128> x) const final { return static_cast<const Derived*>(this)->test(x); }
};

// sum_j coefficient_j x_j against a bound.
//   below      a.x < bound strictly
//   constant   the same row where it is constant on the hull: a.x - bound may exceed 0 by rounding only
//   equal      a.x = bound
struct LinearRow {
  enum class Kind { below, constant, equal };
  struct Term {
    std::size_t index;
    double coefficient;
  };
  std::vector<Term> terms;
  double bound = 0;
  Kind kind = Kind::below;
};

class LinearConstraint final : public InBothPrecisions<LinearConstraint> {
 public:
  explicit LinearConstraint(std::vector<LinearRow> rows) : rows_(std::move(rows)) {}

  template <class R>
  Finding test(Point<R> x) const {
    Finding finding;
    for (const LinearRow& row : rows_) {
      DotProduct<R> dot;
      for (const LinearRow::Term& term : row.terms) dot.add(term.coefficient, x[term.index]);
      const Enclosure<R> excess = dot.value() - Enclosure<R>(row.bound);
      if (row.kind == LinearRow::Kind::below) {
        finding.require_positive(-excess);
      } else {
        finding.measure_residual(excess, row.terms.size());
        if (row.kind == LinearRow::Kind::equal) finding.measure_residual(-excess, row.terms.size());
      }
    }
    return finding;
  }

 private:
  std::vector<LinearRow> rows_;
};

// |x - center|^2 < radius^2.
class BallConstraint final : public InBothPrecisions<BallConstraint> {
 public:
  BallConstraint(Eigen::VectorXd center, double radius) : center_(std::move(center)), radius_(radius) {}

  template <class R>
  Finding test(Point<R> x) const {
    Enclosure<R> slack = square(Enclosure<R>(radius_));
    for (std::size_t j = 0; j < x.size(); ++j) slack = slack - square(x[j] - Enclosure<R>(center_[Eigen::Index(j)]));
    Finding finding;
    finding.require_positive(slack);
    return finding;
  }

 private:
  Eigen::VectorXd center_;
  double radius_;
};

// 1/2 y'Py + q'y + c < 0 with y = x - center.
class QuadraticConstraint final : public InBothPrecisions<QuadraticConstraint> {
 public:
  QuadraticConstraint(Eigen::MatrixXd P, Eigen::VectorXd q, double c, Eigen::VectorXd center)
      : P_(std::move(P)), q_(std::move(q)), c_(c), center_(std::move(center)) {}

  template <class R>
  Finding test(Point<R> x) const {
    std::vector<Enclosure<R>> y(x.size());
    for (std::size_t j = 0; j < y.size(); ++j) y[j] = x[j] - Enclosure<R>(center_[Eigen::Index(j)]);
    Enclosure<R> value(c_);
    for (std::size_t i = 0; i < y.size(); ++i) {
      DotProduct<R> row;
      for (std::size_t j = 0; j < y.size(); ++j) row.add(P_(Eigen::Index(i), Eigen::Index(j)) / 2, y[j]);
      value = value + (row.value() + Enclosure<R>(q_[Eigen::Index(i)])) * y[i];
    }
    Finding finding;
    finding.require_positive(-value);
    return finding;
  }

 private:
  Eigen::MatrixXd P_;
  Eigen::VectorXd q_;
  double c_;
  Eigen::VectorXd center_;
};

// c.x + e > 0 and (c.x + e)^2 > |M x + s|^2.
class ConeConstraint final : public InBothPrecisions<ConeConstraint> {
 public:
  ConeConstraint(Eigen::MatrixXd M, Eigen::VectorXd s, Eigen::VectorXd c, double e)
      : M_(std::move(M)), s_(std::move(s)), c_(std::move(c)), e_(e) {}

  template <class R>
  Finding test(Point<R> x) const {
    DotProduct<R> axis;
    for (std::size_t j = 0; j < x.size(); ++j) axis.add(c_[Eigen::Index(j)], x[j]);
    const Enclosure<R> height = axis.value() + Enclosure<R>(e_);
    Enclosure<R> slack = square(height);
    for (Eigen::Index i = 0; i < M_.rows(); ++i) {
      DotProduct<R> row;
      for (std::size_t j = 0; j < x.size(); ++j) row.add(M_(i, Eigen::Index(j)), x[j]);
      slack = slack - square(row.value() + Enclosure<R>(s_[i]));
    }
    Finding finding;
    finding.require_positive(height);
    finding.require_positive(slack);
    return finding;
  }

 private:
  Eigen::MatrixXd M_;
  Eigen::VectorXd s_;
  Eigen::VectorXd c_;
  double e_;
};

// F[0] + sum_i x_i F[i] positive definite. With A its midpoints, n x n, and `shift` at least
//   ((n + 1) eps / (1 - (n + 1) eps)) trace(A) + the largest row sum of the radii + the rounding of the shift itself,
// A - shift I having a Cholesky factor in floating point proves it (Rump, Verification of positive definiteness, BIT 46,
// 2006). The smallest pivot stands in for the slack that is reported.
class LmiConstraint final : public InBothPrecisions<LmiConstraint> {
 public:
  explicit LmiConstraint(std::vector<Eigen::MatrixXd> F) : F_(std::move(F)) {}

  template <class R>
  Finding test(Point<R> x) const {
    using P = Precision<R>;
    const std::size_t n = static_cast<std::size_t>(F_.front().rows());
    std::vector<R> a(n * n);
    R trace = 0, size = 0, largest_row = 0;
    for (std::size_t i = 0; i < n; ++i) {
      R radii = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const Enclosure<R> entry = this->entry(x, Eigen::Index(i), Eigen::Index(j));
        a[i * n + j] = entry.mid;
        radii += entry.rad;
        if (i == j) {
          trace += magnitude(entry.mid);
          size += entry.size;
        }
      }
      largest_row = std::max(largest_row, radii);
    }
    const R rounding = static_cast<R>(n + 1) * P::epsilon;
    const R shift = grow<R>(rounding / (1 - rounding) * trace + largest_row + 2 * P::epsilon * trace + P::tiny);

    R smallest_pivot = size;
    bool proved = true;
    for (std::size_t k = 0; k < n && proved; ++k) {
      R pivot = a[k * n + k] - shift;
      for (std::size_t j = 0; j < k; ++j) pivot -= a[k * n + j] * a[k * n + j];
      smallest_pivot = std::min(smallest_pivot, pivot);
      proved = pivot > 0;
      if (!proved) break;
      const R root = P::sqrt(pivot);
      for (std::size_t i = k + 1; i < n; ++i) {
        R value = a[i * n + k];
        for (std::size_t j = 0; j < k; ++j) value -= a[i * n + j] * a[k * n + j];
        a[i * n + k] = value / root;
      }
    }
    return {.proved = proved, .slack = static_cast<double>(smallest_pivot / size)};
  }

 private:
  // The symmetric part of F(x).
  template <class R>
  [[nodiscard]] Enclosure<R> entry(Point<R> x, Eigen::Index i, Eigen::Index j) const {
    DotProduct<R> value;
    value.add(F_[0](i, j) / 2, Enclosure<R>(1));
    value.add(F_[0](j, i) / 2, Enclosure<R>(1));
    for (std::size_t k = 0; k < x.size(); ++k) {
      value.add(F_[k + 1](i, j) / 2, x[k]);
      value.add(F_[k + 1](j, i) / 2, x[k]);
    }
    return value.value();
  }

  std::vector<Eigen::MatrixXd> F_;
};

// sum_j |x_j - center_j|^p < radius^p; |x_j - center_j| < radius for every j where p is infinite.
class LpConstraint final : public InBothPrecisions<LpConstraint> {
 public:
  LpConstraint(Eigen::VectorXd center, double radius, double p) : center_(std::move(center)), radius_(radius), p_(p) {}

  template <class R>
  Finding test(Point<R> x) const {
    Finding finding;
    Enclosure<R> slack = raised<R>(Enclosure<R>(radius_));
    for (std::size_t j = 0; j < x.size(); ++j) {
      const Enclosure<R> distance = absolute(x[j] - Enclosure<R>(center_[Eigen::Index(j)]));
      if (p_ == std::numeric_limits<double>::infinity()) {
        finding.require_positive(Enclosure<R>(radius_) - distance);
      } else {
        slack = slack - raised<R>(distance);
      }
    }
    if (p_ < std::numeric_limits<double>::infinity()) finding.require_positive(slack);
    return finding;
  }

 private:
  template <class R>
  [[nodiscard]] Enclosure<R> raised(const Enclosure<R>& a) const {
    if (p_ == 1 || p_ == std::numeric_limits<double>::infinity()) return a;
    if (p_ == 2) return square(a);
    return power(a, p_);
  }

  Eigen::VectorXd center_;
  double radius_;
  double p_;
};

// sum_j exp(x_j - bound) < 1.
class LogSumExpConstraint final : public InBothPrecisions<LogSumExpConstraint> {
 public:
  explicit LogSumExpConstraint(double bound) : bound_(bound) {}

  template <class R>
  Finding test(Point<R> x) const {
    Enclosure<R> slack(1);
    for (const Enclosure<R>& coordinate : x) slack = slack - exponential(coordinate - Enclosure<R>(bound_));
    Finding finding;
    finding.require_positive(slack);
    return finding;
  }

 private:
  double bound_;
};

// x > 0 and sum_j x_j log(x_j / reference_j) < radius; the equality sum(x) = 1 stands in a LinearConstraint beside it.
class KlConstraint final : public InBothPrecisions<KlConstraint> {
 public:
  KlConstraint(Eigen::VectorXd reference, double radius) : reference_(std::move(reference)), radius_(radius) {}

  template <class R>
  Finding test(Point<R> x) const {
    Finding finding;
    Enclosure<R> slack(radius_);
    for (std::size_t j = 0; j < x.size(); ++j) {
      finding.require_positive(x[j]);
      if (!finding.proved) return finding;
      slack = slack - x[j] * logarithm(divide(x[j], static_cast<R>(reference_[Eigen::Index(j)])));
    }
    finding.require_positive(slack);
    return finding;
  }

 private:
  Eigen::VectorXd reference_;
  double radius_;
};

// A set that the user gave as functions: what they compute in double is the set.
class ComputedConstraint final : public InBothPrecisions<ComputedConstraint> {
 public:
  explicit ComputedConstraint(const ConvexSet& set) : set_(&set) {}

  template <class R>
  Finding test(Point<R> x) const {
    std::vector<double> rounded(x.size());
    std::transform(x.begin(), x.end(), rounded.begin(), [](const auto& c) { return static_cast<double>(c.mid); });
    std::vector<double> slacks(set_->num_inequalities());
    set_->slacks(rounded, slacks);
    Finding finding;
    for (double slack : slacks) {
      finding.proved = finding.proved && slack > 0;
      finding.slack = std::min(finding.slack, slack);
    }
    return finding;
  }

 private:
  const ConvexSet* set_;  // owned by the judged Set
};

}  // namespace softradial::reference
