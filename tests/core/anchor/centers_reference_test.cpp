// Chebyshev and analytic centres of random polyhedra against an outside solver (python3-cvxopt).
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "softradial/anchor.hpp"
#include "softradial/sets.hpp"

namespace softradial {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Reference {
  bool available;
  double radius;
  VectorXd analytic;
};

Reference run_reference(const MatrixXd& A, const VectorXd& b) {
  const std::string file = ::testing::TempDir() + "softradial_centers_" + std::to_string(A.rows()) + ".txt";
  std::ofstream out(file);
  out.precision(17);
  out << A.rows() << ' ' << A.cols() << '\n';
  for (Index i = 0; i < A.rows(); ++i) out << A.row(i) << ' ' << b[i] << '\n';
  out.close();
  const std::string command =
      std::string("OMP_NUM_THREADS=1 ") + SOFTRADIAL_PYTHON + " " + SOFTRADIAL_CENTERS_SCRIPT + " < " + file;
  FILE* const pipe = popen(command.c_str(), "r");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  const int status = pclose(pipe);
  std::remove(file.c_str());
  constexpr int kNotThere = 77;
  if (WEXITSTATUS(status) == kNotThere) return {false, 0, {}};
  EXPECT_EQ(status, 0) << command;
  std::istringstream in(text);
  Reference result{true, 0, VectorXd(A.cols())};
  in >> result.radius;
  for (double& v : result.analytic) in >> v;
  return result;
}

class Centers : public ::testing::TestWithParam<std::pair<Index, Index>> {};

TEST_P(Centers, AgreeWithAnOutsideSolver) {
  const auto [n, m] = GetParam();
  std::mt19937 engine(static_cast<unsigned>(m));
  std::uniform_real_distribution<double> draw(-1, 1);
  MatrixXd A(m + 2 * n, n);
  A.topRows(m) = MatrixXd::NullaryExpr(m, n, [&] { return draw(engine); });
  A.bottomRows(2 * n) << MatrixXd::Identity(n, n), -MatrixXd::Identity(n, n);
  VectorXd b = VectorXd::NullaryExpr(m + 2 * n, [&] { return 1 + 0.5 * draw(engine); });
  b.tail(2 * n).setConstant(3);

  const Reference reference = run_reference(A, b);
  if (!reference.available) GTEST_SKIP() << "python3-cvxopt is not installed";
  const Set set = Polyhedron(A, b);
  const Anchor chebyshev = find_anchor(set, AnchorSearch::chebyshev);
  ASSERT_EQ(chebyshev.status, AnchorStatus::found) << chebyshev.reason;
  // The centre need not be unique; its radius is.
  const double radius = ((b - A * chebyshev.point).array() / A.rowwise().norm().array()).minCoeff();
  EXPECT_NEAR(radius, reference.radius, 1e-6);
  const Anchor analytic = find_anchor(set, AnchorSearch::analytic);
  ASSERT_EQ(analytic.status, AnchorStatus::found) << analytic.reason;
  EXPECT_LE((analytic.point - reference.analytic).norm(), 1e-5) << analytic.point.transpose();
}

INSTANTIATE_TEST_SUITE_P(Random, Centers,
                         ::testing::Values(std::pair<Index, Index>{2, 5}, std::pair<Index, Index>{5, 12},
                                           std::pair<Index, Index>{20, 60}));

}  // namespace
}  // namespace softradial
