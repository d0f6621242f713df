#include "features/features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "study/synthetic_tables.hpp"
#include "tasks/task_data.hpp"

namespace softradial::study {
namespace {

// The definition, window by window.
Table slow_features(const Table& r, int64_t lookback) {
  Table out = Table::Zero(r.rows(), 3 * r.cols());
  out.leftCols(r.cols()) = r;
  for (Eigen::Index t = 1; t < r.rows(); ++t) {
    const Eigen::Index n = std::min<Eigen::Index>(t + 1, lookback);
    if (n < 2) continue;
    const Table w = r.middleRows(t - n + 1, n);
    const Eigen::VectorXd m = w.rowwise().mean();
    const Eigen::VectorXd dm = m.array() - m.mean();
    const double market = std::sqrt(dm.squaredNorm() / static_cast<double>(n));
    for (Eigen::Index i = 0; i < r.cols(); ++i) {
      const Eigen::VectorXd d = w.col(i).array() - w.col(i).mean();
      const double deviation = std::sqrt(d.squaredNorm() / static_cast<double>(n));
      out(t, r.cols() + i) = deviation;
      const double both = deviation * market;
      out(t, 2 * r.cols() + i) = both > 1e-12 ? d.dot(dm) / static_cast<double>(n) / both : 0;
    }
  }
  return out;
}

TEST(PortfolioFeatures, FollowTheirDefinitionForAnyLookback) {
  const Table r = price_relatives(random_prices(61, 4, 1)).array() - 1;
  for (const int64_t lookback : {1, 2, 3, 7, 10, 60, 100}) {
    EXPECT_LT((portfolio_features(r, lookback) - slow_features(r, lookback)).cwiseAbs().maxCoeff(), 1e-13)
        << "lookback " << lookback;
  }
}

TEST(PortfolioFeatures, KnownValues) {
  Table r(3, 2);
  r << 0.01, 0.03, 0.03, 0.01, 0.02, 0.06;
  const Table f = portfolio_features(r, 2);
  EXPECT_EQ(f.row(0).segment(2, 4).cwiseAbs().maxCoeff(), 0);
  EXPECT_NEAR(f(1, 2), 0.01, 1e-16);
  EXPECT_NEAR(f(1, 4), 0, 1e-12);  // the market did not move
  EXPECT_NEAR(f(2, 2), 0.005, 1e-16);
  EXPECT_NEAR(f(2, 3), 0.025, 1e-16);
  EXPECT_NEAR(f(2, 4), -1, 1e-12);
  EXPECT_NEAR(f(2, 5), 1, 1e-12);
}

TEST(PortfolioFeatures, AnOutlierLeavesNoTrace) {
  Table r = price_relatives(random_prices(80, 3, 2)).array() - 1;
  const Table clean = portfolio_features(r, 10);
  r(20, 1) = 1e6;
  const Table dirty = portfolio_features(r, 10);
  EXPECT_GT(dirty(25, 4), 1e5);
  EXPECT_TRUE(dirty.bottomRows(49) == clean.bottomRows(49));
}

TEST(PortfolioFeatures, NothingOfTheFutureEnters) {
  PriceTable prices = random_prices(120, 3, 3);
  const SplitDates split{prices.dates[60], prices.dates[90]};
  const PortfolioData before = make_portfolio_data(prices, split, 7);
  prices.prices.bottomRows(40) *= 3;  // from date 80 on
  const PortfolioData after = make_portfolio_data(prices, split, 7);
  EXPECT_TRUE(before.features.topRows(79) == after.features.topRows(79));  // day 79 is date 80
  EXPECT_FALSE(before.features.row(79) == after.features.row(79));
  EXPECT_TRUE(before.standardisation.mean == after.standardisation.mean);
}

TEST(PortfolioFeatures, TrainingStatisticsMakeTheTrainingSplitStandard) {
  const PriceTable prices = random_prices(200, 3, 4);
  const PortfolioData data = make_portfolio_data(prices, {prices.dates[100], prices.dates[150]}, 5);
  EXPECT_EQ(data.splits, (Splits{{0, 100}, {100, 150}, {150, 199}}));
  const Table train = data.features.topRows(100);
  EXPECT_LT(train.colwise().mean().cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NEAR(train.col(1).squaredNorm() / 100, 1, 1e-4);
}

TEST(PortfolioFeatures, ABadPriceIsNamed) {
  PriceTable prices = random_prices(5, 2, 5);
  prices.prices(3, 1) = -2;
  try {
    price_relatives(prices);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("A1 costs -2 on 2010-1-4"), std::string::npos) << error.what();
  }
  EXPECT_THROW(portfolio_features(Table::Zero(3, 2), 0), std::invalid_argument);
}

TEST(DispatchFeatures, CalendarAndSupply) {
  const DemandTable table = random_demand(50, 3, 6);
  const Table calendar = calendar_features(table.hours);
  EXPECT_NEAR(calendar(0, 0), 0, 1e-15);
  EXPECT_NEAR(calendar(0, 1), 1, 1e-15);
  EXPECT_NEAR(calendar(6, 0), 1, 1e-15);   // six in the morning
  EXPECT_NEAR(calendar(23, 3), 1, 1e-15);  // still Monday
  EXPECT_NEAR(calendar(24, 2), std::sin(2 * std::numbers::pi / 7), 1e-15);
  const Eigen::VectorXd s = supply(table.demand);
  EXPECT_EQ(s(0), 1);
  EXPECT_EQ(s(10), table.demand.row(9).sum());
  EXPECT_EQ(supply(Table::Zero(3, 2))(2), 1);
}

TEST(DispatchFeatures, NothingOfTheFutureEnters) {
  DemandTable table = random_demand(200, 3, 7);
  const DispatchData before = make_dispatch_data(table);
  table.demand.bottomRows(50).array() += 100;
  const DispatchData after = make_dispatch_data(table);
  EXPECT_TRUE(before.normalised.topRows(150) == after.normalised.topRows(150));
  EXPECT_TRUE(before.supply.head(151) == after.supply.head(151));
  EXPECT_FALSE(before.normalised.row(150) == after.normalised.row(150));
  EXPECT_EQ(before.splits, (Splits{{24, 140}, {140, 170}, {170, 200}}));
}

TEST(DispatchFeatures, BadDemandIsNamed) {
  DemandTable table = random_demand(100, 2, 8);
  table.demand(5, 1) = -1;
  EXPECT_THROW(make_dispatch_data(table), std::invalid_argument);
  table = random_demand(100, 2, 8);
  table.hours[50] += std::chrono::minutes(30);
  EXPECT_THROW(make_dispatch_data(table), std::invalid_argument);
  EXPECT_THROW(make_dispatch_data(random_demand(30, 2, 8)), DataError);
  EXPECT_THROW(make_dispatch_data(random_demand(100, 2, 8), {.train = 0.9, .validation = 0.3}), DataError);
}

}  // namespace
}  // namespace softradial::study
