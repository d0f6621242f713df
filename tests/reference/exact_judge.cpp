#include "reference/exact_judge.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/specimen.hpp"

namespace softradial::reference {
namespace {

using Eigen::Index;

template <class R, class T>
Finding examine(const Constraint& constraint, std::span<const T> x) {
  std::vector<Enclosure<R>> point;
  point.reserve(x.size());
  for (T coordinate : x) point.emplace_back(static_cast<R>(coordinate));
  return constraint.examine(Point<R>(point));
}

}  // namespace

Translation::Translation(const Description& description, const ConvexSet* set, const AffineHull& hull,
                         Eigen::MatrixXd map)
    : description_(description), set_(set), hull_(hull), map_(std::move(map)) {}

bool Translation::has(const std::string& name) const {
  return std::ranges::any_of(description_.fields, [&](const auto& field) { return field.first == name; });
}

const Description::Value& Translation::value(const std::string& name) const {
  for (const auto& [key, value] : description_.fields) {
    if (key == name) return value;
  }
  throw std::logic_error(description_.type + ": no field " + name);
}

// |P v| <= kConstantOnHull sum_j |v_j| |P e_j| for v = map' row, with P the orthogonal projector onto the hull's directions; a
// coordinate that moves by the hull's rounding alone does not count.
bool Translation::constant_on_hull(const LinearRow& row) const {
  Eigen::VectorXd direction = Eigen::VectorXd::Zero(map_.cols());
  for (const LinearRow::Term& term : row.terms) direction += term.coefficient * map_.row(Index(term.index)).transpose();
  const Eigen::MatrixXd& N = hull_.normals;
  const auto along = [&](Eigen::VectorXd v) {
    for (int pass = 0; pass < 3; ++pass) v -= N.transpose() * (N * v);
    return v.norm();
  };
  double most = 0;
  for (Eigen::Index j = 0; j < direction.size(); ++j) {
    if (direction[j] == 0) continue;
    const double moves = along(Eigen::VectorXd::Unit(direction.size(), j));
    if (N.rows() == 0 || moves > hull_.rounding) most += std::abs(direction[j]) * moves;
  }
  return !(along(direction) > kConstantOnHull * most);
}

void Translation::add_inequality(std::vector<LinearRow>& rows, LinearRow row) const {
  if (!std::isfinite(row.bound)) return;
  row.kind = constant_on_hull(row) ? LinearRow::Kind::constant : LinearRow::Kind::below;
  rows.push_back(std::move(row));
}

ConstraintPtr Translation::translate(const Description& part, const ConvexSet* set, Eigen::MatrixXd map) const {
  for (const support::Specimen& specimen : support::specimens()) {
    if (specimen.type != part.type || specimen.exact == nullptr) continue;
    return specimen.exact(Translation(part, set, hull_, std::move(map)));
  }
  throw std::logic_error(part.type + ": the exact judge does not know this type; its specimen in tests/sets states it");
}

ExactJudge::ExactJudge(const Set& set, const AffineHull& hull) : set_(set) {
  const auto n = static_cast<Index>(set.dim());
  const Description whole = set->describe();
  const Translation start(whole, &*set_, hull, Eigen::MatrixXd::Identity(n, n));
  constraint_ = start.translate(whole, start.set(), start.map());
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

double ExactJudge::gauge(const Eigen::VectorXd& anchor, const Eigen::VectorXd& d) const {
  // What anchor + t d loses to rounding is in the radius of its enclosure.
  const auto inside = [&](Float128 t) {
    std::vector<Enclosure<Float128>> point;
    for (Index j = 0; j < d.size(); ++j) {
      point.push_back(Enclosure<Float128>(anchor[j]) + Enclosure<Float128>(t) * Enclosure<Float128>(d[j]));
    }
    return constraint_->examine(Point<Float128>(point)).proved;
  };
  Float128 outside = 1;
  for (int doublings = 0; inside(outside); ++doublings) {
    if (doublings == 100) return 0;
    outside *= 2;
  }
  for (int halvings = 0; halvings < 200 && !inside(outside / 2); ++halvings) outside /= 2;
  Float128 lower = outside / 2;
  for (int step = 0; step < 64; ++step) {
    const Float128 middle = (lower + outside) / 2;
    (inside(middle) ? lower : outside) = middle;
  }
  return static_cast<double>(1 / lower);
}

Verdict ExactJudge::judge(std::span<const float> x) const { return judge_row(x); }
Verdict ExactJudge::judge(std::span<const double> x) const { return judge_row(x); }

}  // namespace softradial::reference
