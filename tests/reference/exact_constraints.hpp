#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "reference/enclosure.hpp"
#include "softradial/affine_hull.hpp"
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

// A constraint on points of `dim` coordinates in the data as they were given, examined in either precision.
class Constraint {
 public:
  explicit Constraint(std::size_t dim) : dim_(dim) {}
  virtual ~Constraint() = default;
  [[nodiscard]] std::size_t dim() const noexcept { return dim_; }
  [[nodiscard]] virtual Finding examine(Point<long double> x) const = 0;
  [[nodiscard]] virtual Finding examine(Point<Float128> x) const = 0;

 private:
  std::size_t dim_;
};
using ConstraintPtr = std::unique_ptr<const Constraint>;

// Derived::test(Point<R>), a template, in both precisions.
template <class Derived>
class InBothPrecisions : public Constraint {
 public:
  using Constraint::Constraint;
  [[nodiscard]] Finding examine(Point<long double> x) const final { return static_cast<const Derived*>(this)->test(x); }
  [[nodiscard]] Finding examine(Point<Float128> x) const final { return static_cast<const Derived*>(this)->test(x); }
};

// The inequality value > 0 alone.
template <class R>
[[nodiscard]] Finding positive(const Enclosure<R>& value) {
  Finding finding;
  finding.require_positive(value);
  return finding;
}

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
  LinearConstraint(std::size_t dim, std::vector<LinearRow> rows) : InBothPrecisions(dim), rows_(std::move(rows)) {}

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

// sum_j x_j = total.
[[nodiscard]] inline LinearRow sum_row(std::size_t dim, double total) {
  LinearRow row{.terms = {}, .bound = total, .kind = LinearRow::Kind::equal};
  for (std::size_t j = 0; j < dim; ++j) row.terms.push_back({j, 1.0});
  return row;
}

// Every part holds at the same point.
class AllOf final : public InBothPrecisions<AllOf> {
 public:
  explicit AllOf(std::vector<ConstraintPtr> parts) : InBothPrecisions(parts.front()->dim()), parts_(std::move(parts)) {}

  template <class R>
  Finding test(Point<R> x) const {
    Finding finding;
    for (const ConstraintPtr& part : parts_) finding.merge(part->examine(x));
    return finding;
  }

 private:
  std::vector<ConstraintPtr> parts_;
};

// A description on its way to a constraint: its fields, and where it stands in the whole.
class Translation {
 public:
  // `set` is the set described where it can be reached: only sets given by functions need it. `map` has at least as many
  // rows as the set has coordinates, and one column for each coordinate of the judged point: the linear part of the chain
  // of affine maps from that point to the point that this set sees.
  Translation(const Description& description, const ConvexSet* set, const AffineHull& hull, Eigen::MatrixXd map);

  [[nodiscard]] const ConvexSet* set() const noexcept { return set_; }
  [[nodiscard]] const Eigen::MatrixXd& map() const noexcept { return map_; }

  // The fields; std::logic_error where one is missing or of another type.
  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] const Description::Value& value(const std::string& name) const;
  template <class V>
  [[nodiscard]] const V& field(const std::string& name) const {
    if (const V* found = std::get_if<V>(&value(name))) return *found;
    throw std::logic_error(description_.type + ": the field " + name + " is not of the expected type");
  }
  [[nodiscard]] double number(const std::string& name) const { return field<double>(name); }
  [[nodiscard]] const Eigen::VectorXd& vector(const std::string& name) const { return field<Eigen::VectorXd>(name); }
  [[nodiscard]] const Eigen::MatrixXd& matrix(const std::string& name) const { return field<Eigen::MatrixXd>(name); }
  [[nodiscard]] const std::vector<Description>& parts(const std::string& name) const {
    return field<std::vector<Description>>(name);
  }

  // Adds a.x < bound, as a constant row where a is constant on the hull; nothing where the bound is infinite.
  void add_inequality(std::vector<LinearRow>& rows, LinearRow row) const;

  // The constraint of a part that sees the judged point through `map`.
  [[nodiscard]] ConstraintPtr translate(const Description& part, const ConvexSet* set, Eigen::MatrixXd map) const;

 private:
  [[nodiscard]] bool constant_on_hull(const LinearRow& row) const;

  const Description& description_;
  const ConvexSet* set_;
  const AffineHull& hull_;
  Eigen::MatrixXd map_;
};

// How a type of set becomes a constraint: each family states it beside its specimens.
using Translate = ConstraintPtr (*)(const Translation&);

}  // namespace softradial::reference
