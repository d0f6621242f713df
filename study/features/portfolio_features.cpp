#include "features/portfolio_features.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace softradial::study {
namespace {

constexpr double kSmallestDeviation = 1e-12;

using Row = Eigen::Array<double, 1, Eigen::Dynamic>;

// Moments of a run of days, for all assets at once: count, means, sums of squared deviations of r_i and of m, sums of
// products of deviations of r_i and m.
struct Moments {
  double count = 0;
  double market_mean = 0;
  double market_squares = 0;
  Row mean, squares, products;

  explicit Moments(Eigen::Index assets)
      : mean(Row::Zero(assets)), squares(Row::Zero(assets)), products(Row::Zero(assets)) {}

  // Welford's update; the deviation of r is taken before, that of m after the new mean.
  void add(const Row& r, double m) {
    count += 1;
    const Row deviation = r - mean;
    const double market_deviation = m - market_mean;
    mean += deviation / count;
    market_mean += market_deviation / count;
    squares += deviation * (r - mean);
    products += deviation * (m - market_mean);
    market_squares += market_deviation * (m - market_mean);
  }

  // Both runs together: M = M_a + M_b + delta delta' n_a n_b / (n_a + n_b).
  void merge(const Moments& other) {
    const double total = count + other.count;
    const double weight = count * other.count / total;
    const Row shift = other.mean - mean;
    const double market_shift = other.market_mean - market_mean;
    squares += other.squares + weight * shift.square();
    products += other.products + weight * market_shift * shift;
    market_squares += other.market_squares + weight * market_shift * market_shift;
    mean += shift * (other.count / total);
    market_mean += market_shift * (other.count / total);
    count = total;
  }
};

std::string bad_price(const PriceTable& table, Eigen::Index row, Eigen::Index column) {
  const std::chrono::year_month_day date(table.dates[static_cast<size_t>(row)]);
  std::ostringstream text;
  text << "prices: " << table.tickers[static_cast<size_t>(column)] << " costs " << table.prices(row, column) << " on "
       << static_cast<int>(date.year()) << '-' << static_cast<unsigned>(date.month()) << '-'
       << static_cast<unsigned>(date.day()) << " (row " << row << "): a price must be positive and finite";
  return text.str();
}

}  // namespace

Table price_relatives(const PriceTable& table) {
  const Table& prices = table.prices;
  if (prices.rows() != std::ssize(table.dates) || prices.cols() != std::ssize(table.tickers)) {
    std::ostringstream text;
    text << "prices: a table of " << prices.rows() << " x " << prices.cols() << " for " << table.dates.size()
         << " dates and " << table.tickers.size() << " tickers";
    throw std::invalid_argument(text.str());
  }
  for (Eigen::Index t = 0; t < prices.rows(); ++t) {
    for (Eigen::Index i = 0; i < prices.cols(); ++i) {
      if (!(prices(t, i) > 0 && std::isfinite(prices(t, i)))) throw std::invalid_argument(bad_price(table, t, i));
    }
  }
  if (prices.rows() < 2) throw std::invalid_argument("prices: at least two dates are needed");
  const Eigen::Index days = prices.rows() - 1;
  return prices.bottomRows(days).cwiseQuotient(prices.topRows(days));
}

// Windows are put together from two runs that end at a multiple of the lookback: the rest of the block before (a suffix)
// and the beginning of this one (a prefix). Nothing is ever subtracted, so an outlier leaves no trace once it has left the
// window, which running sums cannot promise.
Table portfolio_features(const Table& returns, int64_t lookback) {
  if (lookback < 1) throw std::invalid_argument("the lookback must be at least 1, not " + std::to_string(lookback));
  const Eigen::Index days = returns.rows();
  const Eigen::Index assets = returns.cols();
  const Eigen::VectorXd market = returns.rowwise().mean();
  Table features = Table::Zero(days, 3 * assets);
  features.leftCols(assets) = returns;

  std::vector<Moments> suffixes;  // of the block before, by their first day
  for (Eigen::Index begin = 0; begin < days; begin += lookback) {
    const Eigen::Index end = std::min<Eigen::Index>(begin + lookback, days);
    Moments prefix(assets);
    for (Eigen::Index t = begin; t < end; ++t) {
      prefix.add(returns.row(t).array(), market(t));
      Moments window = prefix;
      const Eigen::Index first = t - lookback + 1 - (begin - lookback);  // of the window, in the block before
      if (begin > 0 && first < lookback) window.merge(suffixes[static_cast<size_t>(first)]);
      if (window.count < 2) continue;
      const Row deviation = (window.squares / window.count).sqrt();
      const double market_deviation = std::sqrt(window.market_squares / window.count);
      const Row both = deviation * market_deviation;
      features.row(t).segment(assets, assets) = deviation.matrix();
      features.row(t).segment(2 * assets, assets) =
          (both > kSmallestDeviation)
              .select(window.products / window.count / both.max(kSmallestDeviation), Row::Zero(assets))
              .matrix();
    }
    if (end - begin < lookback) break;
    suffixes.assign(static_cast<size_t>(lookback), Moments(assets));
    Moments suffix(assets);
    for (Eigen::Index t = end; t-- > begin;) {
      suffix.add(returns.row(t).array(), market(t));
      suffixes[static_cast<size_t>(t - begin)] = suffix;
    }
  }
  return features;
}

}  // namespace softradial::study
