#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>

#include "row_writer.hpp"

namespace softradial::program {
namespace {

constexpr int kRandomNumbers = 100'000;

template <class T>
std::string written(T value) {
  std::array<char, kMaxNumberLength> text{};
  return {text.data(), write_number(text.data(), value)};
}

std::string printed(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

std::string printed(float value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.9g", static_cast<double>(value));
  return text.data();
}

template <class T>
void expect_as_printf(T value) {
  EXPECT_EQ(written(value), printed(value));
  EXPECT_EQ(written(-value), printed(-value));
}

TEST(NumberFormat, KnownValues) {
  EXPECT_EQ(written(0.0), "0");
  EXPECT_EQ(written(-0.0), "-0");
  EXPECT_EQ(written(1.0), "1");
  EXPECT_EQ(written(-0.5), "-0.5");
  EXPECT_EQ(written(0.05), "0.050000000000000003");
  EXPECT_EQ(written(0.1F), "0.100000001");
  EXPECT_EQ(written(123456789.0F), "123456792");
  EXPECT_EQ(written(0.0001), "0.0001");
  EXPECT_EQ(written(0.00001), "1.0000000000000001e-05");
  EXPECT_EQ(written(1e16), "10000000000000000");
  EXPECT_EQ(written(1e17), "1e+17");
  EXPECT_EQ(written(9.9999999999999999e22), "9.9999999999999992e+22");
  EXPECT_EQ(written(-2.2250738585072014e-308), "-2.2250738585072014e-308");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(written(-std::numeric_limits<float>::infinity()), "-inf");
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(written(-std::numeric_limits<float>::quiet_NaN()), "nan");
}

TEST(NumberFormat, AgreesWithPrintfOnAnyBits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < kRandomNumbers; ++i) {
    const auto wide = std::bit_cast<double>(random());
    const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isnan(wide)) expect_as_printf(wide);
    if (!std::isnan(narrow)) expect_as_printf(narrow);
  }
}

// Where the digits are found by an exact shift: every binary exponent of 10^-26 ... 10^19, random mantissas.
TEST(NumberFormat, AgreesWithPrintfAtOrdinarySizes) {
  std::mt19937_64 random(2);
  for (int i = 0; i < kRandomNumbers; ++i) {
    const double value = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 150) - 138);
    expect_as_printf(value);
    expect_as_printf(static_cast<float>(value));
  }
}

TEST(NumberFormat, AgreesWithPrintfAroundPowersOfTen) {
  for (int exponent = -30; exponent < 25; ++exponent) {
    double above = std::pow(10.0, exponent);
    double below = above;
    for (int step = 0; step < 5; ++step) {
      expect_as_printf(above);
      expect_as_printf(below);
      expect_as_printf(static_cast<float>(above));
      above = std::nextafter(above, std::numeric_limits<double>::infinity());
      below = std::nextafter(below, 0.0);
    }
  }
}

// Short binary fractions end in a 5 after the last digit kept: halves go to even.
TEST(NumberFormat, AgreesWithPrintfAtTies) {
  for (int i = 1; i < 30'000; ++i) {
    expect_as_printf(1e9 + i / 256.0);
    expect_as_printf(static_cast<float>(i) / 1024);
    expect_as_printf(16384 + static_cast<float>(i % 1000) / 512);
  }
}

}  // namespace
}  // namespace softradial::program
