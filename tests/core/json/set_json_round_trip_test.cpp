#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "softradial/errors.hpp"
#include "softradial/set_json.hpp"
#include "softradial/sets.hpp"
#include "support/set_zoo.hpp"

namespace softradial::test {
namespace {

TEST(SetJsonRoundTrip, EverySetReadsBackEqual) {
  for (const auto& [name, set] : support::json_sets()) {
    const std::string json = to_json(set);
    EXPECT_EQ(parse_set(json), set) << name << ": " << json;
    EXPECT_EQ(json.find('\n'), std::string::npos) << name;
  }
}

TEST(SetJsonRoundTrip, TextIsAFixedPoint) {
  for (const auto& [name, set] : support::json_sets())
    EXPECT_EQ(to_json(parse_set(to_json(set))), to_json(set)) << name;
}

TEST(SetJsonRoundTrip, NumbersAreTheShortestThatReadBack) {
  EXPECT_EQ(to_json(CappedSimplex(50, 0.05)), R"({"type": "capped_simplex", "dim": 50, "cap": 0.05, "sum": 1})");
  EXPECT_EQ(to_json(Box(Eigen::VectorXd{{-0.0, 0.1}}, Eigen::VectorXd{{1e300, INFINITY}})),
            R"({"type": "box", "lower": [-0.0, 0.1], "upper": [1e+300, null]})");
}

TEST(SetJsonRoundTrip, SparseAndDenseStayWhatTheyAre) {
  const Eigen::MatrixXd A = Eigen::MatrixXd{{0, 2.5}, {1, 0}};
  const Eigen::VectorXd b = Eigen::VectorXd{{1, 2}};
  EXPECT_EQ(to_json(Polyhedron(A, b)), R"({"type": "polyhedron", "A": [[0, 2.5], [1, 0]], "b": [1, 2]})");
  EXPECT_EQ(to_json(Polyhedron(SparseMatrix(A.sparseView()), b)),
            R"({"type": "polyhedron", "A": {"rows": 2, "cols": 2, "entries": [[0, 1, 2.5], [1, 0, 1]]}, "b": [1, 2]})");
}

TEST(SetJsonRoundTrip, AnyFiniteDoubleSurvives) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t bits = random();
    const auto value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) continue;
    const Set read = parse_set(to_json(Box(Eigen::VectorXd{{value}}, Eigen::VectorXd{{value}})));
    const auto& lower = dynamic_cast<const Box&>(*read).lower();
    EXPECT_EQ(std::bit_cast<std::uint64_t>(lower[0]), bits) << value;
  }
}

TEST(SetJsonRoundTrip, CallablesHaveNoJson) {
  for (const support::Specimen& specimen : support::specimens()) {
    if (specimen.has_json) continue;
    for (const auto& [name, set] : specimen.zoo) {
      EXPECT_THROW((void)to_json(set), InvalidSet) << name;
      EXPECT_THROW((void)to_json(Product({Simplex(2), set})), InvalidSet) << name;
    }
  }
}

TEST(SetJsonRoundTrip, NamesSurvive) {
  const NamedSet named{CappedSimplex(2, 0.75), {"A \"quoted\" name", "\xC3\xA9nergie"}};
  EXPECT_EQ(parse_named_set(to_json(named)), named);
  EXPECT_EQ(parse_set(to_json(named)), named.set) << "the coordinates stand in the order of the names";
  const NamedSet without{Simplex(2), {}};
  EXPECT_EQ(parse_named_set(to_json(without)), without);
  EXPECT_EQ(to_json(without), to_json(without.set));
}

}  // namespace
}  // namespace softradial::test
