#include "data/synthetic_demand.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "data/calendar.hpp"
#include "data/table_files.hpp"
#include "study/data/table_checks.hpp"

namespace softradial::study {
namespace {

class SyntheticDemand : public testing::Test {
 protected:
  static void SetUpTestSuite() { city_ = load_demand("synthetic:taxi", 0, 0); }
  static void TearDownTestSuite() { city_ = {}; }

  static inline DemandData city_;
};

TEST_F(SyntheticDemand, CoversSixMonthsHourByHour) {
  const DemandTable& table = city_.table;
  EXPECT_EQ(city_.warnings, std::vector<std::string>{});
  EXPECT_EQ(table.zones.size(), kSyntheticZones);
  ASSERT_EQ(table.hours.size(), 4368U);
  EXPECT_EQ(format_hour(table.hours.front()), "2024-01-01T00");
  EXPECT_EQ(format_hour(table.hours.back()), "2024-06-30T23");
  EXPECT_GE(table.demand.minCoeff(), 0);
  EXPECT_EQ(table.demand, Table(table.demand.array().round())) << "whole requests";
}

TEST_F(SyntheticDemand, IsTheSameOnEveryMachine) { EXPECT_EQ(test::bit_sum(city_.table.demand), 0xc78b82860f88c6a5U); }

TEST_F(SyntheticDemand, ZonesAreUnequal) {
  Eigen::RowVectorXd means = city_.table.demand.colwise().mean();
  std::ranges::sort(means, std::greater<>());
  EXPECT_NEAR(means.sum(), 4300, 430);
  EXPECT_GT(means(0), 20 * means(means.size() - 1));
  EXPECT_GT(means.head(15).sum(), 0.4 * means.sum()) << "a tenth of the zones";
}

TEST_F(SyntheticDemand, HasDailyAndWeeklyCycles) {
  const DemandTable& table = city_.table;
  double evening = 0;
  double night = 0;
  double weekday_morning = 0;
  double weekend_morning = 0;
  for (std::size_t t = 0; t < table.hours.size(); ++t) {
    const double total = table.demand.row(static_cast<Eigen::Index>(t)).sum();
    const std::chrono::weekday day((std::chrono::floor<std::chrono::days>(table.hours[t])));
    const bool weekend = day == std::chrono::Saturday || day == std::chrono::Sunday;
    if (t % 24 == 18) evening += total;
    if (t % 24 == 4) night += total;
    if (t % 24 == 8) (weekend ? weekend_morning : weekday_morning) += total / (weekend ? 52 : 130);
  }
  EXPECT_GT(evening, 4 * night);
  EXPECT_GT(weekday_morning, 1.5 * weekend_morning);
}

// Mondays at 18 h in the busiest zone differ by more than Poisson's variance, the mean.
TEST_F(SyntheticDemand, IsOverdispersed) {
  Eigen::Index busiest = 0;
  city_.table.demand.colwise().sum().maxCoeff(&busiest);
  Eigen::ArrayXd same_hour(26);
  for (Eigen::Index week = 0; week < 26; ++week) same_hour(week) = city_.table.demand(week * 168 + 18, busiest);
  const double variance = (same_hour - same_hour.mean()).square().sum() / 25;
  EXPECT_GT(variance, 3 * same_hour.mean());
}

TEST_F(SyntheticDemand, IsASeedsOwnAndKeepsTheLargestZones) {
  const DemandData small = load_demand("synthetic:taxi", 10, 0);
  ASSERT_EQ(small.table.zones.size(), 10U);
  const Eigen::RowVectorXd totals = city_.table.demand.colwise().sum();
  const double least = small.table.demand.colwise().sum().minCoeff();
  EXPECT_EQ((totals.array() >= least).count(), 10) << "no other zone is as large";
  EXPECT_TRUE(std::ranges::is_sorted(small.table.zones)) << "in the order of the city";
  EXPECT_NE(load_demand("synthetic:taxi", 10, 1).table.demand, small.table.demand);
  EXPECT_EQ(test::failure_text([] { (void)load_demand("synthetic:bus", 0, 0); }),
            "the synthetic demand \"bus\" is not known: expected synthetic:taxi");
}

}  // namespace
}  // namespace softradial::study
