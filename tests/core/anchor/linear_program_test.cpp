// The solver behind its wrapper: status, solution, signs of the multipliers, a second solve after bounds have moved.
#include "anchor/linear_program.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// minimise cost.x  subject to  A x <= b, x free
LinearProgramData below(const MatrixXd& A, const VectorXd& b, const VectorXd& cost) {
  return {.A = A.sparseView(),
          .cost = cost,
          .row_lower = VectorXd::Constant(b.size(), -kInfinity),
          .row_upper = b,
          .column_lower = VectorXd::Constant(cost.size(), -kInfinity),
          .column_upper = VectorXd::Constant(cost.size(), kInfinity)};
}

TEST(LinearProgram, SolvesAndPricesTheRows) {
  // max x + 2 y  on  x + y <= 4, y <= 3, -x <= 0: at (1, 3), worth 1 a unit of the first row and 1 of the second.
  LinearProgram program(below(MatrixXd{{1, 1}, {0, 1}, {-1, 0}}, VectorXd{{4, 3, 0}}, VectorXd{{-1, -2}}));
  const LinearProgramSolution solution = program.solve();
  ASSERT_EQ(solution.status, LinearProgramStatus::optimal);
  EXPECT_TRUE(solution.x.isApprox(VectorXd{{1, 3}}, 1e-9)) << solution.x.transpose();
  EXPECT_TRUE(solution.row_duals.isApprox(VectorXd{{-1, -1, 0}}, 1e-9)) << solution.row_duals.transpose();
}

TEST(LinearProgram, SolvesAgainAfterTheBoundsMoved) {
  LinearProgram program(below(MatrixXd{{1, 1}, {0, 1}, {-1, 0}}, VectorXd{{4, 3, 0}}, VectorXd{{-1, -2}}));
  (void)program.solve();
  program.set_row_upper(VectorXd{{4, 2, 0}});
  program.set_column_upper(0, 1.5);
  const LinearProgramSolution solution = program.solve();
  ASSERT_EQ(solution.status, LinearProgramStatus::optimal);
  EXPECT_TRUE(solution.x.isApprox(VectorXd{{1.5, 2}}, 1e-9)) << solution.x.transpose();
}

// max s on (e, 1).z + s <= b_0, s <= z_0, s <= z_1 + 1e6: s = 1e6 for b_0 = 1e6, and (4e5 + 1e6) / 2 for b_0 = 4e5, however small e.
TEST(LinearProgram, WhatIsCalledOptimalIsOptimal) {
  for (const double e : {1e-9, 1e-12, 1e-15, 1e-17, 1e-19, 6e-20, 1e-20}) {
    SCOPED_TRACE(e);
    LinearProgramData data =
        below(MatrixXd{{1, 1, 1}, {-1, 0, 1}, {0, -1, 1}}, VectorXd{{1e6, 0, 1e6}}, VectorXd{{0, 0, -1}});
    data.A.coeffRef(0, 0) = e;
    data.column_upper[2] = 1e6;
    LinearProgram program(data);
    for (const auto& [bound, best] : {std::pair{1e6, 1e6}, std::pair{4e5, 7e5}}) {
      program.set_row_upper(VectorXd{{bound, 0, 1e6}});
      const LinearProgramSolution solution = program.solve();
      ASSERT_EQ(solution.status, LinearProgramStatus::optimal);
      EXPECT_NEAR(solution.x[2], best, 1e-3);
    }
  }
}

TEST(LinearProgram, EqualitiesAreRowsWithBothBounds) {
  LinearProgramData data = below(MatrixXd{{1, 1}, {-1, 0}, {0, -1}}, VectorXd{{1, 0, 0}}, VectorXd{{1, 3}});
  data.row_lower[0] = 1;
  const LinearProgramSolution solution = LinearProgram(data).solve();
  ASSERT_EQ(solution.status, LinearProgramStatus::optimal);
  EXPECT_TRUE(solution.x.isApprox(VectorXd{{1, 0}}, 1e-9)) << solution.x.transpose();
}

TEST(LinearProgram, TellsInfeasibleFromUnbounded) {
  EXPECT_EQ(LinearProgram(below(MatrixXd{{1}, {-1}}, VectorXd{{0, -1}}, VectorXd{{0}})).solve().status,
            LinearProgramStatus::infeasible);
  EXPECT_EQ(LinearProgram(below(MatrixXd{{1}}, VectorXd{{0}}, VectorXd{{1}})).solve().status,
            LinearProgramStatus::unbounded);
}

}  // namespace
}  // namespace softradial
