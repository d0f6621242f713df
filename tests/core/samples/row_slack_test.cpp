// The guarded reciprocal slack of a linear row, where rows and anchor are shared by the samples and where they are not:
//   scale = 1 / (slack (1 - 8 ulp) - loss),   loss = roundings ulp norm |u0|,
// refused where less than three quarters of the slack are left, or less than the smallest slack.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "sets/rows/row_slack_kernels.hpp"

namespace softradial {
namespace {

template <class T>
class RowSlack : public ::testing::Test {
 protected:
  struct Answer {
    T scale;
    T steepest;  // negative: refused
  };

  // Row by row, and for rows that are shared.
  static std::vector<Answer> answers(T slack, T norm, const kernels::AnchorSize<T>& size) {
    Answer own{};
    own.steepest = kernels::guarded_scales<T>({&slack, nullptr}, &norm, size, 1, &own.scale);
    Answer shared{};
    const kernels::SharedRows<T> rows({&norm, 1}, size, nullptr);
    kernels::guarded_scale_rows<T>(rows, {&slack, 1, 1}, {&shared.scale, 1, 1}, &shared.steepest);
    return {own, shared};
  }

  static constexpr T kUlp = std::numeric_limits<T>::epsilon();
  static constexpr kernels::AnchorSize<T> kFarAnchor{.norm = 1000, .roundings = 2};
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RowSlack, Precisions);

TYPED_TEST(RowSlack, IsReciprocalOfWhatTheGuardLeaves) {
  using T = TypeParam;
  const T norm = 3;
  const T loss = 2 * this->kUlp * norm * 1000;
  for (const T slack : {T{8} * loss, T{0.5}, T{100}}) {
    for (const auto& [scale, steepest] : this->answers(slack, norm, this->kFarAnchor)) {
      const T expected = 1 / (slack * (1 - 8 * this->kUlp) - loss);
      EXPECT_NEAR(scale, expected, 4 * this->kUlp * expected);
      EXPECT_NEAR(steepest, norm * expected, 4 * this->kUlp * norm * expected);
    }
  }
  for (const auto& [scale, steepest] : this->answers(std::numeric_limits<T>::infinity(), norm, this->kFarAnchor)) {
    EXPECT_EQ(scale, 0);
    EXPECT_EQ(steepest, 0);
  }
}

TYPED_TEST(RowSlack, IsRefusedWhereAQuarterIsLost) {
  using T = TypeParam;
  const T norm = 3;
  const T loss = 2 * this->kUlp * norm * 1000;
  for (const T share : {T{-1}, T{0}, T{0.5}, T{1}, T{2}, T{3.875}, T{4.125}, T{8}}) {
    for (const auto& [scale, steepest] : this->answers(share * loss, norm, this->kFarAnchor)) {
      EXPECT_EQ(steepest > 0, share > 4) << share;
    }
  }
}

TYPED_TEST(RowSlack, IsRefusedBelowTheSmallestSlack) {
  using T = TypeParam;
  const T norm = T{0.5};
  for (const T share : {T{0.5}, T{0.9375}, T{1.0625}, T{2}}) {
    for (const auto& [scale, steepest] :
         this->answers(share * guard::kSmallestSlack<T>, norm, {.norm = 0, .roundings = 2})) {
      EXPECT_EQ(steepest > 0, share > 1) << share;
    }
  }
}

}  // namespace
}  // namespace softradial
