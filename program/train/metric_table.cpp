#include "train/metric_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace softradial::program {
namespace {

// How a metric is shown; docs/metrics.md defines them.
struct Column {
  std::string_view metric;
  std::string_view head;
  double scale;
  int digits;
};
constexpr Column kColumns[] = {{"sharpe", "Sharpe", 1, 3},
                               {"annual_return", "return %", 100, 2},
                               {"annual_volatility", "volat. %", 100, 2},
                               {"max_drawdown", "drawd. %", 100, 2},
                               {"turnover", "turnover %", 100, 2},
                               {"served_rate", "served %", 100, 2}};

}  // namespace

std::string metric_table(const std::string& first, const std::vector<MetricRow>& rows) {
  std::vector<const Column*> shown;
  for (const Column& column : kColumns) {
    if (std::ranges::any_of(rows, [&](const MetricRow& row) { return row.metrics.contains(column.metric); })) {
      shown.push_back(&column);
    }
  }
  std::string text = fmt::format("{:<13}", first);
  for (const Column* column : shown) text += fmt::format(" {:>10}", column->head);
  text += fmt::format(" {:>9}\n", "violation");
  for (const MetricRow& row : rows) {
    std::string line = fmt::format("{:<13}", row.name);
    for (const Column* column : shown) {
      // A number that is not finite is null in JSON.
      const auto value = row.metrics.find(column->metric);
      const bool known = value != row.metrics.end() && value->is_number();
      line += fmt::format(" {:>10}",
                          known ? fmt::format("{:.{}f}", column->scale * value->get<double>(), column->digits) : "-");
    }
    if (row.violation) line += fmt::format(" {:>9.0e}", *row.violation);
    text += line + "\n";
  }
  return text;
}

}  // namespace softradial::program
