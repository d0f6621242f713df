#include "data/synthetic_prices.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "data/calendar.hpp"
#include "data/random.hpp"

namespace softradial::study {

namespace {

using namespace std::chrono;

constexpr sys_days kFirstDay = sys_days(2010y / January / 4);
constexpr double kPersistence = 0.98;
constexpr double kTurbulence = 2.2;
constexpr double kCalmDays = 120;
constexpr double kTurbulentDays = 30;
constexpr double kTurbulentLoss = 0.3;
constexpr double kLargestShock = 7;

// Sums are plain loops throughout, because vectorised sums add in an order that depends on the machine.
using Series = std::vector<double>;

double mean_of(const Series& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double dot(const Series& a, const Series& b) {
  double sum = 0;
  for (std::size_t t = 0; t < a.size(); ++t) sum += a[t] * b[t];
  return sum;
}

// Shifts and scales the values to mean 0 and variance 1 (divisor n - 1). If `other` is given, the component along it is
// removed first.
void standardize(Series& values, const Series* other = nullptr) {
  const double mean = mean_of(values);
  for (double& value : values) value -= mean;
  if (other != nullptr) {
    const double slope = dot(values, *other) / dot(*other, *other);
    for (std::size_t t = 0; t < values.size(); ++t) values[t] -= slope * (*other)[t];
  }
  const double scale = std::sqrt(dot(values, values) / static_cast<double>(values.size() - 1));
  for (double& value : values) value /= scale;
}

std::vector<sys_days> weekdays_until(sys_days last) {
  std::vector<sys_days> all;
  for (sys_days day = kFirstDay; day <= last; day += days(1)) {
    if (const weekday name(day); name != Saturday && name != Sunday) all.push_back(day);
  }
  return all;
}

// Evenly spaced numbers from -1 to 1, shuffled.
Series shuffled_grid(std::size_t n, Random& random) {
  Series grid(n);
  for (std::size_t i = 0; i < n; ++i) grid[i] = 2 * static_cast<double>(i) / static_cast<double>(n - 1) - 1;
  for (std::size_t i = n - 1; i > 0; --i) std::swap(grid[i], grid[random.bits() % (i + 1)]);
  return grid;
}

Series relative_volatilities(const Universe& universe, Random& random) {
  Series q = shuffled_grid(universe.assets, random);
  for (double& value : q) value = portable_exp(universe.volatility_spread * value);
  const double scale = std::sqrt(dot(q, q) / static_cast<double>(q.size()));
  for (double& value : q) value /= scale;
  return q;
}

// b_i = m + h grid_i with h = spread (1 - m). The mean of b_i b_j over pairs is m^2 - h^2 mean(grid^2) / (n - 1), and
// m is found by fixed-point iteration: the second term is small.
Series loadings(const Universe& universe, double correlation, const Series& grid) {
  const auto n = static_cast<double>(grid.size());
  const double grid_variance = dot(grid, grid) / n;
  double m = std::sqrt(correlation);
  double h = 0;
  for (int i = 0; i < 20; ++i) {
    h = universe.loading_spread * (1 - m);
    m = std::sqrt(correlation + h * h * grid_variance / (n - 1));
  }
  Series b = grid;
  for (double& value : b) value = m + h * value;
  return b;
}

double shock(Random& random) { return std::clamp(random.fat_tailed(), -kLargestShock, kLargestShock); }

Series turbulence(std::size_t count, Random& random) {
  Series v(count);
  bool turbulent = false;
  for (double& value : v) {
    if (random.uniform() < 1 / (turbulent ? kTurbulentDays : kCalmDays)) turbulent = !turbulent;
    value = turbulent ? kTurbulence : 1;
  }
  return v;
}

// The signal g, shape (dates, assets).
Table hidden_signal(std::size_t dates, std::size_t assets, std::uint64_t seed) {
  Table g(static_cast<Eigen::Index>(dates), static_cast<Eigen::Index>(assets));
  const double innovation = std::sqrt(1 - kPersistence * kPersistence);
  for (Eigen::Index j = 0; j < g.cols(); ++j) {
    Random random(seed, 2000 + static_cast<std::uint64_t>(j));
    double x = random.normal();
    for (Eigen::Index t = 0; t < g.rows(); ++t) {
      g(t, j) = x / (1 + std::abs(x));
      x = kPersistence * x + innovation * random.normal();
    }
  }
  return g;
}

// The theta at which z_t + theta z_t-1 has lag-1 autocorrelation a: a = theta / (1 + theta^2).
double moving_average(double a) { return a == 0 ? 0 : (1 - std::sqrt(1 - 4 * a * a)) / (2 * a); }

// The parts of the market that all spans share.
struct Market {
  const Universe& universe;
  Table signal;   // (dates, assets)
  Series v;       // per return
  Series market;  // z_t of the market, per return
  Table own;      // z_it, (returns, assets)
  Series q;
  Series loading_grid;
};

Market draw_market(const Universe& universe, std::size_t dates, std::uint64_t seed) {
  const std::size_t returns = dates - 1;
  Random shapes(seed, 0);
  Random regimes(seed, 1);
  Random shocks(seed, 2);
  Market market{universe,
                hidden_signal(dates, universe.assets, seed),
                turbulence(returns, regimes),
                Series(returns),
                Table(static_cast<Eigen::Index>(returns), static_cast<Eigen::Index>(universe.assets)),
                relative_volatilities(universe, shapes),
                shuffled_grid(universe.assets, shapes)};
  for (double& z : market.market) z = shock(shocks);
  for (Eigen::Index j = 0; j < market.own.cols(); ++j) {
    Random own(seed, 1000 + static_cast<std::uint64_t>(j));
    for (Eigen::Index t = 0; t < market.own.rows(); ++t) market.own(t, j) = shock(own);
  }
  return market;
}

Series market_factor(const Market& market, std::size_t begin, std::size_t end, const MarketTargets& target) {
  // On average, an asset's autocorrelation is b_i^2 times the market's, which is about the correlation times the market's.
  const double theta = moving_average(std::clamp(target.autocorrelation / target.correlation, -0.45, 0.45));
  Series f;
  for (std::size_t t = begin; t < end; ++t) {
    const double before = t > 0 ? market.market[t - 1] : 0;
    const double loss = market.v[t] > 1 ? kTurbulentLoss : 0;
    f.push_back(market.v[t] * (market.market[t] + theta * before) - loss);
  }
  standardize(f);
  return f;
}

// Writes the returns of the span into the rows begin .. end - 1.
void fill_span(const Market& market, std::size_t begin, std::size_t end, const MarketTargets& target, Table& returns) {
  const std::size_t n = market.universe.assets;
  const std::size_t count = end - begin;
  const Series b = loadings(market.universe, target.correlation, market.loading_grid);
  const Series f = market_factor(market, begin, end, target);

  Series signal_mean(count, 0);
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t j = 0; j < n; ++j) {
      signal_mean[t] += market.signal(static_cast<Eigen::Index>(begin + t), static_cast<Eigen::Index>(j));
    }
    signal_mean[t] /= static_cast<double>(n);
  }

  // Deviations from the drift, in units of the span's daily volatility.
  std::vector<Series> deviations(n, Series(count));
  double variance = 0;
  double mean = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    Series own(count);
    for (std::size_t t = 0; t < count; ++t) {
      const auto row = static_cast<Eigen::Index>(begin + t);
      // Row t of the signal is the close before return t.
      own[t] =
          (1 - kSignalCalm * market.signal(row, column)) * std::sqrt(market.v[begin + t]) * market.own(row, column);
    }
    standardize(own, &f);
    const double rest = std::sqrt(1 - b[j] * b[j]);
    for (std::size_t t = 0; t < count; ++t) {
      const double h = market.signal(static_cast<Eigen::Index>(begin + t), column) - signal_mean[t];
      deviations[j][t] = market.q[j] * (b[j] * f[t] + rest * (own[t] + kSignalReturn * h));
    }
    const double average = mean_of(deviations[j]);
    variance += dot(deviations[j], deviations[j]) - static_cast<double>(count) * average * average;
    mean += average / static_cast<double>(n);
  }
  variance /= static_cast<double>((count - 1) * n);

  const double scale = target.volatility / std::sqrt(kTradingDaysPerYear * variance);
  const double mean_q = mean_of(market.q);
  for (std::size_t j = 0; j < n; ++j) {
    const double drift = target.mean / kTradingDaysPerYear * market.q[j] / mean_q;
    for (std::size_t t = 0; t < count; ++t) {
      returns(static_cast<Eigen::Index>(begin + t), static_cast<Eigen::Index>(j)) =
          drift + scale * (deviations[j][t] - mean);
    }
  }
}

std::string ticker(const Universe& universe, std::size_t j) {
  char number[24];
  std::snprintf(number, sizeof number, "%02zu", j + 1);
  return universe.ticker_prefix + number;
}

}  // namespace

SyntheticPrices generate_prices(const Universe& universe, std::uint64_t seed) {
  SyntheticPrices result;
  PriceTable& table = result.table;
  table.dates = weekdays_until(universe.targets.back().last_day);
  for (std::size_t j = 0; j < universe.assets; ++j) table.tickers.push_back(ticker(universe, j));

  Market market = draw_market(universe, table.dates.size(), seed);
  Table returns(market.own.rows(), market.own.cols());
  std::size_t begin = 0;
  for (const MarketTargets& target : universe.targets) {
    const auto after = std::ranges::upper_bound(table.dates, target.last_day) - table.dates.begin();
    const auto end = static_cast<std::size_t>(after - 1);  // return t ends on date t + 1
    fill_span(market, begin, end, target, returns);
    begin = end;
  }

  table.prices.resize(returns.rows() + 1, returns.cols());
  table.prices.row(0).setConstant(100);
  for (Eigen::Index t = 0; t < returns.rows(); ++t) {
    for (Eigen::Index j = 0; j < returns.cols(); ++j) table.prices(t + 1, j) = table.prices(t, j) * (1 + returns(t, j));
  }
  result.signal = std::move(market.signal);
  return result;
}

}  // namespace softradial::study
