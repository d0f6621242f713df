#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <sstream>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"
#include "softradial/softradial.hpp"

namespace softradial::test {
namespace {

constexpr std::size_t kDim = 5;
constexpr std::size_t kRows = 300;
const std::string kSetJson = R"({"type": "capped_simplex", "dim": 5, "cap": 0.3})";

// Exactly the numbers that the program printed.
template <class T>
std::vector<T> numbers(const std::string& csv) {
  std::vector<T> values;
  std::stringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
      values.push_back(std::is_same_v<T, float> ? static_cast<T>(std::strtof(cell.c_str(), nullptr))
                                                : static_cast<T>(std::strtod(cell.c_str(), nullptr)));
    }
  }
  return values;
}

template <class T>
std::string csv_of(const std::vector<T>& values, std::size_t dim) {
  std::ostringstream text;
  text.precision(std::numeric_limits<T>::max_digits10);
  for (std::size_t i = 0; i < values.size(); ++i) text << values[i] << ((i + 1) % dim == 0 ? '\n' : ',');
  return text.str();
}

// Points of all sizes from 10^-3 to 10^6.
template <class T>
std::vector<T> random_rows(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> values(kRows * kDim);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(normal(random) * std::pow(10.0, static_cast<double>(i / kDim % 10) - 3));
  }
  return values;
}

template <class T>
class ProjectCommand : public testing::Test {
 protected:
  std::vector<T> run(std::vector<std::string> arguments, const std::vector<T>& input) {
    arguments.insert(arguments.begin(), {"project", "--set", set_file_, "--dtype", kDtype});
    const ChildResult result = run_softradial(arguments, csv_of(input, kDim));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return numbers<T>(result.out);
  }

  static constexpr const char* kDtype = std::is_same_v<T, float> ? "f32" : "f64";
  TempDir dir_;
  std::string set_file_ = dir_.write("set.json", kSetJson);
  std::vector<T> u_ = random_rows<T>(1);
  std::vector<T> v_ = random_rows<T>(2);
  std::vector<T> expected_ = std::vector<T>(kRows * kDim);
  Rows<const T> u_rows_{u_.data(), kRows, kDim};
  Rows<const T> v_rows_{v_.data(), kRows, kDim};
  Rows<T> expected_rows_{expected_.data(), kRows, kDim};
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ProjectCommand, Types);

TYPED_TEST(ProjectCommand, PrintsWhatTheLibraryComputesToTheBit) {
  struct Case {
    std::vector<std::string> arguments;
    Method method;
  };
  const Case cases[] = {
      {{"--lambda", "1"}, SoftRadial{}},
      {{"--method", "soft_radial", "--contraction", "exponential", "--lambda", "2", "--epsilon", "0.1"},
       SoftRadial{Contraction::exponential, 2, 0.1}},
      {{"--contraction", "hyperbolic", "--lambda", "1"}, SoftRadial{.contraction = Contraction::hyperbolic}},
      {{"--method", "hard_radial"}, HardRadial{}},
      {{"--method", "gauge_map", "--lambda=0.5"}, GaugeMap{.lambda = 0.5}},
      {{"--threads", "2", "--lambda", "1"}, SoftRadial{}},
  };
  for (const Case& c : cases) {
    const Projection<TypeParam> projection(CappedSimplex(kDim, 0.3), c.method);
    auto workspace = projection.make_workspace();
    projection.project(this->u_rows_, this->expected_rows_, workspace);
    EXPECT_EQ(this->run(c.arguments, this->u_), this->expected_);
  }
}

TYPED_TEST(ProjectCommand, PrintsDerivatives) {
  const Projection<TypeParam> projection(CappedSimplex(kDim, 0.3), SoftRadial{});
  auto workspace = projection.make_workspace();
  const std::string second = this->dir_.write("second.csv", csv_of(this->v_, kDim));
  projection.project_vjp(this->u_rows_, this->v_rows_, this->expected_rows_, workspace);
  EXPECT_EQ(this->run({"--lambda", "1", "--vjp", second}, this->u_), this->expected_);
  projection.project_jvp(this->u_rows_, this->v_rows_, this->expected_rows_, workspace);
  EXPECT_EQ(this->run({"--lambda", "1", "--jvp", second}, this->u_), this->expected_);
}

TYPED_TEST(ProjectCommand, PrintsOneNumberARow) {
  const Projection<TypeParam> projection(CappedSimplex(kDim, 0.3), SoftRadial{});
  auto workspace = projection.make_workspace();
  std::vector<TypeParam> expected(kRows);
  projection.log_abs_det(this->u_rows_, expected, workspace);
  EXPECT_EQ(this->run({"--lambda", "1", "--log-det"}, this->u_), expected);
  projection.slack(this->u_rows_, expected, workspace);
  EXPECT_EQ(this->run({"--lambda", "1", "--slack"}, this->u_), expected);
}

TYPED_TEST(ProjectCommand, InvertsWhatItPrinted) {
  const std::vector<TypeParam> x = this->run({"--lambda", "100"}, this->u_);
  const std::vector<TypeParam> u = this->run({"--lambda", "100", "--inverse"}, x);
  ASSERT_EQ(u.size(), x.size());
  const std::vector<TypeParam> again = this->run({"--lambda", "100"}, u);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(again[i], x[i], 64 * std::numeric_limits<TypeParam>::epsilon()) << i;
  }
}

TEST(Project, TakesTheAnchorOfTheUser) {
  const TempDir dir;
  const std::string set = dir.write("set.json", R"({"type": "box", "lower": [0, 0], "upper": [1, 1]})");
  const std::string anchor = dir.write("anchor.csv", "0.25,0.75\n");
  const ChildResult result = run_softradial({"project", "--set", set, "--anchor", anchor}, "0.25,0.75\n");
  EXPECT_EQ(result.out, "0.25,0.75\n");
  EXPECT_EQ(run_softradial({"project", "--set", set, "--anchor", "auto"}, "0.5,0.5\n").out, "0.5,0.5\n");

  const std::string own = dir.write("own.json", R"({"type": "box", "lower": [0], "upper": [1], "anchor": [0.125]})");
  EXPECT_EQ(run_softradial({"project", "--set", own}, "0.125\n").out, "0.125\n");
}

TEST(Project, SearchesTheAnchorAsAsked) {
  const TempDir dir;
  const std::string set =
      dir.write("set.json", R"({"type": "polyhedron", "A": [[-1, 0], [0, -1], [1, 1]], "b": [0, 0, 1]})");
  for (const std::string search : {"chebyshev", "analytic"}) {
    const ChildResult anchor = run_softradial({"anchor", "--set", set, "--anchor", search});
    ASSERT_EQ(anchor.exit_code, 0) << anchor.err;
    const ChildResult fixed = run_softradial({"project", "--set", set, "--anchor", search}, anchor.out);
    const std::vector<double> expected = numbers<double>(anchor.out);
    const std::vector<double> found = numbers<double>(fixed.out);
    ASSERT_EQ(found.size(), expected.size()) << fixed.err;
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-15);
  }
}

// A ball of radius 0.01 with lambda = 0.01^2 is the unit ball with lambda = 1, a hundred times smaller.
TEST(Project, AutoLambdaIsInUnitsOfTheSet) {
  const TempDir folder;
  const std::string small = folder.write("small.json", R"({"type": "ball", "center": [0, 0], "radius": 0.01})");
  const std::string unit = folder.write("unit.json", R"({"type": "ball", "center": [0, 0], "radius": 1})");
  const auto of_small = run_softradial({"project", "--set", small, "--lambda", "auto"}, "0.005,0\n0.03,0.04\n");
  const auto of_unit = run_softradial({"project", "--set", unit, "--lambda", "1"}, "0.5,0\n3,4\n");
  ASSERT_EQ(of_small.exit_code, 0) << of_small.err;
  EXPECT_EQ(run_softradial({"project", "--set", small}, "0.005,0\n0.03,0.04\n").out, of_small.out);
  const auto by_option = run_softradial({"project", "--set", small, "--option", "lambda=1"}, "0.005,0\n");
  EXPECT_EQ(by_option.out, run_softradial({"project", "--set", small, "--lambda", "1"}, "0.005,0\n").out);
  EXPECT_NE(by_option.out, run_softradial({"project", "--set", small}, "0.005,0\n").out);
  const std::vector<double> x = numbers<double>(of_small.out);
  const std::vector<double> expected = numbers<double>(of_unit.out);
  ASSERT_EQ(x.size(), expected.size());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(100 * x[i], expected[i], 1e-9);
}

TEST(Project, EmptyInputIsEmptyOutput) {
  const TempDir dir;
  const std::string set = dir.write("set.json", kSetJson);
  const std::string empty = dir.write("empty.csv", "");
  for (const std::vector<std::string>& extra :
       {std::vector<std::string>{}, {"--inverse"}, {"--log-det"}, {"--slack"}, {"--vjp", empty}}) {
    std::vector<std::string> arguments = {"project", "--set", set};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    const ChildResult result = run_softradial(arguments, "");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "");
  }
}

TEST(Project, ANonFiniteRowIsNanAlone) {
  const TempDir dir;
  const std::string set = dir.write("set.json", R"({"type": "simplex", "dim": 2})");
  const ChildResult result = run_softradial({"project", "--set", set}, "0.5,0.5\nnan,1\n0.5,0.5\n1,-inf\n0.5,0.5\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "0.5,0.5\nnan,nan\n0.5,0.5\nnan,nan\n0.5,0.5\n");
}

TEST(Project, HugeInputStaysInside) {
  const TempDir dir;
  const std::string set = dir.write("set.json", kSetJson);
  const std::string u = "1e308,-1e308,1e308,0,0\n-1e300,1,1,1,1\n3e38,3e38,-3e38,0,1\n";
  for (const std::string dtype : {"f32", "f64"}) {
    const std::string rows = dtype == "f32" ? "3e38,-3e38,3e38,0,0\n-1e30,1,1,1,1\n" : u;
    for (const std::string method : {"soft_radial", "hard_radial", "gauge_map"}) {
      const ChildResult x = run_softradial({"project", "--set", set, "--dtype", dtype, "--method", method}, rows);
      const ChildResult check = run_softradial({"check", "--set", set, "--dtype", dtype}, x.out);
      EXPECT_EQ(check.exit_code, 0) << dtype << ' ' << method << '\n' << x.out << check.out;
    }
  }
}

}  // namespace
}  // namespace softradial::test
