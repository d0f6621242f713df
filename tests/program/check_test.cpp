#include <gtest/gtest.h>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"

namespace softradial::test {
namespace {

class CheckCommand : public testing::Test {
 protected:
  ChildResult run(const std::string& json, std::string_view rows, std::vector<std::string> extra = {}) {
    extra.insert(extra.begin(), {"check", "--set", dir_.write("set.json", json)});
    return run_softradial(extra, rows);
  }

  TempDir dir_;
};

const std::string kBox = R"({"type": "box", "lower": [0, 0], "upper": [1, 1]})";
const std::string kSimplex = R"({"type": "simplex", "dim": 2})";

TEST_F(CheckCommand, PrintsTheWorstViolationOfEachConstraint) {
  const ChildResult result = run(kBox, "0.5,0.25\n1.5,0.5\n0.75,2\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "constraint      worst violation         row  infeasible\n"
            "lower bound 0              -0.5           1           0\n"
            "upper bound 0               0.5           2           1\n"
            "lower bound 1             -0.25           1           0\n"
            "upper bound 1                 1           3           1\n"
            "infeasible: 2 of 3\n");
}

TEST_F(CheckCommand, TheBoundaryBelongsToTheSet) {
  EXPECT_EQ(run(kBox, "0,1\n").exit_code, 0);
  EXPECT_EQ(run(kBox, "0,1.0000000000000002\n").exit_code, 1);
  EXPECT_EQ(run(kBox, "-5e-324,1\n").exit_code, 1);
  EXPECT_EQ(run(R"({"type": "ball", "center": [0, 0], "radius": 5})", "3,4\n").exit_code, 0);
}

TEST_F(CheckCommand, NoPointsAreFeasible) {
  const ChildResult result = run(kBox, "");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "infeasible: 0 of 0\n");
}

TEST_F(CheckCommand, EqualitiesHoldUpToTheRoundingOfThePrecision) {
  // 4 roundings, 2 coordinates, terms of size 1 + 1: 16 epsilon.
  EXPECT_EQ(run(kSimplex, "0.5,0.500000000000003\n").exit_code, 0);
  EXPECT_EQ(run(kSimplex, "0.5,0.500000000000004\n").exit_code, 1);
  EXPECT_EQ(run(kSimplex, "0.5,0.500001\n").exit_code, 1);
  EXPECT_EQ(run(kSimplex, "0.5,0.500001\n", {"--dtype", "f32"}).exit_code, 0);
  EXPECT_EQ(run(kSimplex, "0.5,0.50001\n", {"--dtype", "f32"}).exit_code, 1);
}

// x + y <= 1 and -2 x - 2 y <= -2 are one equality, and have its tolerance; x <= 0.6 has none.
TEST_F(CheckCommand, AnEqualityMayBeWrittenAsTwoInequalities) {
  const std::string flat =
      R"({"type": "polyhedron", "A": [[1, 1], [-2, -2], [1, 0]], "b": [1, -2, 0.6], "anchor": [0.5, 0.5]})";
  EXPECT_EQ(run(flat, "0.5,0.500000000000001\n0.5,0.499999999999999\n").exit_code, 0);
  EXPECT_EQ(run(flat, "0.5,0.500001\n").exit_code, 1);
  EXPECT_EQ(run(flat, "0.6000000000000001,0.4\n").exit_code, 1);
}

// x + y + z <= 1, x + y >= 0.6 and z >= 0.4 hold with equality, all three.
TEST_F(CheckCommand, AnEqualityMayFollowFromManyInequalities) {
  const std::string flat =
      R"({"type": "polyhedron", "A": [[1, 1, 1], [-1, -1, 0], [0, 0, -1], [1, 0, 0]], "b": [1, -0.6, -0.4, 0.5]})";
  EXPECT_EQ(run(flat, "0.1,0.5000000000000001,0.4\n0.1,0.4999999999999999,0.4000000000000001\n").exit_code, 0);
  EXPECT_EQ(run(flat, "0.1,0.500001,0.4\n").exit_code, 1);
  EXPECT_EQ(run(flat, "0.5000000000000001,0.1,0.4\n").exit_code, 1);
}

TEST_F(CheckCommand, TheToleranceOfTheUserHoldsForAll) {
  EXPECT_EQ(run(kSimplex, "0.5,0.501\n", {"--tolerance", "0.01"}).exit_code, 0);
  EXPECT_EQ(run(kSimplex, "0.5,0.501\n", {"--tolerance", "0.0001"}).exit_code, 1);
  EXPECT_EQ(run(kBox, "-0.001,1.001\n", {"--tolerance", "0.01"}).exit_code, 0);
  EXPECT_EQ(run(kBox, "-0.001,1.001\n", {"--tolerance", "0"}).exit_code, 1);
}

// A cap of 0.05 stays the double 0.05 for rows in f32: the float next to it is above.
TEST_F(CheckCommand, ReadsRowsInThePrecisionTheyWereComputedIn) {
  const std::string json = R"({"type": "box", "lower": [0], "upper": [0.05]})";
  EXPECT_EQ(run(json, "0.05\n").exit_code, 0);
  EXPECT_EQ(run(json, "0.05\n", {"--dtype", "f32"}).exit_code, 1);
  EXPECT_EQ(run(json, "0.049999997\n", {"--dtype", "f32"}).exit_code, 0);
}

TEST_F(CheckCommand, NanIsInfeasible) {
  const ChildResult result = run(kBox, "0.5,0.5\nnan,0.5\n0.5,7\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("upper bound 0               nan           2           1\n"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("infeasible: 2 of 3\n"), std::string::npos) << result.out;
}

TEST_F(CheckCommand, ManyConstraintsAreSummedUp) {
  std::string zeros = "0";
  for (int i = 1; i < 100; ++i) zeros += ",0";
  const ChildResult result = run(R"({"type": "simplex", "dim": 100})", zeros + "\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(result.out.starts_with("constraint ")) << result.out;
  // The violated equality comes first, then 19 of the 100 bounds.
  EXPECT_NE(result.out.find("infeasible\nsum "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("... and 81 more constraints, 0 of them violated\ninfeasible: 1 of 1\n"), std::string::npos)
      << result.out;
}

TEST_F(CheckCommand, PartsAreNamed) {
  const ChildResult result = run(
      R"({"type": "product", "sets": [{"type": "ball", "center": [0], "radius": 1}, )" + kBox + "]}", "2,0.5,0.5\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("sets[0]: ball"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("sets[1]: upper bound 1"), std::string::npos) << result.out;
}

// Constraints of one coordinate are called by its name; those of a product by the names of its own block.
TEST(Check, NamesStandInThePlaceOfIndices) {
  const TempDir dir;
  const std::string set = dir.write("set.json", R"({"type": "product", "sets": [{"type": "simplex", "dim": 2},
        {"type": "capped_simplex", "dim": 2, "cap": 0.75}], "names": ["AAPL", "MSFT", "XOM", "JPM"]})");
  const ChildResult result = run_softradial({"check", "--set", set}, "0.5,0.5,0.8,0.2\n");
  EXPECT_EQ(result.exit_code, 1);
  for (const char* name :
       {"sets[0]: lower bound AAPL ", "sets[0]: lower bound MSFT ", "sets[1]: cap XOM ", "sets[1]: cap JPM "}) {
    EXPECT_NE(result.out.find(name), std::string::npos) << result.out;
  }
  const ChildResult inverse = run_softradial({"project", "--set", set, "--inverse"}, "0.5,0.5,0.8,0.2\n");
  EXPECT_NE(inverse.err.find("cap XOM is violated by 0.05"), std::string::npos) << inverse.err;
}

}  // namespace
}  // namespace softradial::test
