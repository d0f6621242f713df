#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "set_access.hpp"
#include "softradial/sets.hpp"

namespace softradial::testing {
namespace {

TEST(CappedSimplex, GivesItsCapsBack) {
  EXPECT_EQ(CappedSimplex(vec({0.5, 0, 2}), 1).upper(), vec({0.5, 0, 2}));
  EXPECT_EQ(CappedSimplex(3, 0.5).upper(), vec({0.5, 0.5, 0.5}));
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
