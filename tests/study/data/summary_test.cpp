#include "data/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "data/calendar.hpp"
#include "study/data/table_checks.hpp"

namespace softradial::study {
namespace {

using namespace std::chrono;

// Prices of consecutive days from 2020-01-01 with the given returns, (days, assets).
PriceTable prices_of(const Table& returns) {
  PriceTable table;
  table.prices.resize(returns.rows() + 1, returns.cols());
  table.prices.row(0).setConstant(100);
  for (Eigen::Index t = 0; t <= returns.rows(); ++t) {
    table.dates.push_back(sys_days(2020y / January / 1) + days(t));
    if (t > 0) table.prices.row(t) = table.prices.row(t - 1).array() * (1 + returns.row(t - 1).array());
  }
  for (Eigen::Index j = 0; j < returns.cols(); ++j) table.tickers.push_back(std::to_string(j));
  return table;
}

TEST(Summary, KnownValues) {
  Table returns(12, 2);
  returns << 0.01, 0.03, -0.01, -0.03, 0.02, 0.06, 0.02, 0.02,  // train: 4 returns
      0.1, -0.1, 0, 0, 0, 0, 0.1, -0.1,                         // validation: exactly opposite assets
      -0.5, -0.5, 0.1, 0.1, 0.2, 0.2, -0.1, -0.1;               // test
  const std::vector<SplitSummary> rows =
      summarize(prices_of(returns), {sys_days(2020y / January / 5), sys_days(2020y / January / 9)});
  ASSERT_EQ(rows.size(), 3U);

  constexpr double kRounding = 1e-12;
  EXPECT_EQ(rows[0].split, "train");
  EXPECT_EQ(format_date(rows[0].first), "2020-01-02");
  EXPECT_EQ(format_date(rows[0].last), "2020-01-05");
  EXPECT_EQ(rows[0].days, 4U);
  EXPECT_NEAR(rows[0].mean, 252 * 0.015, 252 * kRounding);
  EXPECT_NEAR(rows[0].median, 252 * 0.02, 252 * kRounding);
  // Sums of squared deviations: 0.0006 around 0.01, 0.0042 around 0.02; divisor 3.
  EXPECT_NEAR(rows[0].volatility, std::sqrt(252 * (0.0006 + 0.0042) / 3 / 2), kRounding);
  EXPECT_NEAR(rows[0].max_drawdown, -0.02, kRounding);
  EXPECT_EQ(rows[0].ks_p_value, std::nullopt);

  EXPECT_EQ(rows[1].days, 4U);
  EXPECT_NEAR(rows[1].correlation, -1, kRounding);
  // Of 0.1, 0, 0, 0.1: corr((0.1, 0, 0), (0, 0, 0.1)) = -1/2, for both assets.
  EXPECT_NEAR(rows[1].autocorrelation, -0.5, kRounding);
  EXPECT_NEAR(rows[1].max_drawdown, 0, kRounding);

  EXPECT_NEAR(rows[2].correlation, 1, kRounding);
  EXPECT_NEAR(rows[2].max_drawdown, -0.5, kRounding);
  EXPECT_TRUE(rows[2].ks_p_value.has_value());
}

TEST(Summary, DemandKnownValues) {
  DemandTable table;
  table.zones = {"a", "b"};
  table.demand.resize(10, 2);
  table.demand << 1, 3, 2, 2, 0, 0, 4, 0,  // train: totals 4, 4, 0, 4
      5, 5, 5, 5, 5, 15,                   // validation
      1, 0, 1, 0, 3, 0;                    // test
  for (int t = 0; t < 10; ++t) table.hours.push_back(local_days(2024y / January / 1) + hours(t));
  const std::vector<DemandSummary> rows = summarize(table, {.train = 0.4, .validation = 0.3});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].hours, 4U);
  EXPECT_EQ(format_hour(rows[1].first), "2024-01-01T04");
  EXPECT_EQ(format_hour(rows[2].last), "2024-01-01T09");
  EXPECT_DOUBLE_EQ(rows[0].mean, 3);
  EXPECT_DOUBLE_EQ(rows[0].peak, 4);
  EXPECT_DOUBLE_EQ(rows[0].busiest, 7.0 / 12);
  EXPECT_DOUBLE_EQ(rows[0].idle, 3.0 / 8);
  EXPECT_DOUBLE_EQ(rows[0].last_hour_served, 0.75 / 3) << "3 of 4, then 0 of 0, then 0 of 4";
  EXPECT_DOUBLE_EQ(rows[1].last_hour_served, (1 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(rows[2].busiest, 1);
  EXPECT_EQ(rows[2].daily_correlation, 0) << "too short";
  table.hours.resize(8);
  table.demand.conservativeResize(8, 2);
  EXPECT_THROW(static_cast<void>(summarize(table, {.train = 0.5, .validation = 0.3})), DataError);
}

TEST(Summary, KolmogorovSmirnov) {
  EXPECT_EQ(kolmogorov_smirnov_p({1, 2, 3}, {1, 2, 3}), 1);
  // D = 1/2 with n = m = 8: l = sqrt(4) / 2 = 1; 2 (e^-2 - e^-8 + e^-18 - ...) = 0.26999967.
  EXPECT_NEAR(kolmogorov_smirnov_p({1, 2, 3, 4, 5, 6, 7, 8}, {5, 6, 7, 8, 9, 10, 11, 12}), 0.26999967, 1e-8);
  std::vector<double> low(500);
  std::vector<double> high(500);
  for (std::size_t i = 0; i < low.size(); ++i) {
    low[i] = static_cast<double>(i);
    high[i] = 1000 + static_cast<double>(i);
  }
  EXPECT_LT(kolmogorov_smirnov_p(low, high), 1e-100);
}

TEST(Summary, SplitsAreNamedOrDated) {
  EXPECT_EQ(parse_splits("text"), text_splits());
  EXPECT_EQ(parse_splits("table"), table_splits());
  EXPECT_EQ(parse_splits("2018-12-31,20201231"), text_splits());
  EXPECT_EQ(test::failure_text([] { (void)parse_splits("2018"); }),
            "the split \"2018\" is neither text nor table nor two dates (expected 2018-12-31,2020-12-31)");
  EXPECT_EQ(test::failure_text([] { (void)parse_splits("2020-12-31,2018-12-31"); }),
            "the split \"2020-12-31,2018-12-31\" has its dates in the wrong order");
}

TEST(Summary, RefusesSplitsWithoutData) {
  EXPECT_EQ(
      test::failure_text([] { (void)summarize(prices_of(Table::Zero(12, 1)), text_splits()); }),
      "the split train has 0 returns, too few to describe (train to 2018-12-31, validation to 2020-12-31, data to "
      "2020-01-13)");
}

}  // namespace
}  // namespace softradial::study
