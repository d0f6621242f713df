#include <gtest/gtest.h>

#include "set_access.hpp"
#include "softradial/sets.hpp"

namespace softradial::testing {
namespace {

TEST(Polyhedron, KeepsItsRowsAsTheyWereGiven) {
  const Polyhedron set(mat({{1, 0, -2}, {0, 0, 0}}), vec({3, 5}), mat({{1, 1, 1}}), vec({1}));
  const LinearSystem system = linear_part(set);
  ASSERT_EQ(system.inequalities()[0].entries.size(), 2u);
  EXPECT_EQ(system.inequalities()[0].entries[1].column, 2u);
  EXPECT_EQ(system.inequalities()[0].entries[1].value, -2);
  EXPECT_TRUE(system.inequalities()[1].entries.empty());
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
