#include <gtest/gtest.h>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"

namespace softradial::test {
namespace {

class AnchorCommand : public testing::Test {
 protected:
  ChildResult run(const std::string& json, std::vector<std::string> extra = {}) {
    extra.insert(extra.begin(), {"anchor", "--set", dir_.write("set.json", json)});
    return run_softradial(extra);
  }

  TempDir dir_;
};

TEST_F(AnchorCommand, PrintsAPointAndHowItWasFound) {
  const ChildResult result = run(R"({"type": "box", "lower": [0, 2], "upper": [1, 4]})");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "0.5,3\n");
  EXPECT_EQ(result.err, "softradial: slack 0.5, found by closed_form, hull of dimension 2 in 2\n");
}

TEST_F(AnchorCommand, FindsTheHull) {
  const ChildResult result =
      run(R"({"type": "polyhedron", "A": [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1],
                                     [0, 0, -1]], "b": [0, 0, 1, 1, 1, 1]})");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("hull of dimension 2 in 3"), std::string::npos) << result.err;
}

TEST_F(AnchorCommand, ChecksAPointOfTheUser) {
  const std::string json = R"({"type": "ball", "center": [0, 0], "radius": 1})";
  const ChildResult inside = run(json, {"--anchor", dir_.write("inside.csv", "0.5,0\n")});
  EXPECT_EQ(inside.exit_code, 0);
  EXPECT_EQ(inside.out, "0.5,0\n");
  EXPECT_EQ(inside.err, "softradial: slack 0.5, found by given, hull of dimension 2 in 2\n");

  const ChildResult boundary = run(json, {"--anchor", dir_.write("boundary.csv", "1,0\n")});
  EXPECT_EQ(boundary.exit_code, 2);
  EXPECT_EQ(boundary.out, "");
  EXPECT_TRUE(boundary.err.starts_with("softradial: error: ")) << boundary.err;
}

TEST_F(AnchorCommand, AnEmptySetIsAnAnswer) {
  for (const std::string json : {R"({"type": "polyhedron", "A": [[1], [-1]], "b": [0, -1]})",
                                 R"({"type": "intersection", "sets": [{"type": "ball", "center": [0, 0], "radius": 1},
                                     {"type": "ball", "center": [3, 0], "radius": 1}]})"}) {
    const ChildResult result = run(json);
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("set.json: the set is empty: "), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  }
}

}  // namespace
}  // namespace softradial::test
