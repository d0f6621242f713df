#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "softradial/errors.hpp"
#include "softradial/set_json.hpp"
#include "softradial/sets.hpp"

namespace softradial::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Reading {
  std::string json;
  Set set;
};

// The forms of docs/set_json.md, one by one.
TEST(SetJsonRead, EveryForm) {
  const MatrixXd A = MatrixXd{{1, 0}, {0, 1}};
  const SparseMatrix sparse = A.sparseView();
  const VectorXd b = VectorXd{{1, 2}};
  const Reading readings[] = {
      {R"({"type": "simplex", "dim": 50, "sum": 1})", Simplex(50)},
      {R"({"type": "simplex", "dim": 3})", Simplex(3)},
      {R"({"type": "simplex", "dim": 3.0, "sum": 2.5})", Simplex(3, 2.5)},
      {R"({"type": "capped_simplex", "dim": 50, "cap": 0.05, "sum": 1})", CappedSimplex(50, 0.05)},
      {R"({"type": "capped_simplex", "dim": 2, "cap": [0.7, 0.8]})", CappedSimplex(VectorXd{{0.7, 0.8}})},
      {R"({"type": "capped_simplex", "cap": [0.7, 0.8], "sum": 1.25})", CappedSimplex(VectorXd{{0.7, 0.8}}, 1.25)},
      {R"({"type": "box", "lower": [0, null], "upper": [null, 1e3]})",
       Box(VectorXd{{0, -kInfinity}}, VectorXd{{kInfinity, 1000}})},
      {R"({"type": "ball", "center": [1, 2], "radius": 1})", Ball(b, 1)},
      {R"({"type": "ellipsoid", "center": [1, 2], "shape": [[1, 0], [0, 1]]})", Ellipsoid(b, A)},
      {R"({"type": "polyhedron", "A": [[1, 0], [0, 1]], "b": [1, 2]})", Polyhedron(A, b)},
      {R"({"type": "polyhedron", "A": [[1, 0], [0, 1]], "b": [1, 2], "E": [[1, 1]], "f": [0]})",
       Polyhedron(A, b, MatrixXd{{1, 1}}, VectorXd{{0}})},
      {R"({"type": "polyhedron", "E": [[1, 1]], "f": [0]})",
       Polyhedron(MatrixXd(0, 2), VectorXd(0), MatrixXd{{1, 1}}, VectorXd{{0}})},
      {R"({"type": "polyhedron", "dim": 3, "A": [], "b": []})", Polyhedron(MatrixXd(0, 3), VectorXd(0))},
      {R"({"type": "polyhedron", "A": {"rows": 2, "cols": 2, "entries": [[1, 1, 1], [0, 0, 1]]}, "b": [1, 2]})",
       Polyhedron(sparse, b)},
      // One sparse matrix makes both sparse.
      {R"({"type": "polyhedron", "A": {"rows": 2, "cols": 2, "entries": [[0, 0, 1], [1, 1, 1]]}, "b": [1, 2],
           "E": [[1, 0], [0, 1]], "f": [1, 2]})",
       Polyhedron(sparse, b, sparse, b)},
      {R"({"type": "quadratic", "P": [[1, 0], [0, 1]], "q": [1, 2], "c": 0})", Quadratic(A, b, 0)},
      {R"({"type": "second_order_cone", "M": [[1, 0], [0, 1]], "s": [1, 2], "c": [0, 0], "e": 3})",
       SecondOrderCone(A, b, VectorXd::Zero(2), 3)},
      {R"({"type": "second_order_cone", "M": [], "s": [], "c": [1, 2], "e": 0})",
       SecondOrderCone(MatrixXd(0, 2), VectorXd(0), b, 0)},
      {R"({"type": "lmi", "F": [[[1, 0], [0, 1]], [[1, 0], [0, 1]]]})", Lmi({A, A})},
      {R"({"type": "lp_ball", "center": [1, 2], "radius": 1, "p": 1.5})", LpBall(b, 1, 1.5)},
      {R"({"type": "lp_ball", "center": [1, 2], "radius": 1, "p": "inf"})", LpBall(b, 1, kInfinity)},
      {R"({"type": "log_sum_exp", "dim": 3, "bound": 2})", LogSumExp(3, 2)},
      {R"({"type": "kl_ball", "reference": [0.25, 0.75], "radius": 0.1})", KlBall(VectorXd{{0.25, 0.75}}, 0.1)},
      {R"({"type": "intersection", "sets": [{"type": "simplex", "dim": 2}, {"type": "ball", "center": [1, 2],
           "radius": 3}]})",
       Intersection({Simplex(2), Ball(b, 3)})},
      {R"({"type": "product", "sets": [{"type": "simplex", "dim": 3}, {"type": "simplex", "dim": 2}]})",
       Product({Simplex(3), Simplex(2)})},
      {R"({"type": "affine_preimage", "set": {"type": "simplex", "dim": 2}, "A": [[1, 0], [0, 1]], "b": [1, 2]})",
       AffinePreimage(Simplex(2), A, b)},
      {R"({"type": "scaled", "set": {"type": "simplex", "dim": 2}, "factor": 7})", Scaled(Simplex(2), 7)},
      {R"({"anchor": [0.2, 0.8], "dim": 2, "type": "simplex"})", Set(Simplex(2)).with_anchor(VectorXd{{0.2, 0.8}})},
      {"\xEF\xBB\xBF \r\n\t{\"type\"\n:\"simplex\",\"dim\":2}\r\n", Simplex(2)},
  };
  for (const Reading& reading : readings) EXPECT_EQ(parse_set(reading.json), reading.set) << reading.json;
}

TEST(SetJsonRead, NumbersAreReadAsTheNearestDouble) {
  const Set set = parse_set(R"({"type": "box", "lower": [0.1, -0.0, 18446744073709551617], "upper": [1, 1, null]})");
  const VectorXd& lower = dynamic_cast<const Box&>(*set).lower();
  EXPECT_EQ(lower[0], 0.1);
  EXPECT_TRUE(std::signbit(lower[1]));
  EXPECT_EQ(lower[2], 18446744073709551616.0);
}

class SetFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("softradial_set_json_" + std::to_string(::getpid()) + ".json");
};

TEST_F(SetFile, IsLoaded) {
  write(R"({"type": "simplex", "dim": 3})");
  EXPECT_EQ(load_set(path_), Set(Simplex(3)));
}

TEST_F(SetFile, IsNamedInErrors) {
  write(R"({"type": "simplex", "dim": -3})");
  try {
    (void)load_set(path_);
    FAIL() << "no error";
  } catch (const InvalidSet& error) {
    EXPECT_EQ(error.what(), path_.string() + ": dim: expected a whole number of at least 1, got -3");
  }
}

TEST_F(SetFile, ThatIsMissingOrADirectoryIsAnError) {
  for (const std::string& path : {path_.string(), path_.parent_path().string()}) {
    try {
      (void)load_set(path);
      FAIL() << "no error";
    } catch (const InvalidSet& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path + ": cannot be ")) << error.what();
    }
  }
}

}  // namespace
}  // namespace softradial::test
