#include "report/paper_table.hpp"

#include <fmt/format.h>

#include "report/page.hpp"
#include "runs/paper_tables.hpp"

namespace softradial::study {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string set_text(double cap) { return cap >= 1 ? "simplex" : fmt::format("cap {:g}", cap); }

std::string table_of(const Rows& rows) {
  if (rows.size() == 1) return "<p>The paper has no numbers for these methods and sets.</p>";
  return html_table(rows, "The paper's numbers for the same method and set; its data are others");
}

}  // namespace

std::string portfolio_beside_the_paper(const std::vector<OurResult>& ours) {
  Rows rows = {{"method", "set", "paper: universe", "Sharpe", "turnover % a day", "ours: Sharpe", "turnover % a day"}};
  for (const OurResult& own : ours) {
    const bool gross = own.config.value("objective", "net") == "gross";
    const double cap = own.config.value("cap", 1.0);
    for (const PaperPortfolioRow& row : gross ? paper_gross_table() : paper_net_table()) {
      if (row.method != own.method || row.cap != cap) continue;
      rows.push_back({own.label, set_text(row.cap), std::string(row.universe),
                      fmt::format("{:.2f} ± {:.2f}", row.sharpe, row.sharpe_std),
                      fmt::format("{:.0f} ± {:.0f}", 100 * row.turnover, 100 * row.turnover_std), own.sharpe,
                      own.turnover});
    }
  }
  return table_of(rows);
}

std::string dispatch_beside_the_paper(const std::vector<OurResult>& ours) {
  Rows rows = {{"method", "set", "paper: served", "ours"}};
  for (const OurResult& own : ours) {
    for (const PaperDispatchRow& row : paper_dispatch_table()) {
      if (row.method != own.method || row.kappa != own.config.value("kappa", 1.0)) continue;
      rows.push_back({own.label, set_text(row.kappa),
                      fmt::format("{:.2f} ± {:.2f}", row.served_rate, row.served_rate_std), own.served});
    }
  }
  return table_of(rows);
}

}  // namespace softradial::study
