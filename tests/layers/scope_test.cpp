// Which sets a method takes, and how it says no.
#include <gtest/gtest.h>

#include "softradial/errors.hpp"
#include "softradial/layer.hpp"
#include "softradial/sets.hpp"
#include "support/set_zoo.hpp"
#include "support/vectors.hpp"

namespace softradial {
namespace {

using support::vec;

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

TEST(Scope, MirrorTakesBoundsAndSums) {
  EXPECT_EQ(complaint(Product({CappedSimplex(3, 0.5), Box(vec({0, 0}), vec({1, 2}))}), Mirror{}), "");
  EXPECT_EQ(complaint(Ball(vec({0, 0}), 1), Mirror{}),
            "mirror supports boxes, simplices, capped simplices and products of these, not a set of type ball");
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

// Nobody waits for the end of 10^9 steps, whoever asked for them.
TEST(Scope, CountsAreBounded) {
  for (const auto& [method, option] : {std::pair("hp", "training_steps"), std::pair("hp", "hidden"),
                                       std::pair("dc3", "steps"), std::pair("hardnet", "steps")}) {
    LayerMethod chosen = method_named(method);
    EXPECT_NO_THROW(set_option(chosen, option, 100000)) << method;
    EXPECT_THROW(set_option(chosen, option, 1e6), InvalidOption) << method;
    EXPECT_THROW(set_option(chosen, option, -1), InvalidOption) << method;
    EXPECT_THROW(set_option(chosen, option, 1.5), InvalidOption) << method;
  }
}

// A refusal names the type of the set, in every method and for every set.
TEST(Scope, RefusalsNameTheTypeOfTheSet) {
  int refused = 0;
  for (const std::string_view name : {"mirror", "softmax", "orthogonal", "hardnet_cvx", "dc3", "hardnet"}) {
    for (const auto& [member, set] : support::set_zoo()) {
      const std::string said = complaint(set, method_named(name));
      if (said.empty()) continue;
      EXPECT_TRUE(said.starts_with(name)) << said;
      // Of a product it is the part that the method does not know.
      const std::string type = set->describe().type;
      EXPECT_TRUE(said.ends_with("not a set of type " + type) ||
                  (type == "product" && said.find("not a set of type ") != std::string::npos))
          << said;
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(Scope, ParametersOutOfTheirDomainAreNamed) {
  EXPECT_NE(complaint(Simplex(3), Softmax{.temperature = 0}).find("temperature"), std::string::npos);
  EXPECT_NE(complaint(Simplex(3), Mirror{.temperature = -1}).find("temperature"), std::string::npos);
  EXPECT_NE(complaint(Simplex(3), Dc3{.steps = -1}).find("steps"), std::string::npos);
  EXPECT_NE(complaint(Simplex(3), Dc3{.learning_rate = -0.1}).find("learning_rate"), std::string::npos);
  EXPECT_NE(complaint(Simplex(3), Dc3{.momentum = 1}).find("momentum"), std::string::npos);
  EXPECT_NE(complaint(Simplex(3), HardNet{.steps = 0}).find("steps"), std::string::npos);
}

}  // namespace
}  // namespace softradial
