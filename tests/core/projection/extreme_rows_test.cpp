// Rows at the end of the number range, where one part of u dwarfs the rest.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/exact_judge.hpp"
#include "softradial/projection.hpp"
#include "softradial/sets.hpp"
#include "support/set_zoo.hpp"
#include "support/vectors.hpp"

namespace softradial {
namespace {

using support::mat;
using support::vec;

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

// A row of A that is short beside the others is no constant: every bound of the image holds, whatever units it is in.
TEST(ExtremeRows, PreimagesOfMixedUnitsKeepEveryBound) {
  for (const double unit : {1e-15, 1e-9, 1e-6, 1.0, 1e6, 1e12, 1e15}) {
    SCOPED_TRACE(unit);
    const Set set =
        AffinePreimage(Box(vec({0, 0}), vec({1, 1})), mat({{unit, 0}, {0, 1 / std::sqrt(unit)}}), vec({0.5, 0.5}));
    const Projection<double> layer(set, HardRadial{});
    EXPECT_EQ(layer.anchor().hull.codimension(), 0);
    const reference::ExactJudge judge(set, layer.anchor().hull);
    for (const auto& [a, b] :
         {std::pair(1.0, 0.0), std::pair(-1.0, 1e-3), std::pair(0.0, 1.0), std::pair(1e-6, -1.0)}) {
      for (const double size : {1e-3, 1.0, 1e9, 1e200}) {
        const std::vector<double> u = {size * a / unit, size * b * std::sqrt(unit)};
        const std::vector<double> x = layer({u.data(), 1, 2});
        EXPECT_TRUE(judge.judge(std::span<const double>(x)).inside) << x[0] << ", " << x[1];
      }
    }
  }
}

// The sum of a small simplex is met in its own units, whatever stands beside it.
template <class T>
void expect_small_sum(const Set& beside, T size) {
  const Set set = Product({beside, Simplex(3)});
  const Projection<T> layer(set);
  for (const T along : {T{0}, T{1}, size, -size * size}) {
    const std::vector<T> u = {size, 2 * size, -size, along + T{0.1F}, along, along - T{0.2F}};
    const std::vector<T> x = layer({u.data(), 1, 6});
    const long double sum = static_cast<long double>(x[3]) + x[4] + x[5];
    EXPECT_LE(std::abs(sum - 1), 4 * 3 * std::numeric_limits<T>::epsilon()) << size << ", " << along;
  }
}
TEST(ExtremeRows, ASmallSumBesideALargeBlock) {
  for (const Set& beside : {Set(Simplex(3, 1e6)), Set(Ball(vec({0, 0, 0}), 1e6))}) {
    for (const float size : {1.0F, 1e3F, 1e7F, 1e15F}) expect_small_sum<float>(beside, size);
    for (const double size : {1.0, 1e3, 1e7, 1e15, 1e100}) expect_small_sum<double>(beside, size);
  }
}

// x_0 + 1e-9 x_1 = 1 with x_1 up to 1e9, beside x_2 + x_3 = 0.5: an entry that is small beside the others of its equality
// counts in single precision, too.
TEST(ExtremeRows, EqualitiesBetweenMixedUnits) {
  const Eigen::MatrixXd sides = Eigen::MatrixXd::Identity(4, 4);
  Eigen::MatrixXd A(8, 4);
  A << sides, -sides;
  const Eigen::MatrixXd E = mat({{1, 1e-9, 0, 0}, {0, 0, 1, 1}});
  const Set set = Polyhedron(A, vec({2, 1e9, 1, 1, 2, 0, 1, 1}), E, vec({1, 0.5}));
  const Projection<float> layer(set);
  for (const float size : {1.0F, 1e3F, 1e9F, 1e15F}) {
    const std::vector<float> u = {size, -2 * size, 3, -size};
    const std::vector<float> x = layer({u.data(), 1, 4});
    const double mixed = x[0] + 1e-9 * x[1];
    EXPECT_NEAR(mixed, 1, 16 * std::numeric_limits<float>::epsilon() * (1 + std::abs(x[0]) + std::abs(1e-9 * x[1])));
    EXPECT_NEAR(static_cast<double>(x[2]) + x[3], 0.5, 16 * std::numeric_limits<float>::epsilon() * 2);
  }
}

}  // namespace
}  // namespace softradial
