#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "softradial/errors.hpp"
#include "softradial/set_json.hpp"
#include "support/set_zoo.hpp"
#include "support/specimen.hpp"

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
      {R"({"type": "simplex", "dim": 2, "anchor": [0.2, 0.3, 0.5]})", "set.json: anchor: expected 2 numbers, got 3"},
      // Wrong types inside.
      {R"({"type": "intersection", "sets": [{"type": "simplex", "dim": 4},
           {"type": "capped_simplex", "dim": 4, "cap": [1, 1, 1, "x"]}]})",
       R"(set.json: sets[1].cap[3]: expected a number, got "x")"},
      {R"({"type": "box", "lower": 0, "upper": 1})", "set.json: lower: expected a list of numbers, got 0"},
      // Matrices.
      {R"({"type": "polyhedron", "A": [[1, 2], [3]], "b": [1, 1]})",
       "set.json: A[1]: expected 2 numbers as in the first row, got 1"},
      {R"({"type": "polyhedron", "A": [[1, 2], 3], "b": [1, 1]})", "set.json: A[1]: expected a list of numbers, got 3"},
      {R"({"type": "polyhedron", "A": [[1, 2], [3, []]], "b": [1, 1]})",
       "set.json: A[1][1]: expected a number, got []"},
      {R"({"type": "polyhedron", "A": [[], []], "b": [1, 1]})", "set.json: A[0]: is an empty row"},
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

// What the readers and the constructors of each type complain about, with the place in front.
TEST(SetJsonErrors, OfEveryTypeAreLocated) {
  for (const auto& [json, message] : support::gather(&support::Specimen::bad_json)) {
    EXPECT_EQ(error_of(json), "set.json: " + message) << json;
    const std::string nested =
        error_of(R"({"type": "product", "sets": [{"type": "simplex", "dim": 1}, )" + json + "]}");
    EXPECT_TRUE(nested.starts_with("set.json: sets[1]")) << nested;
    EXPECT_TRUE(nested.ends_with(message)) << nested;
  }
}

// A misspelt key is named, in every type, beside those that the type has.
TEST(SetJsonErrors, OfEveryTypeNameUnknownKeys) {
  for (const support::Specimen& specimen : support::specimens()) {
    for (const auto& [json, set] : specimen.forms) {
      std::string misspelt = json;
      misspelt.insert(misspelt.find('{') + 1, R"("colour": 1, )");
      const std::string expected = R"(set.json: unknown key "colour"; )" + specimen.type + " has type, ";
      EXPECT_TRUE(error_of(misspelt).starts_with(expected)) << error_of(misspelt);
    }
  }
}

// A key that is renamed is refused: either it is missed, or its new name is unknown.
TEST(SetJsonErrors, OfEveryTypeRefuseRenamedKeys) {
  for (const auto& [name, set] : support::json_sets()) {
    const std::string json = to_json(set);
    const Description description = set->describe();
    for (const auto& [key, value] : description.fields) {
      const std::string quoted = '"' + key + R"(": )";
      std::string renamed = json;
      const std::size_t at = renamed.find(quoted);
      if (at == std::string::npos) continue;
      renamed.replace(at, quoted.size(), R"("colour": )");
      EXPECT_TRUE(error_of(renamed).starts_with("set.json: ")) << name << ": " << renamed;
    }
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
