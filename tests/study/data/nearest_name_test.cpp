#include "data/nearest_name.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace softradial::study {
namespace {

TEST(NearestName, FindsWhatWasMeant) {
  const std::vector<std::string> commands = {"train", "table", "backtest", "predict", "project"};
  EXPECT_EQ(nearest_name("trian", commands), "train");
  EXPECT_EQ(nearest_name("Train", commands), "train");
  EXPECT_EQ(nearest_name("backtests", commands), "backtest");
  EXPECT_EQ(nearest_name("projekt", commands), "project");
  EXPECT_EQ(nearest_name("colour", commands), "");
  EXPECT_EQ(nearest_name("", commands), "");
  EXPECT_EQ(nearest_name("ab", std::vector<std::string>{"xy"}), "") << "no letter in common";
  EXPECT_EQ(nearest_name(std::string(100'000, 'a'), commands), "");
  EXPECT_EQ(did_you_mean("trian", commands), ": did you mean train?");
  EXPECT_EQ(did_you_mean("colour", commands), "");
}

}  // namespace
}  // namespace softradial::study
