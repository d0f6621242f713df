// The guarded gauge against the exact one: never below it, and above it by no more than the guard
//   gamma_g(d) = gamma(d) / (1 - sigma) + kappa |d|
// of docs/math/margin.md. The exact gauge comes from the judge, by bisection in quadruple precision; the guarded one from
// what the maps return.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/exact_judge.hpp"
#include "softradial/projection.hpp"
#include "support/batch.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using Eigen::VectorXd;
using support::Batch;
using support::NamedSet;
using support::RandomPoints;

const std::vector<double> kScales = {1e-3, 1, 1e3};
constexpr std::size_t kRowsPerScale = 8;

template <class T>
constexpr double kUlp = std::numeric_limits<T>::epsilon();

// A map of precision T with rows around its anchor, the exact directions and gauges of these rows, and the bounds between
// which the guarded gauge must lie.
template <class T>
struct Subject {
  Projection<T> layer;
  VectorXd anchor;  // rounded to T, as the map uses it
  Batch<T> u;
  std::vector<VectorXd> d;
  std::vector<double> exact, least, most;

  Subject(const Set& set, const Method& method)
      : layer(set, method), anchor(layer.anchor().point.template cast<T>().template cast<double>()), u(rows()) {
    const reference::ExactJudge judge(set, layer.anchor().hull);
    const auto gauge = set->gauge<T>({anchor, layer.anchor().hull});
    const Eigen::MatrixXd& normals = layer.anchor().hull.normals;
    for (std::size_t i = 0; i < u.count(); ++i) {
      d.push_back(u.get(i) - anchor);
      for (int pass = 0; pass < 2; ++pass) d[i] -= normals.transpose() * (normals * d[i]).eval();
      exact.push_back(judge.gauge(anchor, d[i]));
      // The map's own d is rounded by at most ulp (dim / 2 + 4) (|u| + |u0|), which the gauge turns into its Lipschitz
      // constant's multiple; after its sums over d, which kappa |d| bounds, it has no more than 4 operations.
      const double size = u.get(i).norm() + anchor.norm();
      const double rounding = kUlp<T> * (static_cast<double>(u.dim()) / 2 + 4) * gauge->lipschitz() * size;
      const double slope = 4 * kUlp<T> * exact[i];
      // The factor of a singular form is known to 8 n ulp of double, which adds to gamma^2 (docs/math/margin.md).
      const double factor = std::sqrt(64 * kUlp<double>) * gauge->lipschitz() * d[i].norm();
      const double guarded = std::max(exact[i], std::hypot(exact[i], factor)) / (1 - gauge->sigma());
      least.push_back(exact[i] - rounding - slope);
      most.push_back(guarded * (1 + 2 * gauge->sigma()) + 2 * gauge->kappa() * d[i].norm() + rounding + slope);
    }
  }

 private:
  [[nodiscard]] Batch<T> rows() const {
    RandomPoints random(17);
    return support::rows_at_scales<T>(random, anchor, kScales, kRowsPerScale);
  }
};

// With s = z / (1 + z) of the gauge, a map's slack is 1 / (1 + gamma): the guarded gauge can be read from it. Its own two
// operations round by an ulp.
template <class T>
void slack_holds_the_guarded_gauge(const Set& set) {
  const Subject<T> s(set, GaugeMap{});
  std::vector<T> slack(s.u.count());
  auto workspace = s.layer.make_workspace();
  s.layer.slack(s.u.view(), slack, workspace);
  for (std::size_t i = 0; i < s.u.count(); ++i) {
    const double found = slack[i];
    EXPECT_LE(found, (1 + 2 * kUlp<T>) / (1 + s.least[i])) << "d = " << s.d[i].transpose();
    EXPECT_GE(found, (1 - 2 * kUlp<T>) / (1 + s.most[i])) << "d = " << s.d[i].transpose();
  }
}

// The hard projection ends at u0 + d / max(1, gamma), up to the rounding of x.
template <class T>
void exit_is_that_of_the_guarded_gauge(const Set& set) {
  const Subject<T> s(set, HardRadial{});
  Batch<T> x(s.u.count(), s.u.dim());
  auto workspace = s.layer.make_workspace();
  s.layer.project(s.u.view(), x.rows(), workspace);
  for (std::size_t i = 0; i < s.u.count(); ++i) {
    const VectorXd moved = x.get(i) - s.anchor;
    const double found = moved.dot(s.d[i]) / s.d[i].norm();
    const double size = s.anchor.norm() + s.u.get(i).norm() / std::max(1.0, s.exact[i]) + moved.norm();
    const double noise = 8 * kUlp<T> * size * std::sqrt(static_cast<double>(s.u.dim()));
    EXPECT_LE(found, s.d[i].norm() / std::max(1.0, s.least[i]) + noise) << "d = " << s.d[i].transpose();
    EXPECT_GE(found, s.d[i].norm() / std::max(1.0, s.most[i]) - noise) << "d = " << s.d[i].transpose();
  }
}

class GuardedGauge : public ::testing::TestWithParam<NamedSet> {};

TEST_P(GuardedGauge, IsWhatTheSlackSays) {
  slack_holds_the_guarded_gauge<float>(GetParam().set);
  slack_holds_the_guarded_gauge<double>(GetParam().set);
}

TEST_P(GuardedGauge, IsWhereTheHardProjectionEnds) {
  exit_is_that_of_the_guarded_gauge<float>(GetParam().set);
  exit_is_that_of_the_guarded_gauge<double>(GetParam().set);
}

INSTANTIATE_TEST_SUITE_P(Zoo, GuardedGauge, ::testing::ValuesIn(support::set_zoo()), support::NameOfSet());
INSTANTIATE_TEST_SUITE_P(MixedUnits, GuardedGauge,
                         ::testing::ValuesIn(support::gather(&support::Specimen::mixed_units)), support::NameOfSet());
// Small sets far from the origin: in single precision their sigma is hundreds of ulp or more, so that a map that lacks it
// is not this one.
INSTANTIATE_TEST_SUITE_P(FarAway, GuardedGauge, ::testing::ValuesIn(support::gather(&support::Specimen::far_away)),
                         support::NameOfSet());

}  // namespace
}  // namespace softradial
