#include "number_option.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace softradial::program {
namespace {

template <class T>
std::string failure(std::string_view word, const FieldRange& range) {
  try {
    static_cast<void>(parse_number<T>("--flag", word, range));
  } catch (const CLI::ValidationError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(NumberOption, ReadsTheWholeWord) {
  EXPECT_EQ(parse_number<double>("--flag", "0.05", study::kShare), 0.05);
  EXPECT_EQ(parse_number<double>("--flag", "+5e-2", study::kShare), 0.05);
  EXPECT_EQ(parse_number<double>("--flag", "1", study::kShare), 1);
  EXPECT_EQ(parse_number<int>("--flag", "-3", study::kAnyNumber), -3);
  EXPECT_EQ(parse_number<std::uint64_t>("--flag", "9007199254740992", study::kSeed), 9007199254740992U);
}

TEST(NumberOption, RefusesEverythingElse) {
  for (const char* word : {"",    " ",    "x",   "5%",   "0.05x",    " 0.05",  "0.05 ", "0,05", "--1", "+-1",      "+",
                           "nan", "-nan", "inf", "-inf", "infinity", "0x1p-3", "0",     "-0.1", "5",   "1.0000001"}) {
    EXPECT_EQ(failure<double>(word, study::kShare),
              "--flag " + std::string(word) + ": expected a share between 0 and 1; 5 % is 0.05");
  }
  for (const char* word : {"1e400", "-1e400"}) {
    EXPECT_EQ(failure<double>(word, study::kAnyNumber),
              "--flag " + std::string(word) + ": is beyond the range of a double");
  }
  for (const char* word : {"", "-1", "1.5", "1e3", "0x10", "3x", "+-3", "nan", "9007199254740994",
                           "18446744073709551616", "99999999999999999999999999"}) {
    EXPECT_EQ(failure<std::uint64_t>(word, study::kSeed),
              "--flag " + std::string(word) + ": expected a whole number from 0 to 9007199254740992");
  }
  EXPECT_EQ(failure<int>("+-3", study::kAnyNumber), "--flag +-3: expected a whole number");
  EXPECT_EQ(failure<int>(std::string(1000, '9'), study::at_least_1_up_to(9)).size(),
            std::string("--flag ").size() + 40 + std::string("...: expected a whole number from 1 to 9").size());
}

TEST(NumberOption, RangesAreSaidInWords) {
  EXPECT_EQ(expected_number(study::kAnyNumber, false), "a number");
  EXPECT_EQ(expected_number(study::kPositive, false), "a number above 0");
  EXPECT_EQ(expected_number(study::kNotNegative, true), "a whole number of at least 0");
  EXPECT_EQ(expected_number({.least = 0, .most = 0.99}, false), "a number from 0 to 0.99");
  EXPECT_EQ(expected_number({.least = 0, .most = 2, .above = true}, false), "a number above 0 and at most 2");
  EXPECT_EQ(expected_number(study::at_least_1_up_to(1e6), true), "a whole number from 1 to 1000000");
}

}  // namespace
}  // namespace softradial::program
