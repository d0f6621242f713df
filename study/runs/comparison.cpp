#include "runs/comparison.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "data/calendar.hpp"
#include "metrics/losses.hpp"

namespace softradial::study {
namespace {

constexpr int64_t kDaysTogether = 20;
constexpr int64_t kHoursTogether = 24;

struct Moments {
  double mean = 0;
  double deviation = 0;  // with n - 1
};

Moments moments(const Eigen::VectorXd& values, std::span<const int64_t> rows) {
  Moments out;
  const auto n = static_cast<double>(rows.size());
  for (const int64_t row : rows) out.mean += values[row] / n;
  double square = 0;
  for (const int64_t row : rows) square += (values[row] - out.mean) * (values[row] - out.mean);
  out.deviation = std::sqrt(square / (n - 1));
  return out;
}

Eigen::VectorXd rates_of(const DispatchEvaluation& evaluation) {
  return served_rates(evaluation.shares, evaluation.supply, evaluation.demand);
}

Comparison named(const std::vector<const char*>& names, const std::vector<Interval>& intervals) {
  Comparison out;
  for (size_t k = 0; k < names.size(); ++k) out.emplace_back(names[k], intervals[k]);
  return out;
}

}  // namespace

Comparison against_equal_weight(const std::vector<PortfolioEvaluation>& policies,
                                const PortfolioEvaluation& equal_weight) {
  const auto statistics = [&](std::span<const int64_t> days) {
    const Moments base = moments(equal_weight.returns.net, days);
    double sharpe = 0;
    double volatility = 0;
    for (const PortfolioEvaluation& policy : policies) {
      const Moments own = moments(policy.returns.net, days);
      sharpe += own.mean / own.deviation;
      volatility += own.deviation;
    }
    const auto count = static_cast<double>(policies.size());
    return std::vector<double>{std::sqrt(kTradingDaysPerYear) * (sharpe / count - base.mean / base.deviation),
                               volatility / count / base.deviation};
  };
  return named({"sharpe_difference", "volatility_ratio"},
               block_bootstrap(equal_weight.returns.net.size(), statistics, {.block = kDaysTogether}));
}

Comparison against_equal_weight(const std::vector<DispatchEvaluation>& policies,
                                const DispatchEvaluation& equal_weight) {
  Eigen::VectorXd differences = -rates_of(equal_weight);
  for (const DispatchEvaluation& policy : policies) {
    differences += rates_of(policy) / static_cast<double>(policies.size());
  }
  const auto statistics = [&](std::span<const int64_t> hours) {
    return std::vector<double>{moments(differences, hours).mean};
  };
  return named({"served_rate_difference"}, block_bootstrap(differences.size(), statistics, {.block = kHoursTogether}));
}

nlohmann::json to_json(const Comparison& comparison) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [name, interval] : comparison) {
    out[name] = {{"value", interval.value}, {"low", interval.low}, {"high", interval.high}};
  }
  return out;
}

}  // namespace softradial::study
