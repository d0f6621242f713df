#include "report/sharpe_interval.hpp"

#include <algorithm>
#include <cmath>

#include "data/calendar.hpp"
#include "data/random.hpp"
#include "files/errors.hpp"

namespace softradial::study {
namespace {

constexpr std::size_t kBlock = 21;
constexpr int kDraws = 1000;

// The Sharpe ratio of the days that begin at each start, as metrics/portfolio_metrics.hpp defines it. Sums over blocks come
// from running sums, so that a draw takes as many steps as it has blocks.
class BlockSharpe {
 public:
  explicit BlockSharpe(const std::vector<double>& returns) : n_(returns.size()), sum_(2 * n_ + 1), square_(2 * n_ + 1) {
    for (std::size_t i = 0; i < 2 * n_; ++i) {
      const double r = returns[i % n_];
      sum_[i + 1] = sum_[i] + r;
      square_[i + 1] = square_[i] + r * r;
    }
  }

  [[nodiscard]] double operator()(const std::vector<std::size_t>& starts) const {
    double sum = 0;
    double square = 0;
    std::size_t left = n_;
    for (const std::size_t start : starts) {
      const std::size_t length = std::min(left, kBlock);
      sum += sum_[start + length] - sum_[start];
      square += square_[start + length] - square_[start];
      left -= length;
    }
    const auto n = static_cast<double>(n_);
    const double mean = sum / n;
    const double variance = std::max(0.0, square - n * mean * mean) / (n - 1);
    return variance > 0 ? std::sqrt(kTradingDaysPerYear) * mean / std::sqrt(variance) : 0;
  }

 private:
  std::size_t n_;
  std::vector<double> sum_;
  std::vector<double> square_;
};

}  // namespace

SharpeDifference sharpe_difference(const std::vector<std::vector<double>>& ours, const std::vector<double>& other) {
  const std::size_t n = other.size();
  if (n < 2 || ours.empty() || std::ranges::any_of(ours, [n](const auto& series) { return series.size() != n; })) {
    throw DataError("a difference of Sharpe ratios needs series of the same two days or more");
  }
  std::vector<BlockSharpe> mine;
  mine.reserve(ours.size());
  for (const auto& series : ours) mine.emplace_back(series);
  const BlockSharpe theirs(other);
  const auto difference = [&](const std::vector<std::size_t>& starts) {
    double sum = 0;
    for (const BlockSharpe& each : mine) sum += each(starts);
    return sum / static_cast<double>(mine.size()) - theirs(starts);
  };
  std::vector<std::size_t> starts((n + kBlock - 1) / kBlock);
  for (std::size_t k = 0; k < starts.size(); ++k) starts[k] = k * kBlock;
  SharpeDifference out{.difference = difference(starts), .low = 0, .high = 0};
  Random random(1, 0);
  std::vector<double> drawn;
  for (int draw = 0; draw < kDraws; ++draw) {
    for (std::size_t& start : starts)
      start = std::min(n - 1, static_cast<std::size_t>(random.uniform() * static_cast<double>(n)));
    drawn.push_back(difference(starts));
  }
  std::ranges::sort(drawn);
  out.low = drawn[static_cast<std::size_t>(0.025 * kDraws)];
  out.high = drawn[static_cast<std::size_t>(0.975 * kDraws) - 1];
  return out;
}

}  // namespace softradial::study
