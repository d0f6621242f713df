// Which sets a method takes, and how it says no.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

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

// A number at the end of its range, or beyond it, is refused by its name, or rows of ordinary size have a finite x.
template <class T>
void expect_option_works_or_is_refused(const LayerMethod& method, const std::string& option, double value) {
  const std::string what = std::string(method_name(method)) + ", " + option + " = " + std::to_string(value);
  try {
    LayerMethod chosen = method;
    set_option(chosen, option, value);
    const LayerPtr<T> layer = make_layer<T>(Simplex(3), chosen);
    const std::vector<T> u(3 * layer->input_dim(), T{0.7F});
    std::vector<T> x(3 * layer->dim(), std::numeric_limits<T>::quiet_NaN());
    layer->evaluate({u.data(), 3, layer->input_dim()}, {x.data(), 3, layer->dim()});
    for (const T number : x) EXPECT_TRUE(std::isfinite(number)) << what;
  } catch (const InvalidOption& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(option)) << what << ": " << error.what();
  }
}

TEST(Scope, NumbersAtTheEndsOfTheRangeWorkOrAreRefused) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const std::string_view name : method_names()) {
    LayerMethod method = method_named(name);
    if (const auto* const hp = std::get_if<Hp>(&method)) method = Hp{.training_steps = 2, .seed = hp->seed};
    for (const auto& [option, usual] : method_options(method)) {
      // Counts are whole numbers within bounds of their own (CountsAreBounded).
      if (usual == std::floor(usual) && usual != 1) continue;
      for (const double value : {-kInfinity, -1.0, 0.0, 1e-320, 1e-300, 1e-46, 1e-38, 0.999, 1e37, 1e39, 1e300, kInfinity,
                                 std::numeric_limits<double>::quiet_NaN()}) {
        expect_option_works_or_is_refused<float>(method, option, value);
        expect_option_works_or_is_refused<double>(method, option, value);
      }
    }
  }
}

}  // namespace
}  // namespace softradial
