#include "data/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace softradial::study {
namespace {

TEST(Random, ExpAndLogAgreeWithTheLibrary) {
  for (double x = -50; x <= 50; x += 0.37) {
    EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 4e-14) << x;
    EXPECT_NEAR(portable_log(std::exp(x)), x, 2e-14) << x;
  }
}

// Mean and variance of n draws within 5 standard errors.
template <class Draw>
void expect_moments(Draw draw, double mean, double variance, double kurtosis) {
  constexpr int kDraws = 200'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = draw();
    sum += x - mean;
    squares += (x - mean) * (x - mean);
  }
  EXPECT_NEAR(sum / kDraws, 0, 5 * std::sqrt(variance / kDraws));
  EXPECT_NEAR(squares / kDraws, variance, 5 * variance * std::sqrt((kurtosis - 1) / kDraws));
}

TEST(Random, DrawsHaveTheirMoments) {
  Random random(7, 0);
  expect_moments([&] { return random.uniform(); }, 0.5, 1.0 / 12, 1.8);
  expect_moments([&] { return random.normal(); }, 0, 1, 3);
  expect_moments([&] { return random.fat_tailed(); }, 0, 1, 9);
  expect_moments([&] { return random.gamma_of_mean_one(12); }, 1, 1.0 / 12, 3.5);
  expect_moments([&] { return random.poisson(0.3); }, 0.3, 0.3, 3 + 1 / 0.3);
  expect_moments([&] { return random.poisson(40); }, 40, 40, 3.1);
}

TEST(Random, SeedsAndStreamsDiffer) {
  EXPECT_EQ(Random(1, 2).bits(), Random(1, 2).bits());
  EXPECT_NE(Random(1, 2).bits(), Random(1, 3).bits());
  EXPECT_NE(Random(1, 2).bits(), Random(2, 1).bits());
}

}  // namespace
}  // namespace softradial::study
