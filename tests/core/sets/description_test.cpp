#include "softradial/description.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "set_access.hpp"
#include "softradial/sets.hpp"
#include "support/set_zoo.hpp"

namespace softradial::testing {
namespace {

TEST(ToString, ReadsWellForEverySet) {
  for (const auto& [set, text] : support::gather(&support::Specimen::lines)) EXPECT_EQ(to_string(set), text);
}

TEST(Equality, IsThatOfTheDescriptions) {
  EXPECT_EQ(Set(Simplex(3)), Set(Simplex(3)));
  EXPECT_FALSE(Set(Simplex(3)) == Set(Simplex(4)));
  EXPECT_FALSE(Set(Simplex(3)) == Set(CappedSimplex(3, 1)));
  EXPECT_FALSE(Set(CappedSimplex(2, 1)) == Set(CappedSimplex(vec({1, 1}))));
  EXPECT_FALSE(Set(Ball(vec({0, 0}), 1)) == Set(Ball(vec({0, 0, 0}), 1)));
  const Eigen::MatrixXd A = mat({{1, 2}, {0, 1}});
  EXPECT_FALSE(Set(Polyhedron(A, vec({1, 1}))) == Set(Polyhedron(SparseMatrix(A.sparseView()), vec({1, 1}))));
}

// The specimens are built anew at each call of their families: equal data make equal sets, other data other ones.
TEST(Equality, OfTheWholeZoo) {
  std::vector<support::NamedSet> again;
  for (const auto family : {support::coordinate_specimens, support::row_specimens, support::quadratic_specimens,
                            support::cone_specimens, support::lmi_specimens, support::combinator_specimens}) {
    for (const support::Specimen& specimen : family()) {
      again.insert(again.end(), specimen.zoo.begin(), specimen.zoo.end());
    }
  }
  ASSERT_GT(again.size(), 30U);
  for (const auto& one : again) {
    for (const auto& other : support::set_zoo()) {
      EXPECT_EQ(one.set == other.set, one.name == other.name) << one.name << " and " << other.name;
    }
  }
}

TEST(Equality, RegardsTheAnchor) {
  const Set plain = Simplex(2);
  const Set carrying = plain.with_anchor(vec({0.25, 0.75}));
  EXPECT_FALSE(plain == carrying);
  EXPECT_EQ(carrying, Set(Simplex(2)).with_anchor(vec({0.25, 0.75})));
  EXPECT_FALSE(carrying == plain.with_anchor(vec({0.5, 0.5})));
  EXPECT_FALSE(carrying == plain.with_anchor(vec({0.25})));
  EXPECT_FALSE(plain.anchor().has_value());
}

TEST(Equality, OfLevelSetsIsIdentity) {
  const LevelSet half_line(
      1, [](std::span<const double> x) { return x[0]; },
      [](std::span<const double>, std::span<double> out) { out[0] = 1; });
  const Set a = half_line;
  const Set copy = a;
  const Set b = half_line;
  EXPECT_EQ(a, copy);
  EXPECT_FALSE(a == b);
  EXPECT_FALSE(a.with_anchor(vec({-1})) == b.with_anchor(vec({-1})));
  EXPECT_FALSE(Set(Intersection({a})) == Set(Intersection({b})));
}

}  // namespace
}  // namespace softradial::testing
