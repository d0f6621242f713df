#pragma once

#include <Eigen/Core>
#include <array>
#include <string_view>
#include <utility>

#include "data/tables.hpp"

namespace softradial::study {

template <class Metrics>
using MetricField = std::pair<std::string_view, double Metrics::*>;

// Metrics net of the exact L1 cost. A year has 252 trading days.
struct PortfolioMetrics {
  double sharpe = 0;             // sqrt(252) mean / std of the daily returns, std with n - 1
  double annual_return = 0;      // geometric: wealth^(252 / n) - 1
  double annual_volatility = 0;  // sqrt(252) std
  double max_drawdown = 0;       // the largest loss from a peak of wealth, in [0, 1]
  double turnover = 0;           // one-way, per day: 1/2 sum_i |w_t - drifted w_{t-1}|, mean
  double cost = 0;               // mean cost per day
  bool operator==(const PortfolioMetrics&) const = default;
};

// The name of each metric in reports and files, with a pointer to its member.
constexpr auto metric_fields(const PortfolioMetrics&) {
  return std::to_array<MetricField<PortfolioMetrics>>({{"sharpe", &PortfolioMetrics::sharpe},
                                                       {"annual_return", &PortfolioMetrics::annual_return},
                                                       {"annual_volatility", &PortfolioMetrics::annual_volatility},
                                                       {"max_drawdown", &PortfolioMetrics::max_drawdown},
                                                       {"turnover", &PortfolioMetrics::turnover},
                                                       {"cost", &PortfolioMetrics::cost}});
}

struct PortfolioReturns {
  Eigen::VectorXd net;       // R_t = g_t - 1 - gamma/2 |x_t|_1, see losses.hpp
  Eigen::VectorXd turnover;  // |x_t|_1 / 2
  Eigen::VectorXd cost;      // gamma/2 |x_t|_1
};

// weights (days, N), relatives (days - 1, N). Taking the first day's position costs nothing; every later change costs.
PortfolioReturns portfolio_returns(const Table& weights, const Table& relatives, double cost);
PortfolioMetrics portfolio_metrics(const PortfolioReturns& returns);

}  // namespace softradial::study
