// Rows at the end of the number range, where one part of u dwarfs the rest.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "reference/exact_judge.hpp"
#include "softradial/projection.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

// The largest numbers stand along the simplex's normal, which the hull takes away: what is left is a moderate direction
// out of the ellipse, and must not be lost in the scale of u.
TEST(ExtremeRows, AHugeNormalPartLeavesTheRestAlone) {
  constexpr float kHuge = std::numeric_limits<float>::max();
  const Set set = support::zoo_member("scaled_product");  // a simplex beside an ellipse
  const Projection<float> layer(set);
  auto workspace = layer.make_workspace();
  const reference::ExactJudge judge(set, layer.anchor().hull);
  for (const float sign : {1.0F, -1.0F}) {
    const std::vector<float> u = {sign * kHuge, sign * kHuge, 1000.43457F, 290941.531F};
    const std::vector<float> moderate = {0, 0, u[2], u[3]};
    std::vector<float> x(4);
    std::vector<float> expected(4);
    layer.project(Rows<const float>(u), Rows<float>(x), workspace);
    layer.project(Rows<const float>(moderate), Rows<float>(expected), workspace);
    EXPECT_TRUE(judge.judge(std::span<const float>(x)).inside);
    for (std::size_t j = 0; j < x.size(); ++j) EXPECT_NEAR(x[j], expected[j], 1e-3) << j;
  }
}

}  // namespace
}  // namespace softradial
