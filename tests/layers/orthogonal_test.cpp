// Orthogonal projections against slow, obvious ones and against their optimality conditions.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "reference/orthogonal_projection.hpp"
#include "softradial/errors.hpp"
#include "softradial/layer.hpp"
#include "softradial/sets.hpp"
#include "softradial/violation.hpp"
#include "support/point_layer.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using support::apply;
using support::Batch;

TEST(OrthogonalSimplex, IsTheReference) {
  support::RandomPoints random(1);
  for (const std::size_t n : {1, 2, 3, 7, 16, 50, 151}) {
    for (const double scale : {1e-3, 0.1, 1.0, 100.0}) {
      const Eigen::VectorXd caps = Eigen::VectorXd::NullaryExpr(
          static_cast<Eigen::Index>(n), [&] { return (1.1 + random.uniform(0, 2)) / static_cast<double>(n); });
      const auto layer = make_layer<double>(CappedSimplex(caps), Orthogonal{});
      const Eigen::VectorXd u = scale * random.gaussian(n);
      const Eigen::VectorXd expected = reference::nearest_in_capped_simplex(u, caps, 1);
      EXPECT_LE((apply(*layer, u) - expected).cwiseAbs().maxCoeff(), 1e-13 * (1 + scale))
          << "n " << n << " scale " << scale;
    }
  }
}

TEST(OrthogonalSimplex, VerticesAndTiesAreExact) {
  const auto simplex = make_layer<double>(Simplex(3), Orthogonal{});
  EXPECT_EQ(apply(*simplex, Eigen::Vector3d(100, 0, 0)), Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(apply(*simplex, Eigen::Vector3d(5, 5, 5)), Eigen::Vector3d::Constant(1.0 / 3));
  EXPECT_EQ(apply(*simplex, Eigen::Vector3d(7, 7, -9)), Eigen::Vector3d(0.5, 0.5, 0));
  const auto capped = make_layer<double>(CappedSimplex(4, 0.5), Orthogonal{});
  EXPECT_EQ(apply(*capped, Eigen::Vector4d(9, 8, 0, -1)), Eigen::Vector4d(0.5, 0.5, 0, 0));
}

// The numbers of a row may be 10^10 caps apart. The largest hold their caps and one coordinate takes the rest, so that tau is
// one of the numbers, to far less than an ulp of them.
TEST(OrthogonalSimplex, WideRowsKeepTheirSum) {
  const auto layer =
      make_layer<float>(CappedSimplex((Eigen::VectorXd(5) << 0.4, 0.3, 0.7, 0.2, 0.05).finished()), Orthogonal{});
  support::RandomPoints random(8);
  Batch<float> u(200, 5);
  for (std::size_t i = 0; i < u.count(); ++i)
    u.set(i, std::pow(10, 5 + static_cast<double>(i % 30)) * random.gaussian(5));
  Batch<float> x(200, 5);
  layer->project(u.view(), x.rows(), {});
  for (std::size_t i = 0; i < u.count(); ++i) EXPECT_NEAR(x.get(i).sum(), 1, 1e-6) << "u = " << u.get(i).transpose();
}

// A common offset does not matter, however large.
TEST(OrthogonalSimplex, CommonOffsetsAreHarmless) {
  const auto layer = make_layer<float>(CappedSimplex(64, 0.05), Orthogonal{});
  support::RandomPoints random(2);
  Batch<float> u(1, 64);
  Batch<float> x(1, 64);
  for (const float offset : {0.0F, 1e4F, 1e6F, 1e30F}) {
    for (float& v : u[0]) v = offset + static_cast<float>(random.uniform(0, 1));
    layer->project(u.view(), x.rows(), {});
    double sum = 0;
    for (const float v : x[0]) {
      EXPECT_GE(v, 0);
      EXPECT_LE(static_cast<double>(v), 0.05);
      sum += v;
    }
    EXPECT_NEAR(sum, 1, 64 * 6e-8) << "offset " << offset;
  }
}

TEST(OrthogonalSimplex, ExtremeNumbersEndAtAVertex) {
  const auto layer = make_layer<float>(Simplex(3), Orthogonal{});
  Batch<float> u(1, 3);
  Batch<float> x(1, 3);
  u[0][0] = 3e38F;
  u[0][1] = -3e38F;
  u[0][2] = 0;
  layer->project(u.view(), x.rows(), {});
  EXPECT_EQ(x.get(0), Eigen::Vector3d(1, 0, 0));
}

// x is the projection of u if and only if x is in C and (u - x).(y - x) <= 0 for all y of C: checked on many y.
class VariationalInequality : public testing::TestWithParam<support::NamedSet> {};

TEST_P(VariationalInequality, Holds) {
  const Set& set = GetParam().set;
  const auto layer = make_layer<double>(set, Orthogonal{});
  const Projection<double> inside(set);
  auto workspace = inside.make_workspace();
  support::RandomPoints random(3);
  for (const double scale : {0.5, 3.0, 100.0}) {
    for (int trial = 0; trial < 5; ++trial) {
      const Eigen::VectorXd u = inside.anchor().point + scale * random.gaussian(set.dim());
      const Eigen::VectorXd x = apply(*layer, u);
      EXPECT_LE(ViolationMeter(set)({x.data(), set.dim()}).worst(), 1e-10 * (1 + scale));
      for (int other = 0; other < 50; ++other) {
        Batch<double> from(1, set.dim());
        Batch<double> y(1, set.dim());
        from.set(0, inside.anchor().point + std::pow(10, random.uniform(-1, 3)) * random.gaussian(set.dim()));
        inside.project(from.view(), y.rows(), workspace);
        const double product = (u - x).dot(y.get(0) - x);
        EXPECT_LE(product, 1e-9 * (1 + (u - x).norm()) * (1 + (y.get(0) - x).norm()));
      }
    }
  }
}

// The members of the zoo that have an orthogonal projection.
std::vector<support::NamedSet> projectable() {
  std::vector<support::NamedSet> zoo = support::set_zoo();
  std::erase_if(zoo, [](const support::NamedSet& named) {
    try {
      static_cast<void>(make_layer<double>(named.set, Orthogonal{}));
      return false;
    } catch (const InvalidSet&) {
      return true;
    }
  });
  return zoo;
}

INSTANTIATE_TEST_SUITE_P(Zoo, VariationalInequality, testing::ValuesIn(projectable()), support::NameOfSet());

// The families that it is promised for are among them.
TEST(OrthogonalScope, IsOneOfFamilies) {
  std::set<std::string> types;
  for (const support::NamedSet& named : projectable()) types.insert(named.set->describe().type);
  EXPECT_GE(projectable().size(), 25U);
  EXPECT_GE(types.size(), 8U);
}

TEST(OrthogonalPolyhedron, IsTheReference) {
  support::RandomPoints random(4);
  Eigen::MatrixXd A(12, 5);
  for (Eigen::Index i = 0; i < 12; ++i) A.row(i) = random.gaussian(5).transpose();
  const Eigen::VectorXd b = Eigen::VectorXd::NullaryExpr(12, [&] { return random.uniform(0.2, 1.5); });
  const auto layer = make_layer<double>(Polyhedron(A, b), Orthogonal{});
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::VectorXd u = 3 * random.gaussian(5);
    EXPECT_LE((apply(*layer, u) - reference::nearest_in_polyhedron(u, A, b)).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST(OrthogonalPolyhedron, DegenerateVerticesAreFound) {
  // Four planes through one vertex of a pyramid, and one of them twice.
  Eigen::MatrixXd A(6, 3);
  A << 1, 0, 1, -1, 0, 1, 0, 1, 1, 0, -1, 1, 0, 0, -1, 1, 0, 1;
  Eigen::VectorXd b(6);
  b << 1, 1, 1, 1, 0, 1;
  const auto layer = make_layer<double>(Polyhedron(A, b), Orthogonal{});
  EXPECT_LE((apply(*layer, Eigen::Vector3d(0.1, -0.2, 7)) - Eigen::Vector3d(0, 0, 1)).cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace softradial
