#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "set_access.hpp"
#include "softradial/sets/coordinates.hpp"

namespace softradial::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Names = std::vector<std::string>;
using Slacks = std::vector<double>;

TEST(Box, NamesItsFiniteBoundsAndFixesEqualOnes) {
  const Box box(vec({0, -kInfinity, 2, -kInfinity}), vec({1, 3, 2, kInfinity}));
  EXPECT_EQ(box.dim(), 4u);
  const LinearSystem system = linear_part(box);
  EXPECT_EQ(names(system.inequalities()), (Names{"lower bound 0", "upper bound 0", "upper bound 1"}));
  EXPECT_EQ(names(system.equalities()), (Names{"fixed coordinate 2"}));
  EXPECT_EQ(system.equalities()[0].bound, 2);
  EXPECT_EQ(box.num_inequalities(), 3u);
  EXPECT_EQ(box.inequality_name(2), "upper bound 1");
  EXPECT_EQ(slacks_at(box, vec({0.25, 5, 2, 1e9})), (Slacks{0.25, 0.75, -2}));
}

TEST(Box, SlacksAreExactDifferences) {
  const Box box(vec({0.1}), vec({0.3}));
  EXPECT_EQ(slacks_at(box, vec({0.2})), (Slacks{0.2 - 0.1, 0.3 - 0.2}));
  EXPECT_GT(slacks_at(box, vec({std::nextafter(0.3, 0.0)}))[1], 0);
  EXPECT_EQ(slacks_at(box, vec({0.3}))[1], 0);
}

TEST(Box, AnchorIsTheMiddleAndOneStepFromASingleBound) {
  const Box box(vec({0, -kInfinity, 2, -kInfinity, 5, 0}), vec({1, 3, 2, kInfinity, kInfinity, kInfinity}));
  EXPECT_EQ(*box.closed_form_anchor(), vec({0.5, 0, 2, 0, 10, 1}));
}

TEST(Box, AnchorDoesNotOverflow) {
  constexpr double kMax = std::numeric_limits<double>::max();
  EXPECT_EQ(*Box(vec({-kMax}), vec({kMax})).closed_form_anchor(), vec({0}));
  EXPECT_EQ(*Box(vec({kMax / 2}), vec({kMax})).closed_form_anchor(), vec({0.75 * kMax}));
}

TEST(Box, NeighbouringDoublesLeaveNoRoomForAnAnchor) {
  EXPECT_FALSE(Box(vec({1}), vec({std::nextafter(1.0, 2.0)})).closed_form_anchor());
}

TEST(Simplex, HasNonNegativityAndTheSum) {
  const Simplex simplex(3, 2);
  const LinearSystem system = linear_part(simplex);
  EXPECT_EQ(names(system.inequalities()), (Names{"lower bound 0", "lower bound 1", "lower bound 2"}));
  EXPECT_EQ(names(system.equalities()), (Names{"sum"}));
  EXPECT_EQ(system.equalities()[0].bound, 2);
  EXPECT_EQ(slacks_at(simplex, vec({0.5, -1, 2.5})), (Slacks{0.5, -1, 2.5}));
  EXPECT_EQ(*simplex.closed_form_anchor(), Eigen::VectorXd::Constant(3, 2.0 / 3));
}

TEST(Simplex, OfDimensionOneIsAPoint) {
  const Simplex simplex(1, 0.3);
  EXPECT_EQ(simplex.num_inequalities(), 1u);
  EXPECT_EQ(*simplex.closed_form_anchor(), vec({0.3}));
}

TEST(CappedSimplex, HasBoundsCapsAndTheSum) {
  const CappedSimplex set(vec({0.5, 0, 2}), 1);
  const LinearSystem system = linear_part(set);
  EXPECT_EQ(names(system.inequalities()), (Names{"lower bound 0", "cap 0", "lower bound 2", "cap 2"}));
  EXPECT_EQ(names(system.equalities()), (Names{"fixed coordinate 1", "sum"}));
  EXPECT_EQ(set.upper(), vec({0.5, 0, 2}));
}

TEST(CappedSimplex, AnchorIsUniformWhereItHasRoom) {
  EXPECT_EQ(*CappedSimplex(50, 0.05).closed_form_anchor(), Eigen::VectorXd::Constant(50, 0.02));
  EXPECT_EQ(*CappedSimplex(vec({0.9, 0.4, 0.8, 0.7}), 1).closed_form_anchor(), Eigen::VectorXd::Constant(4, 0.25));
  EXPECT_EQ(*CappedSimplex(vec({1, 0, 1}), 1).closed_form_anchor(), vec({0.5, 0, 0.5}));
}

TEST(CappedSimplex, AnchorKeepsAwayFromSmallCaps) {
  const CappedSimplex set(vec({0.01, 1, 1, 0.25000001}), 1);
  const Eigen::VectorXd anchor = *set.closed_form_anchor();
  EXPECT_NEAR(anchor.sum(), 1, 1e-15);
  for (const double slack : slacks_at(set, anchor)) EXPECT_GT(slack, 0.004);
}

TEST(CappedSimplex, ACapSumEqualToTheSumIsOnePoint) {
  for (const std::size_t dim : {2u, 3u, 4u, 7u, 49u, 1000u}) {
    const CappedSimplex set(dim, 1 / static_cast<double>(dim));
    EXPECT_FALSE(set.closed_form_anchor()) << dim;
  }
}

TEST(CappedSimplex, AnchorIsInteriorForAllCaps) {
  EXPECT_TRUE(rc::check("the anchor sums to the total and is strictly inside", [] {
    const auto weights = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1000)));
    const auto n = static_cast<Eigen::Index>(weights.size());
    Eigen::VectorXd caps(n);
    for (Eigen::Index j = 0; j < n; ++j) caps[j] = weights[j] / 100.0;
    RC_PRE(caps.maxCoeff() > 0);
    const double sum = caps.sum() * (*rc::gen::inRange(1, 1000) / 1000.0);
    const CappedSimplex set(caps, sum);
    const auto anchor = set.closed_form_anchor();
    RC_ASSERT(anchor.has_value());
    RC_ASSERT(std::abs(anchor->sum() - sum) <= 1e-14 * sum * static_cast<double>(n));
    for (const double slack : slacks_at(set, *anchor)) RC_ASSERT(slack > 0);
    for (Eigen::Index j = 0; j < n; ++j) RC_ASSERT(caps[j] > 0 || (*anchor)[j] == 0);
  }));
}

}  // namespace
}  // namespace softradial::testing
