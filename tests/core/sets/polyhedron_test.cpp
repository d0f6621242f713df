#include <gtest/gtest.h>

#include "set_access.hpp"
#include "softradial/sets/polyhedra.hpp"

namespace softradial::testing {
namespace {

using Names = std::vector<std::string>;
using Slacks = std::vector<double>;

TEST(Polyhedron, KeepsItsRowsAsTheyWereGiven) {
  const Polyhedron set(mat({{1, 0, -2}, {0, 0, 0}}), vec({3, 5}), mat({{1, 1, 1}}), vec({1}));
  const LinearSystem system = linear_part(set);
  EXPECT_EQ(names(system.inequalities()), (Names{"row 0", "row 1"}));
  EXPECT_EQ(names(system.equalities()), (Names{"equality 0"}));
  ASSERT_EQ(system.inequalities()[0].entries.size(), 2u);
  EXPECT_EQ(system.inequalities()[0].entries[1].column, 2u);
  EXPECT_EQ(system.inequalities()[0].entries[1].value, -2);
  EXPECT_TRUE(system.inequalities()[1].entries.empty());
  EXPECT_EQ(slacks_at(set, vec({1, 7, 2})), (Slacks{6, 5}));
}

TEST(Polyhedron, AZeroRowWithANegativeBoundIsAnEmptySetNotAnError) {
  EXPECT_EQ(slack_at(Polyhedron(mat({{0, 0}}), vec({-1})), vec({3, 4})), -1);
}

TEST(Polyhedron, NoRowsAtAllIsTheWholeSpace) {
  const Polyhedron set(Eigen::MatrixXd(0, 3), Eigen::VectorXd(0));
  EXPECT_EQ(set.dim(), 3u);
  EXPECT_EQ(set.num_inequalities(), 0u);
}

TEST(Polyhedron, SlacksAreRoundedOnce) {
  // 1e16 + 1 - 1e16 loses the 1 in doubles.
  const Polyhedron set(mat({{1, 1, 1}}), vec({0}));
  EXPECT_EQ(slack_at(set, vec({1e16, 1, -1e16})), -1);
}

TEST(Polyhedron, SparseAndDenseAreTheSameRows) {
  const Eigen::MatrixXd A = mat({{1, 0, -2}, {0, 3, 0}});
  const Eigen::MatrixXd E = mat({{0, 1, 1}});
  const Polyhedron dense(A, vec({3, 5}), E, vec({1}));
  const Polyhedron sparse(SparseMatrix(A.sparseView()), vec({3, 5}), SparseMatrix(E.sparseView()), vec({1}));
  const Eigen::VectorXd x = vec({0.1, 0.2, 0.3});
  EXPECT_EQ(slacks_at(dense, x), slacks_at(sparse, x));
  EXPECT_EQ(linear_part(sparse).equalities()[0].entries.size(), 2u);
}

}  // namespace
}  // namespace softradial::testing
