#include "metrics/portfolio_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "data/calendar.hpp"

namespace softradial::study {

PortfolioReturns portfolio_returns(const Table& weights, const Table& relatives, double cost) {
  const Eigen::Index n = relatives.rows();
  if (weights.rows() != n + 1 || weights.cols() != relatives.cols()) {
    throw std::invalid_argument("portfolio returns: " + std::to_string(weights.rows()) + " days of weights for " +
                                std::to_string(n) + " days of relatives");
  }
  PortfolioReturns out{Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::VectorXd(n)};
  Eigen::RowVectorXd drift(weights.cols());
  for (Eigen::Index t = 0; t < n; ++t) {
    drift = weights.row(t).cwiseProduct(relatives.row(t));
    const double gross = drift.sum();
    const double moved = (weights.row(t + 1) - drift / gross).lpNorm<1>();
    out.turnover(t) = moved / 2;
    out.cost(t) = cost / 2 * moved;
    out.net(t) = gross - 1 - out.cost(t);
  }
  return out;
}

PortfolioMetrics portfolio_metrics(const PortfolioReturns& returns) {
  const Eigen::VectorXd& r = returns.net;
  const auto n = static_cast<double>(r.size());
  PortfolioMetrics m;
  if (r.size() < 2) {
    throw std::invalid_argument("portfolio metrics need at least 2 returns, not " + std::to_string(r.size()));
  }
  const double mean = r.mean();
  const double deviation = std::sqrt((r.array() - mean).square().sum() / (n - 1));
  m.sharpe = mean / deviation * std::sqrt(kTradingDaysPerYear);
  m.annual_volatility = deviation * std::sqrt(kTradingDaysPerYear);
  double wealth = 1;
  double peak = 1;
  for (Eigen::Index t = 0; t < r.size(); ++t) {
    wealth *= 1 + r(t);
    peak = std::max(peak, wealth);
    m.max_drawdown = std::max(m.max_drawdown, 1 - wealth / peak);
  }
  m.annual_return = wealth > 0 ? std::pow(wealth, kTradingDaysPerYear / n) - 1 : -1;
  m.turnover = returns.turnover.mean();
  m.cost = returns.cost.mean();
  return m;
}

}  // namespace softradial::study
