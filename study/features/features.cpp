#include "features/features.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace softradial::study {

Standardisation Standardisation::fit(const Eigen::Ref<const Table>& rows, double floor, Team* team) {
  const auto of_all = [team](Eigen::VectorXd sums) {
    if (team != nullptr) team->sum({sums.data(), static_cast<size_t>(sums.size())});
    return sums;
  };
  const double count = of_all(Eigen::VectorXd::Constant(1, static_cast<double>(rows.rows())))(0);
  if (count == 0) throw DataError("standardisation: the training split has no rows");
  Standardisation s;
  s.mean = of_all(rows.colwise().sum()) / count;
  s.scale =
      (of_all((rows.rowwise() - s.mean.transpose()).array().square().colwise().sum()) / count).array().sqrt() + floor;
  return s;
}

// All columns have the same number of rows: scale^2 = mean of the variances + variance of the means.
Standardisation Standardisation::pooled(Eigen::Index columns) const {
  Standardisation out = *this;
  for (Eigen::Index first = 0; first < mean.size(); first += columns) {
    const auto means = mean.segment(first, columns).array();
    const double center = means.mean();
    const double variance = scale.segment(first, columns).array().square().mean() + (means - center).square().mean();
    out.mean.segment(first, columns).setConstant(center);
    out.scale.segment(first, columns).setConstant(std::sqrt(variance));
  }
  return out;
}

void Standardisation::apply(Table& rows) const {
  if (rows.cols() != mean.size()) {
    throw std::invalid_argument("standardisation of " + std::to_string(mean.size()) + " columns, given " +
                                std::to_string(rows.cols()));
  }
  rows.rowwise() -= mean.transpose();
  rows.array().rowwise() /= scale.transpose().array();
}

namespace {

constexpr double kSmallestDeviation = 1e-12;

using AssetRow = Eigen::Array<double, 1, Eigen::Dynamic>;

// Moments of a run of days, for all assets at once: the count, the means, the sums of squared deviations of r_i and of m, and
// the sums of products of the deviations of r_i and m.
struct Moments {
  double count = 0;
  double market_mean = 0;
  double market_squares = 0;
  AssetRow mean, squares, products;

  explicit Moments(Eigen::Index assets)
      : mean(AssetRow::Zero(assets)), squares(AssetRow::Zero(assets)), products(AssetRow::Zero(assets)) {}

  // Welford's update: uses the deviation of r from the old mean and that of m from the new one.
  void add(const AssetRow& r, double m) {
    count += 1;
    const AssetRow deviation = r - mean;
    const double market_deviation = m - market_mean;
    mean += deviation / count;
    market_mean += market_deviation / count;
    squares += deviation * (r - mean);
    products += deviation * (m - market_mean);
    market_squares += market_deviation * (m - market_mean);
  }

  // Merges two runs: M = M_a + M_b + delta delta' n_a n_b / (n_a + n_b).
  void merge(const Moments& other) {
    const double total = count + other.count;
    const double weight = count * other.count / total;
    const AssetRow shift = other.mean - mean;
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
      if (!(prices(t, i) > 0 && std::isfinite(prices(t, i)))) throw DataError(bad_price(table, t, i));
    }
  }
  if (prices.rows() < 2) throw DataError("prices: at least two dates are needed");
  const Eigen::Index days = prices.rows() - 1;
  return prices.bottomRows(days).cwiseQuotient(prices.topRows(days));
}

// The days are cut into blocks as long as the lookback. A window is the end of one block (a suffix) plus the beginning of the
// next (a prefix). Nothing is ever subtracted, so an outlier leaves no trace once it has left the window. Running sums cannot
// guarantee that.
Table portfolio_features(const Table& returns, int64_t lookback) {
  if (lookback < 1) throw std::invalid_argument("the lookback must be at least 1, not " + std::to_string(lookback));
  const Eigen::Index days = returns.rows();
  const Eigen::Index assets = returns.cols();
  const Eigen::VectorXd market = returns.rowwise().mean();
  Table features = Table::Zero(days, 3 * assets);
  features.leftCols(assets) = returns;

  std::vector<Moments> suffixes;  // suffixes of the previous block, by their first day
  for (Eigen::Index begin = 0; begin < days; begin += lookback) {
    const Eigen::Index end = std::min<Eigen::Index>(begin + lookback, days);
    Moments prefix(assets);
    for (Eigen::Index t = begin; t < end; ++t) {
      prefix.add(returns.row(t).array(), market(t));
      Moments window = prefix;
      const Eigen::Index first =
          t - lookback + 1 - (begin - lookback);  // first day of the window in the previous block
      if (begin > 0 && first < lookback) window.merge(suffixes[static_cast<size_t>(first)]);
      if (window.count < 2) continue;
      const AssetRow deviation = (window.squares / window.count).sqrt();
      const double market_deviation = std::sqrt(window.market_squares / window.count);
      const AssetRow both = deviation * market_deviation;
      features.row(t).segment(assets, assets) = deviation.matrix();
      features.row(t).segment(2 * assets, assets) =
          (both > kSmallestDeviation)
              .select(window.products / window.count / both.max(kSmallestDeviation), AssetRow::Zero(assets))
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

Table calendar_features(const std::vector<std::chrono::local_seconds>& hours) {
  using namespace std::chrono;
  Table out(std::ssize(hours), 4);
  for (Eigen::Index t = 0; t < out.rows(); ++t) {
    const local_seconds time = hours[static_cast<size_t>(t)];
    const local_days day = floor<days>(time);
    const auto hour = static_cast<double>(floor<std::chrono::hours>(time - day).count());
    const double weekday_index = std::chrono::weekday(day).iso_encoding() - 1;
    const double of_day = 2 * std::numbers::pi * hour / 24;
    const double of_week = 2 * std::numbers::pi * weekday_index / 7;
    out.row(t) << std::sin(of_day), std::cos(of_day), std::sin(of_week), std::cos(of_week);
  }
  return out;
}

Eigen::VectorXd supply(const Table& demand) {
  Eigen::VectorXd out = Eigen::VectorXd::Ones(demand.rows());
  for (Eigen::Index t = 1; t < demand.rows(); ++t) out(t) = std::max(1.0, demand.row(t - 1).sum());
  return out;
}

void check_demand(const DemandTable& table) {
  const Table& demand = table.demand;
  std::ostringstream text;
  if (demand.rows() != std::ssize(table.hours) || demand.cols() != std::ssize(table.zones)) {
    text << "demand: a table of " << demand.rows() << " x " << demand.cols() << " for " << table.hours.size()
         << " hours and " << table.zones.size() << " zones";
    throw std::invalid_argument(text.str());
  }
  for (size_t t = 1; t < table.hours.size(); ++t) {
    if (table.hours[t] - table.hours[t - 1] == std::chrono::hours(1)) continue;
    text << "demand: rows " << t - 1 << " and " << t << " are "
         << std::chrono::duration_cast<std::chrono::minutes>(table.hours[t] - table.hours[t - 1]).count()
         << " minutes apart: every hour needs its row";
    throw std::invalid_argument(text.str());
  }
  for (Eigen::Index t = 0; t < demand.rows(); ++t) {
    for (Eigen::Index i = 0; i < demand.cols(); ++i) {
      if (demand(t, i) >= 0 && std::isfinite(demand(t, i))) continue;
      text << "demand: zone " << table.zones[static_cast<size_t>(i)] << " asks for " << demand(t, i) << " in row " << t
           << ": demand must be finite and not negative";
      throw std::invalid_argument(text.str());
    }
  }
}

}  // namespace softradial::study
