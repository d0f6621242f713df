#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "softradial/errors.hpp"
#include "softradial/set_json.hpp"

namespace softradial::test {
namespace {

std::string error_of(const std::string& json) {
  try {
    (void)parse_set(json, "set.json");
  } catch (const InvalidSet& error) {
    return error.what();
  }
  return "";
}

struct BadSet {
  std::string json;
  std::string error;
};

// Places and values are part of the message: whole lines are compared.
TEST(SetJsonErrors, NameThePlaceAndTheValue) {
  const BadSet bad_sets[] = {
      // The document is not an object, or not of a known type.
      {"[]", R"(set.json: expected an object, got [])"},
      {"3", R"(set.json: expected an object, got 3)"},
      {"{}", R"(set.json: the key "type" is missing)"},
      {R"({"type": 7})", "set.json: type: expected a string, got 7"},
      // Keys.
      {R"({"type": "simplex"})", R"(set.json: the key "dim" is missing)"},
      {R"({"type": "simplex", "dim": 3, "Sum": 1})",
       R"(set.json: unknown key "Sum"; simplex has type, dim, sum, anchor)"},
      {R"({"type": "simplex", "dim": 3, "dim": 4})", R"(set.json: the key "dim" is given twice)"},
      {R"({"type": "product", "sets": [{"type": "simplex", "dim": 3}, {"type": "a", "type": "b"}]})",
       R"(set.json: sets[1]: the key "type" is given twice)"},
      {R"({"type": "polyhedron", "A": [[1]]})", R"(set.json: the key "b" is missing)"},
      {R"({"type": "polyhedron", "f": [1]})", R"(set.json: the key "E" is missing)"},
      {R"({"type": "polyhedron"})", R"(set.json: the key "dim" is missing)"},
      // Dimensions.
      {R"({"type": "simplex", "dim": -3})", "set.json: dim: expected a whole number of at least 1, got -3"},
      {R"({"type": "simplex", "dim": 0})", "set.json: dim: expected a whole number of at least 1, got 0"},
      {R"({"type": "simplex", "dim": 2.5})", "set.json: dim: expected a whole number of at least 1, got 2.5"},
      {R"({"type": "simplex", "dim": 1e15})", "set.json: dim: expected at most 16777216, got 1e+15"},
      {R"({"type": "simplex", "dim": 99999999999999999999})", "set.json: dim: expected at most 16777216, got 1e+20"},
      {R"({"type": "simplex", "dim": "3"})", R"(set.json: dim: expected a number, got "3")"},
      {R"({"type": "simplex", "dim": null})", "set.json: dim: expected a number, got null"},
      {R"({"type": "simplex", "dim": true})", "set.json: dim: expected a number, got true"},
      {R"({"type": "polyhedron", "dim": 3, "A": [[1, 2]], "b": [1]})",
       "set.json: dim: expected 2, the columns of the matrices, got 3"},
      {R"({"type": "capped_simplex", "dim": 3, "cap": [0.6, 0.6]})", "set.json: cap: expected 3 numbers, got 2"},
      {R"({"type": "simplex", "dim": 2, "anchor": [0.2, 0.3, 0.5]})", "set.json: anchor: expected 2 numbers, got 3"},
      // Wrong types inside.
      {R"({"type": "intersection", "sets": [{"type": "simplex", "dim": 4},
           {"type": "capped_simplex", "dim": 4, "cap": [1, 1, 1, "x"]}]})",
       R"(set.json: sets[1].cap[3]: expected a number, got "x")"},
      {R"({"type": "ball", "center": 1, "radius": 1})", "set.json: center: expected a list of numbers, got 1"},
      {R"({"type": "ball", "center": [null], "radius": 1})", "set.json: center[0]: expected a number, got null"},
      {R"({"type": "box", "lower": ["-inf"], "upper": [1]})",
       R"(set.json: lower[0]: expected a number or null, got "-inf")"},
      {R"({"type": "box", "lower": 0, "upper": 1})", "set.json: lower: expected a list of numbers, got 0"},
      {R"({"type": "lp_ball", "center": [0], "radius": 1, "p": "infinity"})",
       R"(set.json: p: expected a number or "inf", got "infinity")"},
      {R"({"type": "intersection", "sets": {}})", "set.json: sets: expected a list, got {}"},
      {R"({"type": "intersection", "sets": [1]})", "set.json: sets[0]: expected an object, got 1"},
      {R"({"type": "scaled", "set": [], "factor": 1})", "set.json: set: expected an object, got []"},
      // Matrices.
      {R"({"type": "polyhedron", "A": [[1, 2], [3]], "b": [1, 1]})",
       "set.json: A[1]: expected 2 numbers as in the first row, got 1"},
      {R"({"type": "polyhedron", "A": [[1, 2], 3], "b": [1, 1]})", "set.json: A[1]: expected a list of numbers, got 3"},
      {R"({"type": "polyhedron", "A": [[1, 2], [3, []]], "b": [1, 1]})",
       "set.json: A[1][1]: expected a number, got []"},
      {R"({"type": "polyhedron", "A": [[], []], "b": [1, 1]})", "set.json: A[0]: is an empty row"},
      {R"({"type": "lmi", "F": [[[1]], [[1, 2], [3]]]})",
       "set.json: F[1][1]: expected 2 numbers as in the first row, got 1"},
      {R"({"type": "lmi", "F": [[[1]]]})", "set.json: F: expected F[0] and a matrix for each variable, got 1"},
      // Sparse matrices.
      {R"({"type": "polyhedron", "A": {"rows": 1, "cols": 2}, "b": [1]})",
       R"(set.json: A: the key "entries" is missing)"},
      {R"({"type": "polyhedron", "A": {"rows": 1, "cols": 1e12, "entries": []}, "b": [1]})",
       "set.json: A.cols: expected at most 16777216, got 1000000000000.0"},
      {R"({"type": "polyhedron", "A": {"rows": 1, "cols": 2, "entries": [[0, 2, 1]]}, "b": [1]})",
       "set.json: A.entries[0][1]: expected an index below 2, got 2"},
      {R"({"type": "polyhedron", "A": {"rows": 1, "cols": 2, "entries": [[-1, 0, 1]]}, "b": [1]})",
       "set.json: A.entries[0][0]: expected an index below 1, got -1"},
      {R"({"type": "polyhedron", "A": {"rows": 1, "cols": 2, "entries": [[0, 0]]}, "b": [1]})",
       "set.json: A.entries[0]: expected [row, column, value], got [0,0]"},
      {R"({"type": "polyhedron", "A": {"rows": 1, "cols": 2, "entries": [[0, 0, 1], [0, 0, 1]]}, "b": [1]})",
       "set.json: A.entries[1]: the entry (0, 0) is given twice"},
      {R"({"type": "polyhedron", "A": {"rows": 1, "cols": 2, "entries": [], "nnz": 0}, "b": [1]})",
       R"(set.json: A: unknown key "nnz"; a sparse matrix has rows, cols, entries)"},
      // Numbers that no double holds.
      {R"({"type": "box", "lower": [0, -1e999], "upper": [1, 1]})",
       R"(set.json: lower[1]: the number "-1e999" is beyond the range of a double)"},
      {R"({"type": "product", "sets": [{"type": "simplex", "dim": 1e400}]})",
       R"(set.json: sets[0].dim: the number "1e400" is beyond the range of a double)"},
  };
  for (const BadSet& bad : bad_sets) EXPECT_EQ(error_of(bad.json), bad.error) << bad.json;
}

// What the sets' constructors complain about, with the place in front.
TEST(SetJsonErrors, ConstructorsAreLocated) {
  const BadSet bad_sets[] = {
      {R"({"type": "box", "lower": [0, 0, 0.5], "upper": [1, 1, 0.25]})", "set.json: box: "},
      {R"({"type": "box", "lower": [0], "upper": [1, 1]})", "set.json: box: "},
      {R"({"type": "box", "lower": [], "upper": []})", "set.json: box: "},
      {R"({"type": "capped_simplex", "dim": 3, "cap": 0.3})", "set.json: capped_simplex: "},
      {R"({"type": "capped_simplex", "cap": []})", "set.json: capped_simplex: "},
      {R"({"type": "simplex", "dim": 3, "sum": -1})", "set.json: simplex: "},
      {R"({"type": "ball", "center": [0], "radius": 0})", "set.json: ball: "},
      {R"({"type": "ball", "center": [], "radius": 1})", "set.json: ball: "},
      {R"({"type": "ellipsoid", "center": [0, 0], "shape": [[1, 0], [0, -1]]})", "set.json: ellipsoid: "},
      {R"({"type": "quadratic", "P": [[1, 2], [2, 1]], "q": [0, 0], "c": -1})", "set.json: quadratic: "},
      {R"({"type": "quadratic", "P": [], "q": [], "c": -1})", "set.json: quadratic: "},
      {R"({"type": "lmi", "F": [[[1, 0], [0, 1]], [[0, 1], [2, 0]]]})", "set.json: lmi: "},
      {R"({"type": "lmi", "F": [[], []]})", "set.json: lmi: "},
      {R"({"type": "lp_ball", "center": [0], "radius": 1, "p": 0.5})", "set.json: lp_ball: "},
      {R"({"type": "kl_ball", "reference": [0.5, 0.6], "radius": 1})", "set.json: kl_ball: "},
      {R"({"type": "polyhedron", "A": [[1, 0]], "b": [1, 2]})", "set.json: polyhedron: "},
      {R"({"type": "polyhedron", "A": [[1, 0]], "b": [1], "E": [[1]], "f": [1]})", "set.json: polyhedron: "},
      {R"({"type": "second_order_cone", "M": [[1]], "s": [1, 2], "c": [1], "e": 0})", "set.json: second_order_cone: "},
      {R"({"type": "second_order_cone", "M": [], "s": [], "c": [], "e": 0})", "set.json: second_order_cone: "},
      {R"({"type": "intersection", "sets": []})", "set.json: intersection: "},
      {R"({"type": "product", "sets": []})", "set.json: product: "},
      {R"({"type": "intersection", "sets": [{"type": "simplex", "dim": 2}, {"type": "simplex", "dim": 3}]})",
       "set.json: intersection: "},
      {R"({"type": "product", "sets": [{"type": "simplex", "dim": 2}, {"type": "ball", "center": [0], "radius": -1}]})",
       "set.json: sets[1]: ball: "},
      {R"({"type": "scaled", "set": {"type": "simplex", "dim": 2}, "factor": 0})", "set.json: scaled: "},
      {R"({"type": "scaled", "set": {"type": "simplex", "dim": 2, "sum": 0}, "factor": 1})",
       "set.json: set: simplex: "},
      {R"({"type": "affine_preimage", "set": {"type": "simplex", "dim": 2}, "A": [[1, 2]], "b": [1]})",
       "set.json: affine_preimage: "},
  };
  for (const BadSet& bad : bad_sets) {
    const std::string error = error_of(bad.json);
    EXPECT_TRUE(error.starts_with(bad.error)) << bad.json << " gives \"" << error << '"';
  }
}

TEST(SetJsonErrors, UnknownTypesListTheKnown) {
  const std::string error = error_of(R"({"type": "spehre"})");
  EXPECT_TRUE(error.starts_with(R"(set.json: type: unknown set type "spehre"; known are simplex, )")) << error;
}

TEST(SetJsonErrors, SyntaxErrorsNameLineAndColumn) {
  const BadSet bad_sets[] = {
      {"", "set.json: line 1, column 1: "},
      {"   ", "set.json: line 1, column 4: "},
      {"{\"type\": \"simplex\",\n \"dim\": }", "set.json: line 2, column 9: "},
      {"{\"type\": \"box\",\n\n\"lower\": [NaN]}", "set.json: line 3, column 11: "},
      {"{\"type\": \"box\", \"lower\": [Infinity]}", "set.json: line 1, column 27: "},
      {"{\"type\": \"simplex\", \"dim\": 3} x", "set.json: line 1, column 31: "},
      {"{\"type\": \"simplex\", \"dim\": 3", "set.json: line 1, column 29: "},
      {"{'type': 'simplex'}", "set.json: line 1, column 2: "},
      {"{\"type\": \"\xff\"}", "set.json: line 1, column 11: "},
      {std::string("\0", 1), "set.json: line 1, column 1: "},
      {"// comment\n{}", "set.json: line 1, column "},
  };
  for (const BadSet& bad : bad_sets) {
    const std::string error = error_of(bad.json);
    EXPECT_TRUE(error.starts_with(bad.error)) << bad.json << " gives \"" << error << '"';
  }
}

TEST(SetJsonErrors, DeepNestingIsAnErrorNotAStackOverflow) {
  const std::string lists(1'000'000, '[');
  EXPECT_NE(error_of(lists).find("nested deeper than 64 levels"), std::string::npos);

  std::string scaled;
  for (int i = 0; i < 1'000'000; ++i) scaled += R"({"type":"scaled","factor":1,"set":)";
  EXPECT_NE(error_of(scaled).find("nested deeper than 64 levels"), std::string::npos);

  std::string fits = R"({"type": "simplex", "dim": 2})";
  for (int i = 0; i < 63; ++i) fits = R"({"type": "scaled", "factor": 1, "set": )" + fits + "}";
  EXPECT_EQ(error_of(fits), "");
  EXPECT_NE(error_of(R"({"type": "scaled", "factor": 1, "set": )" + fits + "}"), "");
}

TEST(SetJsonErrors, AreOneShortLineWhateverTheInput) {
  const std::string garbage = std::string(100'000, 'x') + "\n\r\x01\x7f\u2028";
  const std::string escaped = std::string(100'000, 'x') + R"(\n\u0001\u2028)";
  const std::string documents[] = {
      garbage,
      '"' + garbage,
      R"({")" + escaped + R"(": 1, ")" + escaped + R"(": 2})",
      R"({"type": ")" + escaped + R"("})",
      R"({"type": "simplex", "dim": ")" + escaped + R"("})",
      R"({"type": "simplex", "dim": 2, ")" + escaped + R"(": 1})",
      R"({"type": "simplex", "dim": 1)" + std::string(100'000, '0') + "}",
  };
  for (const std::string& document : documents) {
    const std::string error = error_of(document);
    EXPECT_FALSE(error.empty());
    EXPECT_LT(error.size(), 500U) << error;
    EXPECT_TRUE(std::ranges::all_of(error, [](char c) { return c >= 0x20 && c < 0x7f; })) << error;
  }
}

}  // namespace
}  // namespace softradial::test
