// Which sets a method takes, and how it says no.
#include <gtest/gtest.h>

#include "softradial/errors.hpp"
#include "softradial/layer.hpp"
#include "softradial/sets.hpp"

namespace softradial {
namespace {

Eigen::VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

std::string complaint(const Set& set, const LayerMethod& method) {
  try {
    static_cast<void>(make_layer<double>(set, method));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Scope, NamesGoBothWays) {
  for (const std::string_view name : method_names()) EXPECT_EQ(method_name(method_named(name)), name);
}

TEST(Scope, AnUnknownNameListsTheNames) {
  try {
    static_cast<void>(method_named("softmux"));
    FAIL();
  } catch (const InvalidOption& error) {
    EXPECT_NE(std::string(error.what()).find("'softmux' is unknown; there are soft_radial, hard_radial"),
              std::string::npos);
  }
}

TEST(Scope, SoftmaxTakesSimplicesOnly) {
  EXPECT_EQ(complaint(Simplex(3), Softmax{}), "");
  EXPECT_EQ(complaint(CappedSimplex(3, 0.5), Softmax{}),
            "softmax supports simplices, not a set of type capped_simplex");
}

TEST(Scope, LinearMethodsTakeLinearConstraintsOnly) {
  const Set ball = Ball(vec({0, 0}), 1);
  EXPECT_EQ(complaint(ball, HardNetAff{}), "hardnet_aff supports sets of linear constraints, not a set of type ball");
  EXPECT_EQ(complaint(ball, HardNetCvx{}), "hardnet_cvx supports sets of linear constraints, not a set of type ball");
  EXPECT_EQ(complaint(ball, Dc3{}), "dc3 supports sets of linear constraints, not a set of type ball");
  EXPECT_EQ(complaint(ball, HardNet{}), "hardnet supports sets of linear constraints, not a set of type ball");
}

TEST(Scope, HardNetAffSaysWhyRowsAreTooMany) {
  EXPECT_EQ(complaint(CappedSimplex(3, 0.5), HardNetAff{}),
            "hardnet_aff needs independent rows: 4 rows have rank 3; hardnet, its least-squares variant, takes any");
  EXPECT_EQ(complaint(Box(vec({0, 0}), vec({1, 2})), HardNetAff{}), "");
}

TEST(Scope, OrthogonalNamesWhatItTakes) {
  const Set cone = SecondOrderCone(Eigen::MatrixXd::Identity(2, 2), vec({0, 0}), vec({0, 0}), 1);
  EXPECT_NE(complaint(cone, Orthogonal{}).find("not a set of type second_order_cone"), std::string::npos);
}

TEST(Scope, ParametersOutOfTheirDomainAreNamed) {
  EXPECT_NE(complaint(Simplex(3), Softmax{.temperature = 0}).find("temperature"), std::string::npos);
  EXPECT_NE(complaint(Simplex(3), Dc3{.steps = -1}).find("steps"), std::string::npos);
  EXPECT_NE(complaint(Simplex(3), Dc3{.learning_rate = -0.1}).find("learning_rate"), std::string::npos);
  EXPECT_NE(complaint(Simplex(3), Dc3{.momentum = 1}).find("momentum"), std::string::npos);
  EXPECT_NE(complaint(Simplex(3), HardNet{.steps = 0}).find("steps"), std::string::npos);
}

}  // namespace
}  // namespace softradial
