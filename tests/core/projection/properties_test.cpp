// Properties of random sets, with shrinking: a failure is reported as the smallest case that RapidCheck can find.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "reference/exact_judge.hpp"
#include "reference/orthogonal_projection.hpp"
#include "softradial/errors.hpp"
#include "softradial/sets.hpp"
#include "support/gauge_probe.hpp"
#include "support/point_layer.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using reference::ExactJudge;
using support::GaugeProbe;
using support::PointLayer;

// The same cases in every run, unless the environment asks for others.
const int kSeeded = setenv("RC_PARAMS", "seed=20240607", /*overwrite=*/0);

// Numbers of a hundredth: they shrink well, and ties happen.
double hundredth(int low, int high) { return *rc::gen::inRange(low, high) / 100.0; }

VectorXd vector_of(Eigen::Index size, int low, int high) {
  VectorXd v(size);
  for (double& value : v) value = hundredth(low, high);
  return v;
}

struct AnchoredSet {
  Set set;
  Anchor anchor;
};

// A x <= A u0 + slack with slack > 0: u0 is interior by construction; not necessarily bounded.
AnchoredSet any_polyhedron() {
  const auto n = *rc::gen::inRange<Eigen::Index>(1, 6);
  const auto m = *rc::gen::inRange<Eigen::Index>(1, 12);
  MatrixXd A(m, n);
  for (Eigen::Index i = 0; i < m; ++i) A.row(i) = vector_of(n, -300, 301).transpose();
  const VectorXd anchor = vector_of(n, -200, 201);
  const VectorXd b = A * anchor + vector_of(m, 5, 300);
  const Set set = Polyhedron(A, b);
  return {set, check_anchor(set, anchor)};
}

// Caps in (0, 1], a sum strictly between 0 and sum(caps), an anchor with the same share of each cap, or the library's.
AnchoredSet any_capped_simplex() {
  const auto n = *rc::gen::inRange<Eigen::Index>(2, 12);
  const VectorXd caps = vector_of(n, 1, 101);
  const double sum = caps.sum() * hundredth(5, 96);
  const Set set = CappedSimplex(caps, sum);
  const bool own_anchor = *rc::gen::arbitrary<bool>();
  return {set, own_anchor ? check_anchor(set, caps * (sum / caps.sum())) : require_anchor(set)};
}

AnchoredSet any_set() { return *rc::gen::arbitrary<bool>() ? any_polyhedron() : any_capped_simplex(); }

VectorXd direction_in(const AnchoredSet& s) {
  const VectorXd v = vector_of(static_cast<Eigen::Index>(s.set.dim()), -500, 501);
  return v - s.anchor.hull.normals.transpose() * (s.anchor.hull.normals * v);
}

double scale() { return std::ldexp(1.0, *rc::gen::inRange(-20, 100)); }

PointLayer layer_on(const AnchoredSet& s, const Method& method = SoftRadial{}) {
  return PointLayer(s.set, method, {.anchor_point = s.anchor.point});
}

RC_GTEST_PROP(Gauge, IsPositivelyHomogeneous, ()) {
  const AnchoredSet s = any_set();
  GaugeProbe probe(s.set, s.anchor);
  const VectorXd d = direction_in(s);
  const double t = std::ldexp(1.0, *rc::gen::inRange(-30, 31));
  RC_ASSERT(probe.value(t * d) == t * probe.value(d));
  RC_ASSERT(probe.value(VectorXd::Zero(d.size())) == 0.0);
}

RC_GTEST_PROP(Gauge, IsSubadditive, ()) {
  const AnchoredSet s = any_set();
  GaugeProbe probe(s.set, s.anchor);
  const VectorXd d = direction_in(s), e = direction_in(s);
  const double sum = probe.value(d) + probe.value(e);
  RC_ASSERT(probe.value(d + e) <= sum + 1e-13 * (1 + sum));
}

RC_GTEST_PROP(Gauge, GradientIsASubgradient, ()) {
  const AnchoredSet s = any_set();
  GaugeProbe probe(s.set, s.anchor);
  const VectorXd d = direction_in(s), e = direction_in(s);
  const double linear = probe.value(d) + probe.gradient(d).dot(e - d);
  RC_ASSERT(probe.value(e) >= linear - 1e-12 * (1 + std::abs(linear)));
}

template <class T>
void check_feasible(const AnchoredSet& s, const VectorXd& u, const Method& method) {
  const Projection<T> layer(s.set, method, {.anchor_point = s.anchor.point});
  Workspace<T> workspace = layer.make_workspace();
  support::Batch<T> row(1, s.set.dim());
  row.set(0, u);
  layer.project(row.view(), row.rows(), workspace);
  const auto verdict = ExactJudge(s.set, s.anchor.hull).judge(std::span<const T>(row[0]));
  RC_ASSERT(verdict.inside);
  RC_ASSERT(verdict.residual <= reference::kResidualUlps * std::numeric_limits<T>::epsilon());
}

RC_GTEST_PROP(Projection, IsStrictlyFeasible, ()) {
  const AnchoredSet s = any_set();
  const VectorXd u = scale() * vector_of(static_cast<Eigen::Index>(s.set.dim()), -500, 501);
  for (const Method& method : {Method(SoftRadial{}), Method(HardRadial{}), Method(GaugeMap{})}) {
    try {
      check_feasible<float>(s, u, method);
    } catch (const AnchorNotInterior&) {
      // Rounded to float, the anchor may come too close to the boundary: the constructor says so.
    }
    check_feasible<double>(s, u, method);
  }
}

RC_GTEST_PROP(Projection, RoundTrips, ()) {
  const AnchoredSet s = any_set();
  PointLayer layer = layer_on(s);
  const VectorXd u = s.anchor.point + direction_in(s);
  const VectorXd back = layer.inverse(layer.project(u));
  // |u - u0| <= 5 sqrt(12): 1 - r >= 1e-3, and thin sets resolve x to 1e-16 / slack.
  RC_ASSERT((back - u).norm() <= 1e-7 * (1 + u.norm()));
}

RC_GTEST_PROP(Projection, IsMonotoneAlongRays, ()) {
  const AnchoredSet s = any_set();
  PointLayer layer = layer_on(s);
  const VectorXd d = direction_in(s);
  const double near = hundredth(0, 100), far = near + hundredth(1, 500);
  const double first = (layer.project(s.anchor.point + near * d) - s.anchor.point).norm();
  const double second = (layer.project(s.anchor.point + far * d) - s.anchor.point).norm();
  RC_ASSERT(second >= first * (1 - 1e-12));
}

RC_GTEST_PROP(Projection, IgnoresWhatIsNormalToTheHull, ()) {
  const AnchoredSet s = any_capped_simplex();
  PointLayer layer = layer_on(s);
  const VectorXd u = s.anchor.point + direction_in(s);
  const double offset = hundredth(-1000, 1001);
  const VectorXd moved = u.array() + offset;
  RC_ASSERT((layer.project(u) - layer.project(moved)).norm() <= 1e-12 * (1 + std::abs(offset)) * (1 + u.norm()));
}

RC_GTEST_PROP(OrthogonalProjection, OfACappedSimplexIsNeverFartherThanTheRadialOne, ()) {
  const AnchoredSet s = any_capped_simplex();
  const auto& simplex = dynamic_cast<const CappedSimplex&>(*s.set);
  PointLayer layer = layer_on(s, HardRadial{});
  const VectorXd u = s.anchor.point + direction_in(s);
  const VectorXd nearest = reference::nearest_in_capped_simplex(u, simplex.upper(), *simplex.total());
  RC_ASSERT((nearest - u).norm() <= (layer.project(u) - u).norm() + 1e-9);
}

}  // namespace
}  // namespace softradial
