#include "sets/number_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

namespace softradial {
namespace {

// Both ways to write a number give the same text: pages and programs show the same.
void expect_same(double value) {
  EXPECT_EQ(by_printf::number_text(value), number_text(value));
  for (const int digits : {1, 6, 17}) EXPECT_EQ(by_printf::number_text(value, digits), number_text(value, digits));
}

TEST(NumberText, IsTheSameWithoutToChars) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.0,
                             -0.0,
                             1.0,
                             -0.05,
                             100000.0,
                             123456789.0,
                             1e15,
                             1e16,
                             1e22,
                             1e23,
                             12345678900000.0,
                             1e-5,
                             0.0001,
                             0.00012345,
                             1e300,
                             5e-324,
                             Limits::max(),
                             Limits::min(),
                             Limits::infinity(),
                             -Limits::infinity(),
                             Limits::quiet_NaN()}) {
    expect_same(value);
  }
  std::mt19937_64 random(1);
  for (int k = 0; k < 2000; ++k) {
    const std::uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isfinite(value)) expect_same(value);
    expect_same(static_cast<double>(bits % 2000001) / 1000 - 1000);
  }
}

TEST(NumberText, ReadsBackAsTheSameNumber) {
  for (const double value : {0.1, 1.0 / 3, 2e-310, 9007199254740993.0, 0.30000000000000004}) {
    EXPECT_EQ(std::strtod(number_text(value).c_str(), nullptr), value);
  }
  EXPECT_EQ(number_text(0.05), "0.05");
  EXPECT_EQ(number_text(-0.020000000000000018, 6), "-0.02");
}

}  // namespace
}  // namespace softradial
