#include "train/metric_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace softradial::program {
namespace {

// How a metric is shown. docs/metrics.md defines the metrics.
struct MetricColumn {
  std::string_view metric;
  std::string_view head;
  double scale;
  int digits;
};
constexpr MetricColumn kMetricColumns[] = {{"sharpe", "Sharpe", 1, 3},
                                           {"annual_return", "return %", 100, 2},
                                           {"annual_volatility", "volat. %", 100, 2},
                                           {"max_drawdown", "drawd. %", 100, 2},
                                           {"turnover", "turnover %", 100, 2},
                                           {"served_rate", "served %", 100, 2}};

// How a comparison is shown: a difference has a sign, a ratio a cross.
struct Compared {
  std::string_view key;
  std::string_view text;
};
constexpr Compared kCompared[] = {{"sharpe_difference", "Sharpe ratio {:+.2f} [{:+.2f}, {:+.2f}]"},
                                  {"volatility_ratio", "volatility x {:.3f} [{:.3f}, {:.3f}]"},
                                  {"served_rate_difference", "served rate {:+.4f} [{:+.4f}, {:+.4f}]"}};

}  // namespace

std::vector<std::string> comparison_texts(const nlohmann::json& against_equal_weight) {
  std::vector<std::string> texts;
  for (const Compared& each : kCompared) {
    const auto found = against_equal_weight.find(each.key);
    if (found == against_equal_weight.end()) continue;
    const auto number = [&](const char* name) {
      const nlohmann::json& value = found->at(name);
      return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
    };
    texts.push_back(fmt::format(fmt::runtime(each.text), number("value"), number("low"), number("high")));
  }
  return texts;
}

TextTable metric_table(const std::string& first, const std::vector<MetricRow>& rows) {
  TextTable table = {{first}};
  std::vector<const MetricColumn*> shown;
  for (const MetricColumn& column : kMetricColumns) {
    const auto has = [&](const MetricRow& row) { return row.metrics.contains(column.metric); };
    if (!std::ranges::any_of(rows, has)) continue;
    shown.push_back(&column);
    table[0].emplace_back(column.head);
  }
  table[0].emplace_back("violation");
  for (const MetricRow& row : rows) {
    table.push_back({row.name});
    for (const MetricColumn* column : shown) {
      // A number that is not finite is null in JSON.
      const auto value = row.metrics.find(column->metric);
      const bool known = value != row.metrics.end() && value->is_number();
      table.back().push_back(known ? fmt::format("{:.{}f}", column->scale * value->get<double>(), column->digits)
                                   : "-");
    }
    table.back().push_back(row.violation ? fmt::format("{:.0e}", *row.violation) : "");
  }
  return table;
}

}  // namespace softradial::program
