#include "data/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "data/calendar.hpp"
#include "data/tables.hpp"

namespace softradial::study {

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// Returns 0 if a series is constant.
double correlation(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  const Eigen::VectorXd x = a.array() - a.mean();
  const Eigen::VectorXd y = b.array() - b.mean();
  const double scale = std::sqrt(x.squaredNorm() * y.squaredNorm());
  return scale > 0 ? x.dot(y) / scale : 0;
}

double mean_pairwise_correlation(const Table& returns) {
  const Eigen::Index n = returns.cols();
  if (n < 2) return 0;
  Eigen::MatrixXd scores = returns.rowwise() - returns.colwise().mean();
  for (Eigen::Index j = 0; j < n; ++j) {
    if (const double norm = scores.col(j).norm(); norm > 0) scores.col(j) /= norm;
  }
  // sum over pairs i != j of z_i . z_j = |sum z|^2 - sum |z|^2.
  const double all = scores.rowwise().sum().squaredNorm();
  return (all - scores.squaredNorm()) / static_cast<double>(n * (n - 1));
}

double mean_autocorrelation(const Table& returns) {
  const Eigen::Index pairs = returns.rows() - 1;
  double sum = 0;
  for (Eigen::Index j = 0; j < returns.cols(); ++j) {
    sum += correlation(returns.col(j).tail(pairs), returns.col(j).head(pairs));
  }
  return sum / static_cast<double>(returns.cols());
}

double lagged_correlation(const Eigen::VectorXd& series, Eigen::Index lag) {
  const Eigen::Index pairs = series.size() - lag;
  return pairs < 2 ? 0 : correlation(series.tail(pairs), series.head(pairs));
}

double max_drawdown(const Eigen::VectorXd& returns) {
  double wealth = 1;
  double peak = 1;
  double worst = 0;
  for (const double r : returns) {
    wealth *= 1 + r;
    peak = std::max(peak, wealth);
    worst = std::min(worst, wealth / peak - 1);
  }
  return worst;
}

double volatility(const Table& returns) {
  const Table deviations = returns.rowwise() - returns.colwise().mean();
  const double mean_variance = deviations.squaredNorm() / static_cast<double>((returns.rows() - 1) * returns.cols());
  return std::sqrt(kTradingDaysPerYear * mean_variance);
}

}  // namespace

Table simple_returns(const PriceTable& table) {
  const Eigen::Index days = table.prices.rows();
  if (days < 2) return Table(0, table.prices.cols());
  return table.prices.bottomRows(days - 1).array() / table.prices.topRows(days - 1).array() - 1;
}

double kolmogorov_smirnov_p(std::vector<double> a, std::vector<double> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  double distance = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double x = std::min(a[i], b[j]);
    while (i < a.size() && a[i] == x) ++i;
    while (j < b.size() && b[j] == x) ++j;
    distance = std::max(distance, std::abs(static_cast<double>(i) / n - static_cast<double>(j) / m));
  }
  const double l = std::sqrt(n * m / (n + m)) * distance;
  // Below this, the sum is 1 up to rounding and the series converges slowly.
  if (l < 0.2) return 1;
  double p = 0;
  for (int k = 1; k <= 100; ++k) p += (k % 2 == 1 ? 2 : -2) * std::exp(-2 * l * l * k * k);
  return std::clamp(p, 0.0, 1.0);
}

std::vector<SplitSummary> summarize(const PriceTable& table, const SplitDates& splits) {
  const Table returns = simple_returns(table);
  // Row t of the returns belongs to dates[t + 1].
  const auto end_of = [&table](std::chrono::sys_days last) {
    const auto after = std::ranges::upper_bound(table.dates, last) - table.dates.begin();
    return std::max<Eigen::Index>(0, after - 1);
  };
  const std::array<Eigen::Index, 4> bounds = {0, end_of(splits.train_end), end_of(splits.validation_end),
                                              returns.rows()};
  std::vector<SplitSummary> all;
  std::vector<double> training;
  for (std::size_t s = 0; s < kSplitNames.size(); ++s) {
    const Eigen::Index count = bounds[s + 1] - bounds[s];
    const std::string name(kSplitNames[s]);
    if (count < 3) {
      throw DataError("the split " + name + " has " + std::to_string(std::max<Eigen::Index>(0, count)) +
                      " returns, too few to describe (train to " + format_date(splits.train_end) + ", validation to " +
                      format_date(splits.validation_end) + ", data to " +
                      (table.dates.empty() ? "nowhere" : format_date(table.dates.back())) + ")");
    }
    const Table r = returns.middleRows(bounds[s], count);
    const Eigen::VectorXd equal_weight = r.rowwise().mean();
    const std::vector<double> sample(equal_weight.begin(), equal_weight.end());
    SplitSummary summary{
        .split = name,
        .first = table.dates[static_cast<std::size_t>(bounds[s] + 1)],
        .last = table.dates[static_cast<std::size_t>(bounds[s + 1])],
        .days = static_cast<std::size_t>(count),
        .mean = kTradingDaysPerYear * r.mean(),
        .median = kTradingDaysPerYear * median(std::vector<double>(r.data(), r.data() + r.size())),
        .volatility = volatility(r),
        .max_drawdown = max_drawdown(equal_weight),
        .correlation = mean_pairwise_correlation(r),
        .autocorrelation = mean_autocorrelation(r),
        .ks_p_value = std::nullopt,
    };
    if (s == 0) {
      training = sample;
    } else {
      summary.ks_p_value = kolmogorov_smirnov_p(training, sample);
    }
    all.push_back(std::move(summary));
  }
  return all;
}

std::vector<DemandSummary> summarize(const DemandTable& table, const FractionSplit& split) {
  constexpr Eigen::Index kFewest = 3;
  const auto hours = static_cast<Eigen::Index>(table.hours.size());
  const auto until = [&](double fraction) { return static_cast<Eigen::Index>(fraction * static_cast<double>(hours)); };
  const std::array<Eigen::Index, 4> ends = {0, until(split.train), until(split.train + split.validation), hours};
  std::vector<DemandSummary> rows;
  for (std::size_t k = 0; k < kSplitNames.size(); ++k) {
    const Eigen::Index begin = ends[k];
    const Eigen::Index count = ends[k + 1] - begin;
    const std::string name(kSplitNames[k]);
    if (count < kFewest)
      throw DataError("the " + name + " split has " + std::to_string(count) + " hours; 3 are needed");
    const Table demand = table.demand.middleRows(begin, count);
    const Eigen::VectorXd total = demand.rowwise().sum();
    const double all = total.sum();
    double served = 0;
    for (Eigen::Index t = 1; t < count; ++t) {
      served += demand.row(t - 1).cwiseMin(demand.row(t)).sum() / std::max(total[t], 1.0);
    }
    rows.push_back({.split = name,
                    .first = table.hours[static_cast<std::size_t>(begin)],
                    .last = table.hours[static_cast<std::size_t>(begin + count - 1)],
                    .hours = static_cast<std::size_t>(count),
                    .mean = total.mean(),
                    .peak = total.maxCoeff(),
                    .busiest = all > 0 ? demand.colwise().sum().maxCoeff() / all : 0,
                    .idle = static_cast<double>((demand.array() == 0).count()) / static_cast<double>(demand.size()),
                    .daily_correlation = lagged_correlation(total, 24),
                    .weekly_correlation = lagged_correlation(total, 168),
                    .last_hour_served = served / static_cast<double>(count - 1)});
  }
  return rows;
}

}  // namespace softradial::study
