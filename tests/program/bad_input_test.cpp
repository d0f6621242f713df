#include <gtest/gtest.h>

#include <algorithm>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"

namespace softradial::test {
namespace {

// One line on stderr, exit code 2, nothing on stdout; the line starts with `error` after the common prefix, in which
// "@" stands for the directory of the test.
void expect_refused(const TempDir& dir, const Arguments& arguments, std::string_view input, std::string error) {
  if (const std::size_t at = error.find('@'); at != std::string::npos) error.replace(at, 1, dir.path(""));
  const ChildResult result = run_softradial(arguments, input);
  std::string what = "softradial";
  for (const std::string& argument : arguments) what += ' ' + argument;
  EXPECT_EQ(result.exit_code, 2) << what << '\n' << result.err;
  EXPECT_EQ(result.out, "") << what;
  EXPECT_TRUE(result.err.starts_with("softradial: error: " + error)) << what << '\n' << result.err;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << what << '\n' << result.err;
  EXPECT_TRUE(result.err.ends_with('\n')) << what;
}

TEST(BadInput, CommandLines) {
  const TempDir dir;
  const std::string set = dir.write("set.json", R"({"type": "simplex", "dim": 2})");
  struct Case {
    Arguments arguments;
    std::string error;
  };
  const Case cases[] = {
      {{}, "no command: see softradial --help"},
      {{"projekt"}, "unknown command \"projekt\": did you mean project?"},
      {{"colour"}, "unknown command \"colour\": see softradial --help"},
      {{"project", "--set", set, "--thread", "1"}, "unknown option --thread: did you mean --threads?"},
      {{"project", "--set", set, "--threads", "-1"}, "--threads -1: expected a whole number from 1 to 1024"},
      {{"project", "--set", set, "--threads", "1.5"}, "--threads 1.5: expected a whole number from 1 to 1024"},
      {{"project", "--set", set, "--threads", "2x"}, "--threads 2x: expected a whole number from 1 to 1024"},
      {{"project", "--set", set, "--lambda", "1e400"}, "--lambda 1e400: is beyond the range of a double"},
      {{"project", "--set", set, "--lambda", "1 "}, "--lambda 1 : expected a number"},
      {{"project", "--set", set, "--lambda", ""}, ""},
      {{"project", "--set", set, "--method", "ortogonal"}, "--method: ortogonal not in "},
      {{"compare", "--method", "magic"}, "--method: magic not in "},
      {{"project"}, "--set is required"},
      {{"anchor"}, "--set is required"},
      {{"check"}, "--set is required"},
      {{"project", "--set", set, "--frobnicate"}, "unknown option --frobnicate: see softradial project --help"},
      {{"project", "--set", set, "stray"}, "unexpected word \"stray\": see softradial project --help"},
      {{"project", "--set", dir.write("limits.toml", "cap = 0.5\n")},
       "@limits.toml: limits by name need the columns of data"},
      {{"project", "--set"}, ""},
      {{"project", "--set", dir.path("missing.json")}, "@missing.json: cannot be opened: No such file or directory"},
      {{"project", "--set", set, "--method", "magic"},
       "--method: magic not in "
       "{soft_radial,hard_radial,gauge_map,soft_orthogonal,mirror,softmax,orthogonal,dc3,hardnet,hardnet_aff,hardnet_"
       "cvx,"
       "rayen,ray_scalar,hop,hp,soft_penalty}"},
      {{"project", "--set", set, "--contraction", "cubic"}, "--contraction: cubic not in "},
      {{"project", "--set", set, "--dtype", "f16"}, "--dtype: f16 not in {f32,f64}"},
      {{"project", "--set", set, "--lambda", "0"}, ""},
      {{"project", "--set", set, "--lambda", "-1"}, ""},
      {{"project", "--set", set, "--lambda", "nan"}, ""},
      {{"project", "--set", set, "--lambda", "inf"}, ""},
      {{"project", "--set", set, "--lambda", "one"}, ""},
      {{"project", "--set", set, "--method", "gauge_map", "--lambda", "0"}, ""},
      {{"project", "--set", set, "--epsilon", "0"}, ""},
      {{"project", "--set", set, "--epsilon", "1"}, ""},
      {{"project", "--set", set, "--epsilon", "-0.5"}, ""},
      {{"project", "--set", set, "--epsilon", "nan"}, ""},
      {{"project", "--set", set, "--threads", "0"}, ""},
      {{"project", "--set", set, "--threads", "1000000"}, ""},
      {{"project", "--set", set, "--inverse", "--log-det"}, "--vjp, --jvp, --inverse, --log-det and --slack exclude "},
      {{"project", "--set", set, "--vjp", set, "--inverse"}, "--vjp, "},
      {{"project", "--set", set, "--vjp", set, "--jvp", set}, "--vjp, "},
      {{"project", "--set", set, "--vjp", dir.path("missing.csv")}, "@missing.csv: cannot be opened: "},
      {{"project", "--set", set, "--anchor", dir.path("missing.csv")}, "@missing.csv: cannot be opened: "},
      {{"check", "--set", set, "--tolerance", "-1"}, "--tolerance -1: expected a number of at least 0"},
      {{"check", "--set", set, "--tolerance", "nan"}, "--tolerance nan: expected a number of at least 0"},
  };
  for (const Case& c : cases) expect_refused(dir, c.arguments, "0.5,0.5\n", c.error);
}

// The same for all three commands: what the set is refused for is named with file, place and value.
TEST(BadInput, Sets) {
  const TempDir dir;
  struct Case {
    std::string json;
    std::string error;
  };
  const Case cases[] = {
      {"", "@set.json: line 1, column 1: "},
      {"{", "@set.json: line 1, column "},
      {"[1, 2]", "@set.json: expected an object, got [1,2]"},
      {R"({"type": "sphere"})", "@set.json: type: unknown set type \"sphere\""},
      {R"({"type": "simplex", "dim": -3})", "@set.json: dim: expected a whole number of at least 1, got -3"},
      {R"({"type": "simplex", "dim": 1000000000000000})", "@set.json: dim: expected at most "},
      {R"({"type": "simplex", "dim": 2, "names": ["A"]})", "@set.json: names: expected 2 names, got 1"},
      {R"({"type": "simplex", "dim": 2, "names": ["A", "A"]})", "@set.json: names[1]: the name \"A\" is given twice"},
      {R"({"type": "simplex", "dim": 2, "names": ["A", ""]})", "@set.json: names[1]: is empty"},
      {R"({"type": "simplex", "dim": 2, "names": ["A", 3]})", "@set.json: names[1]: expected a string, got 3"},
      {R"({"type": "simplex", "dim": 2, "names": "AB"})", "@set.json: names: expected a list, got \"AB\""},
      {R"({"type": "intersection", "sets": [{"type": "simplex", "dim": 2, "names": ["A", "B"]}]})",
       "@set.json: sets[0]: unknown key \"names\""},
      {R"({"type": "simplex", "dim": 2.5})", "@set.json: dim: expected a whole number of at least 1, got 2.5"},
      {R"({"type": "box", "lower": [0, NaN], "upper": [1, 1]})", "@set.json: line 1, column 30: "},
      {R"({"type": "box", "lower": [0, 1e999], "upper": [1, 1]})", "@set.json: lower[1]: the number \"1e999\""},
      {R"({"type": "box", "lower": [0, 0.5], "upper": [1, 0.25]})", "@set.json: box: lower bound 1 is 0.5, above "},
      {R"({"type": "capped_simplex", "dim": 3, "cap": 0.3})", "@set.json: capped_simplex: "},
      {R"({"type": "quadratic", "P": [[1, 0], [0, -1]], "q": [0, 0], "c": -1})", "@set.json: quadratic: "},
      {R"({"type": "polyhedron", "A": [[1, 0], [0]], "b": [1, 1]})",
       "@set.json: A[1]: expected 2 numbers as in the first row, got 1"},
      {R"({"type": "polyhedron", "A": [[1, 0]], "b": [1, 1]})", "@set.json: polyhedron: "},
      {std::string(100'000, '['), "@set.json: "},
  };
  for (const Case& c : cases) {
    const std::string set = dir.write("set.json", c.json);
    for (const std::string command : {"project", "anchor", "check"}) {
      expect_refused(dir, {command, "--set", set}, "0.5,0.5\n", c.error);
    }
  }
}

TEST(BadInput, Anchors) {
  const TempDir dir;
  const std::string set = dir.write("set.json", R"({"type": "box", "lower": [0, 0], "upper": [1, 1]})");
  struct Case {
    std::string csv;
    std::string error;
  };
  const Case cases[] = {
      {"1,0.5\n", "@anchor.csv: "},
      {"2,0.5\n", "@anchor.csv: "},
      {"nan,0.5\n", "@anchor.csv: "},
      {"0.5\n", "@anchor.csv: line 1: expected 2 numbers, got 1"},
      {"0.5,0.5,0.5\n", "@anchor.csv: line 1: expected 2 numbers, got 3"},
      {"0.5,0.5\n0.5,0.5\n", "@anchor.csv: line 2: expected a single row"},
      {"", "@anchor.csv: expected one row of 2 numbers, got none"},
      {"0.5,x\n", "@anchor.csv: line 1, column 2: \"x\" is not a number"},
  };
  for (const Case& c : cases) {
    const std::string anchor = dir.write("anchor.csv", c.csv);
    for (const std::string command : {"project", "anchor"}) {
      expect_refused(dir, {command, "--set", set, "--anchor", anchor}, "0.5,0.5\n", c.error);
    }
  }
  const std::string own = dir.write("own.json", R"({"type": "box", "lower": [0], "upper": [1], "anchor": [1]})");
  expect_refused(dir, {"project", "--set", own}, "0.5\n", "@own.json: ");
}

TEST(BadInput, EmptySetsCannotBeProjectedOnto) {
  const TempDir dir;
  const std::string set = dir.write("set.json", R"({"type": "polyhedron", "A": [[1], [-1]], "b": [0, -1]})");
  expect_refused(dir, {"project", "--set", set}, "0.5\n", "@set.json: ");
}

TEST(BadInput, Rows) {
  const TempDir dir;
  const std::string set = dir.write("set.json", R"({"type": "simplex", "dim": 2})");
  const std::string grads = dir.write("grads.csv", "1,2\n3,4\n");
  struct Case {
    Arguments extra;
    std::string input;
    std::string error;
  };
  const Case cases[] = {
      {{}, "1,2\n3\n", "stdin: line 2: expected 2 numbers, got 1"},
      {{}, "1,2\n3,4,5\n", "stdin: line 2: expected 2 numbers, got 3"},
      {{}, "1,2\nx,4\n", "stdin: line 2, column 1: \"x\" is not a number"},
      {{}, "1,2\n\n3,4\n", "stdin: line 2: is empty"},
      {{}, "1,2\n1e999,4\n", "stdin: line 2, column 1: \"1e999\" is beyond the range of f64"},
      {{"--dtype", "f32"}, "1,2\n1e39,4\n", "stdin: line 2, column 1: \"1e39\" is beyond the range of f32"},
      {{"--check-finite"}, "1,2\n3,nan\n", "stdin: line 2, column 2: \"nan\" is not finite"},
      {{"--check-finite", "--dtype", "f32"}, "1,2\ninf,0\n", "stdin: line 2, column 1: \"inf\" is not finite"},
      {{"--vjp", grads}, "1,2\n", "stdin ends after row 1, but @grads.csv has more"},
      {{"--vjp", grads}, "1,2\n3,4\n5,6\n", "@grads.csv ends after row 2, but stdin has more"},
      {{"--jvp", grads}, "", "stdin ends after row 0, but @grads.csv has more"},
      {{"--jvp", grads}, "1,2\n3,x\n", "stdin: line 2, column 2: \"x\" is not a number"},
      {{"--inverse"}, "0.5,0.5\n1.5,-0.5\n", "stdin: line 2: is not inside the set: lower bound 1 is violated by 0.5"},
      {{"--inverse"}, "0.5,0.5\n1,0\n", "stdin: line 2: is on the boundary of the set: lower bound 1 has slack 0"},
      {{"--inverse"}, "0.5,0.625\n", "stdin: line 1: is not on the affine hull of the set: sum is off by 0.125"},
      {{"--inverse"}, "0.5,0.5\nnan,0.5\n", "stdin: line 2: is not finite"},
  };
  for (const Case& c : cases) {
    Arguments arguments = {"project", "--set", set};
    arguments.insert(arguments.end(), c.extra.begin(), c.extra.end());
    expect_refused(dir, arguments, c.input, c.error);
  }
  expect_refused(dir, {"check", "--set", set}, "0.5,0.5\n0.5\n", "stdin: line 2: expected 2 numbers, got 1");
}

// An error after many blocks still leaves no output, as long as the result is under 16 MiB.
TEST(BadInput, ALateErrorLeavesNoOutput) {
  const TempDir dir;
  const std::string set = dir.write("set.json", R"({"type": "simplex", "dim": 2})");
  std::string rows;
  for (int i = 0; i < 200'000; ++i) rows += "0.1,0.9\n";
  expect_refused(dir, {"project", "--set", set}, rows + "0.1,oops\n",
                 "stdin: line 200001, column 2: \"oops\" is not a number");
}

}  // namespace
}  // namespace softradial::test
