#include "reference/exact_judge.hpp"

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "reference/exact_combinators.hpp"
#include "softradial/sets/combinators.hpp"

namespace softradial::reference {
namespace {

using Eigen::Index;

const Description::Value* find_field(const Description& description, const std::string& name) {
  for (const auto& [key, value] : description.fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

template <class V>
const V& field(const Description& description, const std::string& name) {
  const Description::Value* value = find_field(description, name);
  if (value == nullptr || !std::holds_alternative<V>(*value)) {
    throw std::logic_error(description.type + ": no field " + name + " of the expected type");
  }
  return std::get<V>(*value);
}

double number(const Description& description, const std::string& name) { return field<double>(description, name); }
const Eigen::VectorXd& vector(const Description& description, const std::string& name) {
  return field<Eigen::VectorXd>(description, name);
}
const Eigen::MatrixXd& matrix(const Description& description, const std::string& name) {
  return field<Eigen::MatrixXd>(description, name);
}

std::size_t dim_of(const Description& d) {
  if (d.type == "intersection") return dim_of(field<std::vector<Description>>(d, "sets").front());
  if (d.type == "scaled") return dim_of(field<std::vector<Description>>(d, "set").front());
  if (d.type == "product") {
    std::size_t sum = 0;
    for (const Description& part : field<std::vector<Description>>(d, "sets")) sum += dim_of(part);
    return sum;
  }
  if (d.type == "lmi") return field<std::vector<Eigen::MatrixXd>>(d, "F").size() - 1;
  if (d.type == "second_order_cone") return static_cast<std::size_t>(vector(d, "c").size());
  if (find_field(d, "dim") != nullptr) return static_cast<std::size_t>(number(d, "dim"));
  for (const char* name : {"A", "E"}) {
    if (find_field(d, name) != nullptr) return static_cast<std::size_t>(matrix(d, name).cols());
  }
  for (const char* name : {"lower", "center", "q", "reference"}) {
    if (find_field(d, name) != nullptr) return static_cast<std::size_t>(vector(d, name).size());
  }
  throw std::logic_error(d.type + ": no field tells the dimension");
}

// Translates descriptions into constraints. `map` (dim of this set x dim of the whole) is the linear part of the chain of
// affine maps from the judged point to the point that this set sees: it tells which rows are constant on the hull.
class Translator {
 public:
  explicit Translator(const AffineHull& hull) : hull_(hull) {}

  // `set` is the set described, where it can be reached: only sets given by functions need it.
  ConstraintPtr translate(const Description& d, const ConvexSet* set, const Eigen::MatrixXd& map) const {
    if (d.type == "box") return bounds(vector(d, "lower"), vector(d, "upper"), std::nullopt, map);
    if (d.type == "simplex" || d.type == "capped_simplex") return simplex(d, map);
    if (d.type == "polyhedron") return polyhedron(d, map);
    if (d.type == "ball") return std::make_unique<BallConstraint>(vector(d, "center"), number(d, "radius"));
    if (d.type == "ellipsoid") return ellipsoid(d);
    if (d.type == "quadratic") return quadratic(d);
    if (d.type == "second_order_cone") {
      return std::make_unique<ConeConstraint>(matrix(d, "M"), vector(d, "s"), vector(d, "c"), number(d, "e"));
    }
    if (d.type == "lmi") return std::make_unique<LmiConstraint>(field<std::vector<Eigen::MatrixXd>>(d, "F"));
    if (d.type == "lp_ball") {
      return std::make_unique<LpConstraint>(vector(d, "center"), number(d, "radius"), number(d, "p"));
    }
    if (d.type == "log_sum_exp") return std::make_unique<LogSumExpConstraint>(number(d, "bound"));
    if (d.type == "kl_ball") return kl_ball(d);
    if (d.type == "intersection") return intersection(d, set, map);
    if (d.type == "product") return product(d, set, map);
    if (d.type == "affine_preimage") return affine_preimage(d, map);
    if (d.type == "scaled") {
      return std::make_unique<AtQuotient>(translate(inner(d), nullptr, map), number(d, "factor"));
    }
    if (set == nullptr) throw std::logic_error(d.type + ": cannot be judged inside this combinator");
    return std::make_unique<ComputedConstraint>(*set);
  }

 private:
  static const Description& inner(const Description& d) { return field<std::vector<Description>>(d, "set").front(); }

  // |P v| <= kConstantOnHull |v| for v = map' row, with P the orthogonal projector onto the hull's directions.
  [[nodiscard]] bool constant_on_hull(const LinearRow& row, const Eigen::MatrixXd& map) const {
    Eigen::VectorXd direction = Eigen::VectorXd::Zero(map.cols());
    for (const LinearRow::Term& term : row.terms)
      direction += term.coefficient * map.row(Index(term.index)).transpose();
    const Eigen::VectorXd along = direction - hull_.normals.transpose() * (hull_.normals * direction);
    return !(along.norm() > kConstantOnHull * direction.norm());
  }

  void add_inequality(std::vector<LinearRow>& rows, LinearRow row, const Eigen::MatrixXd& map) const {
    if (!std::isfinite(row.bound)) return;
    row.kind = constant_on_hull(row, map) ? LinearRow::Kind::constant : LinearRow::Kind::below;
    rows.push_back(std::move(row));
  }

  static LinearRow sum_row(Index dim, double total) {
    LinearRow row{.terms = {}, .bound = total, .kind = LinearRow::Kind::equal};
    for (Index j = 0; j < dim; ++j) row.terms.push_back({static_cast<std::size_t>(j), 1.0});
    return row;
  }

  [[nodiscard]] ConstraintPtr bounds(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                                     std::optional<double> total, const Eigen::MatrixXd& map) const {
    std::vector<LinearRow> rows;
    for (Index j = 0; j < lower.size(); ++j) {
      const auto index = static_cast<std::size_t>(j);
      add_inequality(rows, {.terms = {{index, 1.0}}, .bound = upper[j]}, map);
      add_inequality(rows, {.terms = {{index, -1.0}}, .bound = -lower[j]}, map);
    }
    if (total) rows.push_back(sum_row(lower.size(), *total));
    return std::make_unique<LinearConstraint>(std::move(rows));
  }

  [[nodiscard]] ConstraintPtr simplex(const Description& d, const Eigen::MatrixXd& map) const {
    const auto dim = static_cast<Index>(number(d, "dim"));
    Eigen::VectorXd upper = Eigen::VectorXd::Constant(dim, std::numeric_limits<double>::infinity());
    if (const Description::Value* cap = find_field(d, "cap")) {
      upper = std::holds_alternative<double>(*cap) ? Eigen::VectorXd::Constant(dim, std::get<double>(*cap))
                                                   : std::get<Eigen::VectorXd>(*cap);
    }
    return bounds(Eigen::VectorXd::Zero(dim), upper, number(d, "sum"), map);
  }

  static LinearRow matrix_row(const Eigen::MatrixXd& A, Index i, double bound) {
    LinearRow row{.terms = {}, .bound = bound};
    for (Index j = 0; j < A.cols(); ++j) {
      if (A(i, j) != 0) row.terms.push_back({static_cast<std::size_t>(j), A(i, j)});
    }
    return row;
  }

  [[nodiscard]] ConstraintPtr polyhedron(const Description& d, const Eigen::MatrixXd& map) const {
    std::vector<LinearRow> rows;
    if (find_field(d, "A") != nullptr) {
      const Eigen::MatrixXd& A = matrix(d, "A");
      for (Index i = 0; i < A.rows(); ++i) add_inequality(rows, matrix_row(A, i, vector(d, "b")[i]), map);
    }
    if (find_field(d, "E") != nullptr) {
      const Eigen::MatrixXd& E = matrix(d, "E");
      for (Index i = 0; i < E.rows(); ++i) {
        rows.push_back(matrix_row(E, i, vector(d, "f")[i]));
        rows.back().kind = LinearRow::Kind::equal;
      }
    }
    return std::make_unique<LinearConstraint>(std::move(rows));
  }

  // (x - center)' shape (x - center) < 1; doubling the shape is exact.
  static ConstraintPtr ellipsoid(const Description& d) {
    const Eigen::VectorXd& center = vector(d, "center");
    return std::make_unique<QuadraticConstraint>(2 * matrix(d, "shape"), Eigen::VectorXd::Zero(center.size()), -1.0,
                                                 center);
  }

  static ConstraintPtr quadratic(const Description& d) {
    const Eigen::VectorXd& q = vector(d, "q");
    return std::make_unique<QuadraticConstraint>(matrix(d, "P"), q, number(d, "c"), Eigen::VectorXd::Zero(q.size()));
  }

  static ConstraintPtr kl_ball(const Description& d) {
    const Eigen::VectorXd& reference = vector(d, "reference");
    std::vector<ConstraintPtr> parts;
    parts.push_back(std::make_unique<KlConstraint>(reference, number(d, "radius")));
    parts.push_back(std::make_unique<LinearConstraint>(std::vector{sum_row(reference.size(), 1.0)}));
    return std::make_unique<AllOf>(std::move(parts));
  }

  [[nodiscard]] ConstraintPtr intersection(const Description& d, const ConvexSet* set,
                                           const Eigen::MatrixXd& map) const {
    const auto* whole = dynamic_cast<const Intersection*>(set);
    const auto& descriptions = field<std::vector<Description>>(d, "sets");
    std::vector<ConstraintPtr> parts;
    for (std::size_t k = 0; k < descriptions.size(); ++k) {
      parts.push_back(translate(descriptions[k], whole != nullptr ? &*whole->parts()[k] : nullptr, map));
    }
    return std::make_unique<AllOf>(std::move(parts));
  }

  [[nodiscard]] ConstraintPtr product(const Description& d, const ConvexSet* set, const Eigen::MatrixXd& map) const {
    const auto* whole = dynamic_cast<const Product*>(set);
    const auto& descriptions = field<std::vector<Description>>(d, "sets");
    std::vector<ConstraintPtr> parts;
    std::size_t first = 0;
    for (std::size_t k = 0; k < descriptions.size(); ++k) {
      const std::size_t dim = dim_of(descriptions[k]);
      const Eigen::MatrixXd block = map.middleRows(Index(first), Index(dim));
      const ConvexSet* part = whole != nullptr ? &*whole->parts()[k] : nullptr;
      parts.push_back(std::make_unique<OnBlock>(translate(descriptions[k], part, block), first, dim));
      first += dim;
    }
    return std::make_unique<AllOf>(std::move(parts));
  }

  [[nodiscard]] ConstraintPtr affine_preimage(const Description& d, const Eigen::MatrixXd& map) const {
    const Eigen::MatrixXd& A = matrix(d, "A");
    return std::make_unique<AtAffineImage>(translate(inner(d), nullptr, A * map), A, vector(d, "b"));
  }

  const AffineHull& hull_;
};

template <class R, class T>
Finding examine(const Constraint& constraint, std::span<const T> x) {
  std::vector<Enclosure<R>> point;
  point.reserve(x.size());
  for (T coordinate : x) point.emplace_back(static_cast<R>(coordinate));
  return constraint.examine(Point<R>(point));
}

}  // namespace

ExactJudge::ExactJudge(const Set& set, const AffineHull& hull) : set_(set) {
  const auto n = static_cast<Index>(set.dim());
  constraint_ = Translator(hull).translate(set->describe(), &*set_, Eigen::MatrixXd::Identity(n, n));
}

template <class T>
Verdict ExactJudge::judge_row(std::span<const T> x) const {
  for (T coordinate : x) {
    if (!std::isfinite(coordinate)) return {};
  }
  Finding finding = examine<long double>(*constraint_, x);
  if (!finding.proved) finding = examine<Float128>(*constraint_, x);
  return {.inside = finding.proved, .slack = finding.slack, .residual = finding.residual};
}

Verdict ExactJudge::judge(std::span<const float> x) const { return judge_row(x); }
Verdict ExactJudge::judge(std::span<const double> x) const { return judge_row(x); }

}  // namespace softradial::reference
