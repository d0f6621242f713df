#pragma once

#include <optional>
#include <span>
#include <string_view>

// The numbers of the paper's tables, printed next to ours: means and standard deviations over five seeds.
namespace softradial::study {

struct PaperPortfolioRow {
  std::string_view universe;  // "liquid", "sectors", "global"
  double cap;                 // 1: the simplex
  std::string_view method;
  double sharpe;
  double sharpe_std;
  double turnover;
  double turnover_std;
};
// Tables portfolio-results-train-net and portfolio-results-train-gross.
[[nodiscard]] std::span<const PaperPortfolioRow> paper_net_table() noexcept;
[[nodiscard]] std::span<const PaperPortfolioRow> paper_gross_table() noexcept;

struct PaperDispatchRow {
  double kappa;  // 1: the simplex
  std::string_view method;
  double served_rate;
  double served_rate_std;
};
// Table taxi-results and the table of the appendix.
[[nodiscard]] std::span<const PaperDispatchRow> paper_dispatch_table() noexcept;

struct PaperSummaryRow {
  std::string_view universe;
  std::string_view split;
  double mean;
  double median;
  double volatility;
  double max_drawdown;
  double correlation;
  double autocorrelation;
  std::optional<double> ks_p_value;
};
// Table summary_stats; in per cent where ours are fractions.
[[nodiscard]] std::span<const PaperSummaryRow> paper_summary_table() noexcept;

}  // namespace softradial::study
