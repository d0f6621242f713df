#include "data/synthetic_prices.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "data/calendar.hpp"
#include "data/summary.hpp"
#include "data/table_files.hpp"
#include "study/data/table_checks.hpp"

namespace softradial::study {
namespace {

constexpr int kSeeds = 5;

// The mean and the volatility are made equal for every seed; the correlation up to the shocks' own, of order
// 1 / (assets sqrt(days)); the autocorrelation of n fat-tailed days in regimes spreads by about 2 / sqrt(n), times the
// correlation: 0.045 for the 522 days of validation. Four of these.
constexpr double kExact = 1e-9;
constexpr double kCorrelationTolerance = 0.02;
double autocorrelation_tolerance(std::size_t days, double correlation) {
  return 0.01 + 8 * correlation / std::sqrt(static_cast<double>(days));
}

class SyntheticPricesOf : public testing::TestWithParam<std::string> {};

TEST_P(SyntheticPricesOf, HaveTheStatisticsOfThePaper) {
  const Universe universe = find_universe(GetParam());
  int other_regime = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const std::vector<SplitSummary> rows = summarize(generate_prices(universe, seed).table, table_splits());
    for (std::size_t s = 0; s < rows.size(); ++s) {
      SCOPED_TRACE(rows[s].split + ", seed " + std::to_string(seed));
      const MarketTargets& target = universe.targets[s];
      EXPECT_NEAR(rows[s].mean, target.mean, kExact);
      EXPECT_NEAR(rows[s].volatility, target.volatility, kExact);
      EXPECT_NEAR(rows[s].correlation, target.correlation, kCorrelationTolerance);
      EXPECT_NEAR(rows[s].autocorrelation, target.autocorrelation,
                  autocorrelation_tolerance(rows[s].days, target.correlation));
      // The paper's lie between -14 % and -37 %.
      EXPECT_LT(rows[s].max_drawdown, -0.04);
      EXPECT_GT(rows[s].max_drawdown, -0.55);
    }
    other_regime += *rows[2].ks_p_value < 0.05 ? 1 : 0;
  }
  EXPECT_GE(other_regime, 4) << "seeds whose test years differ from training at the 5 % level";
}

TEST_P(SyntheticPricesOf, HaveFatTailsAndVolatilityThatClusters) {
  const Table returns = simple_returns(generate_prices(find_universe(GetParam()), 0).table);
  const Eigen::ArrayXd market = returns.rowwise().mean().array() - returns.mean();
  const Eigen::ArrayXd squares = market.square();
  EXPECT_GT(squares.square().mean() / (squares.mean() * squares.mean()), 4) << "kurtosis; normal: 3";
  const Eigen::ArrayXd d = squares - squares.mean();
  const Eigen::Index n = d.size() - 5;
  EXPECT_GT((d.head(n) * d.tail(n)).mean() / d.square().mean(), 0.05) << "squares, five days apart";
}

double sharpe(const Eigen::VectorXd& returns) {
  const double mean = returns.mean();
  return std::sqrt(252.0) * mean / std::sqrt((returns.array() - mean).square().mean());
}

// Long only, fully invested: weights proportional to 1 + score for scores in (-1, 1), known before the day.
Eigen::VectorXd tilted(const Table& returns, const Table& score) {
  Eigen::VectorXd result(returns.rows());
  for (Eigen::Index t = 0; t < returns.rows(); ++t) {
    const Eigen::ArrayXd weights = 1 + score.row(t).transpose().array();
    result(t) = (weights * returns.row(t).transpose().array()).sum() / weights.sum();
  }
  return result;
}

// Mean over days of the correlation across assets of score and return.
double mean_rank_skill(const Table& returns, const Table& score) {
  double sum = 0;
  for (Eigen::Index t = 0; t < returns.rows(); ++t) {
    const Eigen::ArrayXd r = returns.row(t).array() - returns.row(t).mean();
    const Eigen::ArrayXd s = score.row(t).array() - score.row(t).mean();
    sum += (r * s).sum() / std::sqrt(r.square().sum() * s.square().sum());
  }
  return sum / static_cast<double>(returns.rows());
}

TEST_P(SyntheticPricesOf, HideASignalThatAnOracleCanUseAndThatIsWeak) {
  double gain = 0;
  double skill = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const SyntheticPrices prices = generate_prices(find_universe(GetParam()), seed);
    const Table returns = simple_returns(prices.table);
    const Table signal = prices.signal.topRows(returns.rows());  // the close before each return
    gain += (sharpe(tilted(returns, signal)) - sharpe(returns.rowwise().mean())) / kSeeds;
    skill += mean_rank_skill(returns, signal) / kSeeds;
  }
  RecordProperty("gain", std::to_string(gain));
  RecordProperty("skill", std::to_string(skill));
  EXPECT_GT(gain, 0.1) << "annual Sharpe ratio of the oracle above equal weight's";
  EXPECT_LT(gain, 1.5);
  EXPECT_GT(skill, 0.01);
  EXPECT_LT(skill, 0.08) << "a day's returns are noise for the most part";
}

// The volatility of the last 20 days, all that a policy sees, shows a part of the signal.
TEST_P(SyntheticPricesOf, ShowTheSignalInPastVolatility) {
  double correlation = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const SyntheticPrices prices = generate_prices(find_universe(GetParam()), seed);
    const Table returns = simple_returns(prices.table);
    const Table own = returns.colwise() - returns.rowwise().mean();
    constexpr Eigen::Index kDays = 20;
    const Eigen::Index rows = own.rows() - kDays;
    for (Eigen::Index j = 0; j < own.cols(); ++j) {
      Eigen::ArrayXd calm(rows);
      for (Eigen::Index t = 0; t < rows; ++t) calm(t) = -std::log(own.col(j).segment(t, kDays).squaredNorm());
      Eigen::ArrayXd hidden = prices.signal.col(j).segment(kDays, rows).array();
      calm -= calm.mean();
      hidden -= hidden.mean();
      correlation += (calm * hidden).sum() / std::sqrt(calm.square().sum() * hidden.square().sum()) /
                     static_cast<double>(kSeeds * own.cols());
    }
  }
  RecordProperty("correlation", std::to_string(correlation));
  EXPECT_GT(correlation, 0.1);
  EXPECT_LT(correlation, 0.8);
}

INSTANTIATE_TEST_SUITE_P(Universes, SyntheticPricesOf, testing::Values("liquid", "sectors", "global"),
                         [](const auto& universe) { return universe.param; });

TEST(SyntheticPrices, CoverTheYearsDayByDay) {
  const PriceTable table = load_prices("synthetic:liquid", 0).table;
  EXPECT_EQ(table.tickers.size(), 50U);
  EXPECT_EQ(table.tickers.front(), "LIQ01");
  EXPECT_EQ(format_date(table.dates.front()), "2010-01-04");
  EXPECT_EQ(format_date(table.dates.back()), "2025-12-31");
  EXPECT_EQ(table.dates.size(), 4173U);
  EXPECT_GT(table.prices.minCoeff(), 0);
  EXPECT_LT(simple_returns(table).cwiseAbs().maxCoeff(), 0.5);
  EXPECT_EQ(load_prices("synthetic:sectors", 0).table.tickers.size(), 9U);
  EXPECT_EQ(load_prices("synthetic:global", 0).table.tickers.size(), 11U);
}

TEST(SyntheticPrices, AreASeedsOwn) {
  const Table zero = load_prices("synthetic:sectors", 0).table.prices;
  EXPECT_EQ(load_prices("synthetic:sectors", 0).table.prices, zero);
  EXPECT_NE(load_prices("synthetic:sectors", 1).table.prices, zero);
}

// The numbers themselves: another compiler, optimisation or machine must give the same bits.
TEST(SyntheticPrices, AreTheSameOnEveryMachine) {
  EXPECT_EQ(test::bit_sum(load_prices("synthetic:sectors", 0).table.prices), 0xc25affe85a755021U);
  EXPECT_EQ(test::bit_sum(load_prices("synthetic:liquid", 7).table.prices), 0xf9bc91841e6f3addU);
}

TEST(SyntheticPrices, UnknownNamesAreRefused) {
  EXPECT_EQ(test::failure_text([] { (void)load_prices("synthetic:bonds", 0); }),
            "the synthetic prices \"bonds\" are not known: expected synthetic:liquid, synthetic:sectors or "
            "synthetic:global");
}

}  // namespace
}  // namespace softradial::study
