// The gauges as formulas on tensors, which run on a device, against the gauges as kernels, which run here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "softradial/errors.hpp"
#include "softradial/sets.hpp"
#include "support/gauge_probe.hpp"
#include "support/plain_tensors.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kDirections = 8;

// Unit directions along the hull, one a row.
MatrixXd directions(const Anchor& anchor, support::RandomPoints& random) {
  MatrixXd d(kDirections, anchor.point.size());
  for (Index i = 0; i < kDirections; ++i) d.row(i) = random.unit_on(anchor.hull).transpose();
  return d;
}

class TensorForms : public testing::TestWithParam<support::NamedSet> {
 protected:
  const Set& set() const { return GetParam().set; }
  Anchor anchor_ = find_anchor(GetParam().set);
  support::PlainSpace space_;
  support::RandomPoints random_{17};
};

TEST_P(TensorForms, GaugeIsThatOfTheKernels) {
  const MatrixXd d = directions(anchor_, random_);
  support::GaugeProbe probe(set(), anchor_);
  const std::vector<double> gamma = support::numbers(probe.gauge().in_tensors(space_)(space_.constant(d)));
  ASSERT_EQ(gamma.size(), static_cast<std::size_t>(kDirections));
  for (Index i = 0; i < kDirections; ++i) {
    const double expected = probe.value(d.row(i));
    EXPECT_NEAR(gamma[static_cast<std::size_t>(i)], expected, 1e-9 * std::max(1.0, expected));
  }
}

// From an anchor of each sample: the same gauge up to what the guard takes, a bound of it, and whether there is room.
TEST_P(TensorForms, GaugeOfEachSample) {
  const MatrixXd d = directions(anchor_, random_);
  MatrixXd anchors(kDirections, d.cols());
  for (Index i = 0; i < kDirections; ++i) anchors.row(i) = anchor_.point.transpose();
  // Samples know the equalities that are stated: where there are others, rows touch every point.
  LinearSystem system(set().dim());
  set()->append_linear(system);
  const double room = anchor_.hull.codimension() > system.equalities().size() ? 0 : 1;
  support::GaugeProbe probe(set(), anchor_);
  const TensorGaugeAt at = set()->gauge_in_tensors(space_.constant(anchors), SampleTensors(space_));
  const std::vector<double> gamma = support::numbers(at.gauge(space_.constant(d)));
  const std::vector<double> interior = support::numbers(at.interior);
  const std::vector<double> lipschitz = support::numbers(at.lipschitz);
  for (Index i = 0; i < kDirections; ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_EQ(interior[interior.size() == 1 ? 0 : k], room);
    if (room == 0) continue;
    const double expected = probe.value(d.row(i));
    EXPECT_NEAR(gamma[k], expected, 1e-6 * std::max(1.0, expected)) << d.row(i);
    EXPECT_LE(gamma[k], lipschitz[lipschitz.size() == 1 ? 0 : k] * (1 + 1e-9));
  }
  for (const double kappa : support::numbers(at.kappa)) EXPECT_GE(kappa, 0);
}

// Beyond the boundary there is none.
TEST_P(TensorForms, NoRoomOutside) {
  const MatrixXd d = directions(anchor_, random_);
  support::GaugeProbe probe(set(), anchor_);
  for (Index i = 0; i < kDirections; ++i) {
    const double gamma = probe.value(d.row(i));
    if (!(gamma > 1e-6)) continue;
    const MatrixXd outside = anchor_.point.transpose() + 1.5 / gamma * d.row(i);
    const TensorGaugeAt at = set()->gauge_in_tensors(space_.constant(outside), SampleTensors(space_));
    EXPECT_EQ(support::numbers(at.interior).front(), 0) << outside;
  }
}

bool is_function_of_callables(const support::NamedSet& named) { return named.set->describe().type == "level_set"; }

std::vector<support::NamedSet> sets_with_forms() {
  std::vector<support::NamedSet> sets = support::set_zoo();
  std::erase_if(sets, is_function_of_callables);
  return sets;
}

INSTANTIATE_TEST_SUITE_P(Zoo, TensorForms, testing::ValuesIn(sets_with_forms()), support::NameOfSet());
INSTANTIATE_TEST_SUITE_P(MixedUnits, TensorForms, testing::ValuesIn(support::gather(&support::Specimen::mixed_units)),
                         support::NameOfSet());

TEST(TensorForms, AFunctionOfCallablesHasNone) {
  const support::PlainSpace space;
  const Set set = support::zoo_member("level_set");
  const Anchor anchor = find_anchor(set);
  EXPECT_THROW(std::ignore = support::GaugeProbe(set, anchor).gauge().in_tensors(space), InvalidSet);
  EXPECT_THROW(std::ignore = set->gauge_in_tensors(space.constant(anchor.point), SampleTensors(space)), InvalidSet);
}

// Data that come with the samples take the place of the set's own.
void expect_given(const Set& set, const std::string& name, const MatrixXd& given, const std::vector<Set>& sets) {
  const support::PlainSpace space;
  support::RandomPoints random(5);
  const auto count = static_cast<Index>(sets.size());
  MatrixXd anchors(count, static_cast<Index>(set.dim()));
  MatrixXd d(count, anchors.cols());
  std::vector<double> expected;
  for (Index i = 0; i < count; ++i) {
    const Anchor anchor = find_anchor(sets[static_cast<std::size_t>(i)]);
    anchors.row(i) = anchor.point.transpose();
    d.row(i) = random.unit_on(anchor.hull).transpose();
    expected.push_back(support::GaugeProbe(sets[static_cast<std::size_t>(i)], anchor).value(d.row(i)));
  }
  SampleTensors data(space);
  data.give(name, space.constant(given));
  const TensorGaugeAt at = set->gauge_in_tensors(space.constant(anchors), data);
  const std::vector<double> gamma = support::numbers(at.gauge(space.constant(d)));
  ASSERT_EQ(gamma.size(), expected.size());
  for (std::size_t i = 0; i < gamma.size(); ++i) EXPECT_NEAR(gamma[i], expected[i], 1e-9 * expected[i]) << name;
}

TEST(TensorForms, DataOfEachSample) {
  const MatrixXd A = (MatrixXd(3, 2) << 1, 0.5, -1, 0.3, 0.1, -1).finished();
  const MatrixXd b = (MatrixXd(2, 3) << 1, 2, 3, 0.5, 1, 0.7).finished();
  expect_given(Polyhedron(A, VectorXd::Ones(3)), "b", b, {Polyhedron(A, b.row(0)), Polyhedron(A, b.row(1))});
  const MatrixXd upper = (MatrixXd(2, 2) << 1, 2, 0.5, 3).finished();
  const VectorXd zero = VectorXd::Zero(2);
  expect_given(Box(zero, VectorXd::Ones(2)), "upper", upper, {Box(zero, upper.row(0)), Box(zero, upper.row(1))});
  const MatrixXd radius = (MatrixXd(2, 1) << 0.5, 2).finished();
  expect_given(Ball(zero, 1), "radius", radius, {Ball(zero, 0.5), Ball(zero, 2)});
  expect_given(
      Intersection({Ball(zero, 5), Polyhedron(A, VectorXd::Ones(3))}), "1.b", b,
      {Intersection({Ball(zero, 5), Polyhedron(A, b.row(0))}), Intersection({Ball(zero, 5), Polyhedron(A, b.row(1))})});
}

}  // namespace
}  // namespace softradial
