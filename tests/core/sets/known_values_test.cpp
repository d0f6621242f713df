// Slacks, anchors and names of constraints that can be derived by hand, and what constructors refuse: the tables of the
// specimens.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "set_access.hpp"
#include "softradial/errors.hpp"
#include "support/specimen.hpp"

namespace softradial::testing {
namespace {

using support::gather;
using support::Specimen;

std::string at(const Set& set, const Eigen::VectorXd& x) {
  std::ostringstream text;
  text << to_string(set) << " at " << x.transpose();
  return text.str();
}

TEST(KnownValues, Slacks) {
  for (const auto& [set, x, expected, tolerance] : gather(&Specimen::slacks)) {
    SCOPED_TRACE(at(set, x));
    const std::vector<double> slacks = slacks_at(*set, x);
    ASSERT_EQ(slacks.size(), expected.size());
    for (std::size_t i = 0; i < slacks.size(); ++i) {
      if (std::isnan(expected[i])) {
        EXPECT_TRUE(std::isnan(slacks[i])) << slacks[i];
      } else if (tolerance == 0) {
        EXPECT_EQ(slacks[i], expected[i]);
      } else {
        EXPECT_NEAR(slacks[i], expected[i], tolerance * (1 + std::abs(expected[i])));
      }
    }
  }
}

TEST(KnownValues, Anchors) {
  for (const auto& [set, expected, tolerance] : gather(&Specimen::anchors)) {
    SCOPED_TRACE(to_string(set));
    const auto anchor = set->closed_form_anchor();
    ASSERT_EQ(anchor.has_value(), expected.has_value());
    if (anchor) {
      EXPECT_LE((*anchor - *expected).cwiseAbs().maxCoeff(), tolerance) << anchor->transpose();
      const LinearSystem system = linear_part(*set);
      for (const auto& equality : system.equalities()) {
        EXPECT_NEAR(residual(equality, anchor->data()), 0, 1e-15 * (1 + anchor->cwiseAbs().sum())) << equality.name;
      }
    }
  }
}

TEST(KnownValues, Constraints) {
  for (const auto& [set, inequalities, linear, equalities, all_linear] : gather(&Specimen::constraints)) {
    SCOPED_TRACE(to_string(set));
    std::vector<std::string> found;
    for (std::size_t i = 0; i < set->num_inequalities(); ++i) found.push_back(set->inequality_name(i));
    EXPECT_EQ(found, inequalities);
    LinearSystem system(set.dim());
    EXPECT_EQ(set->append_linear(system), all_linear);
    EXPECT_EQ(names(system.inequalities()), linear);
    EXPECT_EQ(names(system.equalities()), equalities);
  }
}

// A linear row's residual is the slack of the inequality that has its name.
TEST(KnownValues, LinearRowsAreTheSlacksOfTheirNames) {
  for (const auto& [set, x, expected, tolerance] : gather(&Specimen::slacks)) {
    SCOPED_TRACE(at(set, x));
    const LinearSystem system = linear_part(*set);
    for (const auto& row : system.inequalities()) {
      for (std::size_t i = 0; i < set->num_inequalities(); ++i) {
        if (set->inequality_name(i) != row.name) continue;
        EXPECT_NEAR(residual(row, x.data()), expected[i], tolerance * (1 + std::abs(expected[i])));
      }
    }
  }
}

// One line that names the field, its place and its value.
TEST(Validation, NamesTheFieldAndTheValue) {
  for (const support::BadBuild& bad : gather(&Specimen::bad_builds)) {
    try {
      bad.build();
      ADD_FAILURE() << "accepted: " << bad.message;
    } catch (const InvalidSet& error) {
      EXPECT_EQ(error.what(), bad.message);
    }
  }
}

}  // namespace
}  // namespace softradial::testing
