#include "softradial/sets/combinators.hpp"

#include <gtest/gtest.h>

#include "set_access.hpp"
#include "softradial/errors.hpp"
#include "softradial/sets/cones.hpp"
#include "softradial/sets/coordinates.hpp"
#include "softradial/sets/polyhedra.hpp"
#include "softradial/sets/quadratics.hpp"

namespace softradial::testing {
namespace {

using Names = std::vector<std::string>;
using Slacks = std::vector<double>;

TEST(Intersection, ListsTheInequalitiesOfItsParts) {
  const Intersection set({Simplex(2), Ball(vec({0.5, 0.5}), 0.5), Box(vec({0, 0}), vec({1, 1}))});
  EXPECT_EQ(set.dim(), 2u);
  EXPECT_EQ(set.num_inequalities(), 7u);
  EXPECT_EQ(set.inequality_name(1), "sets[0]: lower bound 1");
  EXPECT_EQ(set.inequality_name(2), "sets[1]: ball");
  EXPECT_EQ(set.inequality_name(6), "sets[2]: upper bound 1");
  EXPECT_EQ(slacks_at(set, vec({0.5, 0.25})), (Slacks{0.5, 0.25, 0.25, 0.5, 0.5, 0.25, 0.75}));
}

TEST(Intersection, IsLinearIfAllItsPartsAre) {
  LinearSystem system(2);
  EXPECT_FALSE(Intersection({Simplex(2), Ball(vec({0, 0}), 1)}).append_linear(system));
  EXPECT_EQ(names(system.inequalities()), (Names{"sets[0]: lower bound 0", "sets[0]: lower bound 1"}));
  EXPECT_EQ(names(system.equalities()), (Names{"sets[0]: sum"}));
  EXPECT_TRUE(Intersection({Simplex(2), Box(vec({0, 0}), vec({1, 1}))}).append_linear(system));
}

TEST(Product, StacksItsBlocks) {
  const Product set({Simplex(2), Ball(vec({3}), 2), Box(vec({0}), vec({1}))});
  EXPECT_EQ(set.dim(), 4u);
  EXPECT_EQ(slacks_at(set, vec({0.5, 0.25, 4, 0.75})), (Slacks{0.5, 0.25, 1, 0.75, 0.25}));
  EXPECT_EQ(set.inequality_name(3), "sets[2]: lower bound 0");
  const LinearSystem system = linear_part(set);
  EXPECT_EQ(system.inequalities().at(2).name, "sets[2]: lower bound 0");
  EXPECT_EQ(system.inequalities().at(2).entries.at(0).column, 3u);
  EXPECT_EQ(*set.closed_form_anchor(), vec({0.5, 0.5, 3, 0.5}));
}

TEST(Product, TakesTheAnchorsThatItsPartsCarry) {
  const Set carrying = Set(Simplex(2)).with_anchor(vec({0.25, 0.75}));
  EXPECT_EQ(*Product({carrying, Ball(vec({3}), 2)}).closed_form_anchor(), vec({0.25, 0.75, 3}));
  EXPECT_THROW((void)Product({Set(Simplex(2)).with_anchor(vec({1}))}).closed_form_anchor(), ShapeError);
  const SecondOrderCone cone(mat({{1, 0}}), vec({0}), vec({0, 1}), 0);
  EXPECT_FALSE(Product({carrying, cone}).closed_form_anchor());
}

TEST(AffinePreimage, PullsPointsAndRowsBack) {
  const AffinePreimage set(Box(vec({0, 0}), vec({1, 1})), mat({{1, 1, 0}, {0, 2, -1}}), vec({0.5, -0.5}));
  EXPECT_EQ(set.dim(), 3u);
  const Eigen::VectorXd x = vec({0.25, 0.125, 0.5});  // A x + b = (0.875, -0.75)
  EXPECT_EQ(slacks_at(set, x), (Slacks{0.875, 0.125, -0.75, 1.75}));
  EXPECT_EQ(set.inequality_name(3), "upper bound 1");
  const LinearSystem system = linear_part(set);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(residual(system.inequalities()[i], x.data()), slacks_at(set, x)[i]);
}

TEST(Scaled, MeasuresSlackInItsOwnUnits) {
  const Scaled set(Ball(vec({1, 0}), 2), 4);  // the ball of radius 8 around (4, 0)
  EXPECT_EQ(slack_at(set, vec({4, 5})), 3);
  EXPECT_EQ(*set.closed_form_anchor(), vec({4, 0}));
}

TEST(Scaled, ScalesTheBoundsOfRows) {
  const Scaled set(CappedSimplex(3, 0.5), 10);
  const LinearSystem system = linear_part(set);
  EXPECT_EQ(system.inequalities()[1].bound, 5);
  EXPECT_EQ(system.equalities()[0].bound, 10);
  const Slacks slacks = slacks_at(set, vec({2, 4, 6}));
  const Slacks expected{2, 3, 4, 1, 6, -1};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(slacks[i], expected[i]);
}

TEST(Scaled, TakesTheAnchorThatItsSetCarries) {
  EXPECT_EQ(*Scaled(Set(Simplex(2)).with_anchor(vec({0.25, 0.75})), 8).closed_form_anchor(), vec({2, 6}));
}

}  // namespace
}  // namespace softradial::testing
