// lambda in units of the set: rescaling a set rescales its map.
#include "softradial/reach.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "softradial/projection.hpp"
#include "softradial/sets.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double reach_of(const Set& set) { return reach(set, require_anchor(set)); }

TEST(Reach, OfBallsBoxesAndAffineSets) {
  EXPECT_NEAR(reach_of(Ball(VectorXd::Ones(5), 0.01)), 0.01, 1e-12);
  EXPECT_NEAR(reach_of(Box(VectorXd::Constant(3, -2), VectorXd::Constant(3, 2))), 2, 1e-12);
  // {|x| <= 3, x_1 = 0}: a disc of the hull.
  const Set disc = Intersection(
      {Ball(VectorXd::Zero(3), 3), Polyhedron(MatrixXd(0, 3), VectorXd(0), MatrixXd{{1, 0, 0}}, VectorXd::Zero(1))});
  EXPECT_NEAR(reach_of(disc), 3, 1e-9);
  const Set plane = Polyhedron(MatrixXd(0, 3), VectorXd(0), MatrixXd{{1, 1, 1}}, VectorXd::Zero(1));
  EXPECT_TRUE(std::isinf(reach_of(plane)));
  EXPECT_EQ(auto_lambda(plane, require_anchor(plane)), 1);
}

// 8 to 64 axes stand for many, with the length that the hull leaves of each.
TEST(Reach, OfManyDimensionsIsThatOfFew) {
  EXPECT_NEAR(reach_of(Ball(VectorXd::Zero(1000), 3)), 3, 1e-12);
  EXPECT_NEAR(reach_of(Ball(VectorXd::Zero(1 << 19), 3)), 3, 1e-9);
  // Each axis leaves at 1 / n on one side, far away on the other.
  EXPECT_NEAR(reach_of(Simplex(100000)), std::sqrt(2) * 1e-5, 1e-8);
  EXPECT_EQ(auto_lambda(Ball(VectorXd::Zero(2), 1e-40), require_anchor(Ball(VectorXd::Zero(2), 1e-40))), 0x1p-96);
}

TEST(Reach, OfTheMethodKeepsTheAnchor) {
  const Set set = Ball(VectorXd::Zero(2), 0.1);
  ProjectionOptions options{.anchor_point = VectorXd::Constant(2, 0.05)};
  const SoftRadial method = with_auto_lambda({.epsilon = 0.1}, set, options);
  EXPECT_EQ(method.epsilon, 0.1);
  EXPECT_EQ(method.lambda, auto_lambda(set, check_anchor(set, VectorXd::Constant(2, 0.05))));
  EXPECT_EQ(options.anchor_point, VectorXd::Constant(2, 0.05));
}

class RescaledMap : public ::testing::TestWithParam<support::NamedSet> {};

// p_sC(s u) = s p_C(u)
TEST_P(RescaledMap, IsTheMapRescaled) {
  const Set& set = GetParam().set;
  const Anchor anchor = require_anchor(set);
  std::mt19937 engine(1);
  std::normal_distribution<double> draw;
  const std::size_t dim = set.dim();
  for (const double scale : {1e-3, 40.0}) {
    const Set scaled = Scaled(set, scale);
    const Anchor scaled_anchor = check_anchor(scaled, scale * anchor.point);
    const double lambda = auto_lambda(set, anchor);
    const double scaled_lambda = auto_lambda(scaled, scaled_anchor);
    if (std::isfinite(reach(set, anchor))) {
      EXPECT_NEAR(scaled_lambda, scale * scale * lambda, 1e-6 * scaled_lambda);
    }
    const Projection<double> map(set, SoftRadial{.lambda = lambda}, {.anchor_point = anchor.point});
    const Projection<double> scaled_map(scaled, SoftRadial{.lambda = scale * scale * lambda},
                                        {.anchor_point = scaled_anchor.point});
    std::vector<double> u(20 * dim);
    for (double& v : u) v = draw(engine);
    std::vector<double> scaled_u = u;
    for (double& v : scaled_u) v *= scale;
    const std::vector<double> x = map(Rows<const double>(u.data(), 20, dim));
    const std::vector<double> scaled_x = scaled_map(Rows<const double>(scaled_u.data(), 20, dim));
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(scaled_x[i], scale * x[i], 1e-6 * scale * (1 + std::abs(x[i])));
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, RescaledMap, ::testing::ValuesIn(support::set_zoo()), support::NameOfSet());

}  // namespace
}  // namespace softradial
