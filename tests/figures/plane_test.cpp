#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "plane/plane_layer.hpp"
#include "plane/polygon.hpp"
#include "softradial/errors.hpp"
#include "softradial/set_json.hpp"
#include "softradial/sets.hpp"

namespace softradial::plane {
namespace {

struct Drawn {
  explicit Drawn(const std::string& json)
      : set(parse_set(json)), anchor(require_anchor(set)), view(view_of(set, anchor)) {}
  Set set;
  Anchor anchor;
  PlaneView view;
};

const std::string kTriangle = R"({"type": "polyhedron", "A": [[-1, 0], [0, -1], [1, 1]], "b": [0.8, 0.8, 0.9]})";
const std::string kAssets = R"({"type": "capped_simplex", "dim": 3, "cap": 0.6})";

TEST(Plane, TheBoundaryOfABallIsACircle) {
  const Drawn ball(R"({"type": "ball", "center": [1, 2], "radius": 3})");
  const auto edge = boundary(ball.set, ball.anchor, ball.view, 100);
  EXPECT_GT(edge.size(), 60U);
  for (const Vector2d& p : edge) EXPECT_NEAR((p - Vector2d(1, 2)).norm(), 3, 1e-9);
}

TEST(Plane, TheBoundaryOfATriangleHasItsCornersAndNothingInside) {
  const Drawn triangle(kTriangle);
  const auto edge = boundary(triangle.set, triangle.anchor, triangle.view, 100);
  for (const Vector2d& corner : {Vector2d(-0.8, -0.8), Vector2d(1.7, -0.8), Vector2d(-0.8, 1.7)}) {
    const auto distance = [&](const Vector2d& p) { return (p - corner).norm(); };
    const auto nearest =
        std::ranges::min_element(edge, [&](const Vector2d& a, const Vector2d& b) { return distance(a) < distance(b); });
    EXPECT_LT(distance(*nearest), 1e-3);
  }
  for (const Vector2d& p : edge) {
    EXPECT_NEAR(std::min({p.x() + 0.8, p.y() + 0.8, 0.9 - p.x() - p.y()}), 0, 1e-9);
  }
}

TEST(Plane, AnUnboundedSetEndsAtTheRadius) {
  const Drawn half(R"({"type": "polyhedron", "A": [[0, 1]], "b": [1], "anchor": [0, 0]})");
  for (const Vector2d& p : boundary(half.set, half.anchor, half.view, 50)) {
    EXPECT_TRUE(std::abs(p.y() - 1) < 1e-9 || std::abs(p.norm() - 50) < 1e-6);
  }
}

TEST(Plane, TheWeightsOfThreeAssetsAreDrawnInTheirPlane) {
  const Drawn assets(kAssets);
  EXPECT_TRUE((assets.view.basis.transpose() * assets.view.basis).isIdentity(1e-12));
  const Vector2d p(0.3, -0.2);
  const Eigen::VectorXd lifted = assets.view.lifted(p);
  EXPECT_NEAR(lifted.sum(), 1, 1e-12);
  EXPECT_TRUE(assets.view.flattened(lifted).isApprox(p, 1e-12));
  // The third asset is up, the second to the right.
  EXPECT_GT(assets.view.basis(2, 1), 0);
  EXPECT_GT(assets.view.basis(1, 0), 0);
  EXPECT_LT(assets.view.basis(0, 0), 0);
}

TEST(Plane, OtherSetsAreRefused) {
  EXPECT_THROW(Drawn(R"({"type": "box", "lower": [0, 0, 0], "upper": [1, 1, 1]})"), InvalidSet);
  EXPECT_THROW(Drawn(R"({"type": "simplex", "dim": 4})"), InvalidSet);
  const Drawn triangle(kTriangle);
  const LayerPtr<double> wide = make_layer<double>(triangle.set, RayScalar{});
  EXPECT_THROW(PlaneLayer(*wide, triangle.view), InvalidSet);
}

TEST(Plane, TheJacobianIsThatOfDifferences) {
  for (const std::string& json : {kTriangle, kAssets}) {
    const Drawn drawn(json);
    const LayerPtr<double> made = make_layer<double>(drawn.set, SoftRadial{});
    const PlaneLayer layer(*made, drawn.view);
    const Vector2d u(0.9, 0.4);
    constexpr double kStep = 1e-6;
    Eigen::Matrix2d expected;
    for (int k = 0; k < 2; ++k) {
      const Vector2d ends[] = {u + kStep * Vector2d::Unit(k), u - kStep * Vector2d::Unit(k)};
      const auto x = layer.project(ends);
      expected.col(k) = (x[0] - x[1]) / (2 * kStep);
    }
    EXPECT_TRUE(layer.jacobian(u).isApprox(expected, 1e-6)) << json;
  }
}

TEST(Plane, DescentBehindACornerStallsOnlyForTheOrthogonalProjection) {
  const Drawn triangle(kTriangle);
  const Vector2d start(-1.7, -1.3);
  const Vector2d target(0.2, -0.3);
  const auto run = [&](const LayerMethod& method) {
    const LayerPtr<double> layer = make_layer<double>(triangle.set, method);
    return descend(PlaneLayer(*layer, triangle.view), start, target, 0.5, 200);
  };
  const Descent stalled = run(Orthogonal{});
  EXPECT_EQ(stalled.u.back(), start);
  EXPECT_TRUE(stalled.x.back().isApprox(Vector2d(-0.8, -0.8), 1e-9));
  const Descent arrived = run(SoftRadial{});
  EXPECT_EQ(arrived.u.size(), 201U);
  EXPECT_EQ(arrived.loss.size(), 201U);
  EXPECT_LT((arrived.x.back() - target).norm(), 1e-2);
  EXPECT_NEAR(arrived.loss.front(), (arrived.x.front() - target).squaredNorm() / 2, 1e-15);
}

TEST(Plane, APolygonIsTheHullOfItsPoints) {
  // A square, counter-clockwise from below left, with points inside, on an edge and twice.
  const Vector2d points[] = {{1, 1}, {0, 0}, {0.3, 0.4}, {1, 0}, {0.5, 0}, {0, 1}, {1, 1}};
  EXPECT_EQ(polygon(points), Set(Polyhedron((Eigen::MatrixXd(4, 2) << 0, -1, 1, 0, 0, 1, -1, 0).finished(),
                                            Eigen::Vector4d(0, 1, 1, 0))));
}

TEST(Plane, PointsOnOneLineAreNoPolygon) {
  const Vector2d line[] = {{0, 0}, {1, 1}, {2, 2}, {-3, -3}};
  EXPECT_THROW((void)polygon(line), InvalidSet);
  EXPECT_THROW((void)polygon(std::span(line).first(2)), InvalidSet);
  EXPECT_THROW((void)polygon({}), InvalidSet);
}

}  // namespace
}  // namespace softradial::plane
