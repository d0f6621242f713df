#include "train/table_lines.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "output_file.hpp"

namespace softradial::program {
namespace {

using nlohmann::json;
using study::PortfolioObjective;

double worst_violation(const json& report) {
  double worst = 0;
  for (const auto& trial : report.at("trials")) worst = std::max(worst, trial.value("violation", 0.0));
  return worst;
}

// "0.980 +- 0.05"; one seed has no deviation.
std::string mean_and_std(const json& report, const char* name) {
  const double mean = report.at("mean").at(name).get<double>();
  if (report.at("trials").size() < 2) return fmt::format("{:.3f}", mean);
  return fmt::format("{:.3f} +- {:.2f}", mean, report.at("std").at(name).get<double>());
}

void print_json(const std::vector<TableLine>& lines) {
  json all = json::array();
  for (const TableLine& line : lines)
    all.push_back({{"set", line.set}, {"method", line.method}, {"ours", line.report}, {"paper", line.paper}});
  OutputFile out(STDOUT_FILENO);
  out.append(all.dump(2) + "\n");
  out.finish();
}

// "x 0.796 [0.78, 0.81]" or "+0.10 [-0.21, +0.40]", with the 95 % interval; "-" for equal weight itself.
std::string against_equal_weight(const json& report, const char* name, bool ratio) {
  if (!report.contains("against_equal_weight")) return "-";
  const json& interval = report["against_equal_weight"].at(name);
  // A number that is not finite is null in JSON.
  const auto number = [&](const char* key) {
    return interval.at(key).is_number() ? interval[key].get<double>() : std::numeric_limits<double>::quiet_NaN();
  };
  return ratio ? fmt::format("x {:.3f} [{:.2f}, {:.2f}]", number("value"), number("low"), number("high"))
               : fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", number("value"), number("low"), number("high"));
}

// Prints the lines as text or JSON; `cells(report)` returns the columns between method and violation. Without a header for the
// paper's numbers, these are left out.
template <class Cells>
void print_lines(const TableStyle& style, const std::vector<TableLine>& lines, const std::string& data,
                 std::vector<std::string> head, std::string_view paper_head, const Cells& cells) {
  if (style.format == Format::json) {
    print_json(lines);
    return;
  }
  head.insert(head.begin(), {"set", "method"});
  head.emplace_back("viol.");
  if (!paper_head.empty()) head.emplace_back(paper_head);
  TextTable rows = {head};
  for (const TableLine& line : lines) {
    std::vector<std::string> row = {line.set, line.method};
    for (std::string& cell : cells(line.report)) row.push_back(std::move(cell));
    row.push_back(fmt::format("{:.0e}", worst_violation(line.report)));
    if (!paper_head.empty()) row.push_back(line.paper.empty() ? "-" : line.paper);
    rows.push_back(std::move(row));
  }
  std::string below = data;
  for (const TableLine& line : lines) {
    const std::string chosen = style.with_choice ? chosen_text(line.report) : "";
    if (!chosen.empty()) below += fmt::format("\n{}, {}: {}", line.method, line.set, chosen);
  }
  print_table(rows, below, style.format);
}

}  // namespace

std::string chosen_text(const json& report) {
  if (report.contains("parameters")) return report["parameters"].get<std::string>();
  const json& config = report.at("config");
  std::string text = config.value("contraction", "");
  if (!config.contains("method_options")) return text;
  for (const auto& [name, value] : config["method_options"].items()) {
    if (name == "epsilon" || name == "symmetric") continue;
    text += fmt::format("{}{} {:g}", text.empty() ? "" : ", ", name, value.get<double>());
  }
  return text;
}

void print_table(const TextTable& rows, const std::string& data, Format format) {
  const bool markdown = format == Format::markdown;
  OutputFile out(STDOUT_FILENO);
  out.append(table_text(rows, markdown) + (markdown ? "\n" : "") + "data: " + data + "\n");
  out.finish();
}

void print_portfolio_lines(const TableStyle& style, PortfolioObjective objective, const std::vector<TableLine>& lines,
                           const std::string& data) {
  const std::string below = data + "\n[ ]: 95 % of a block bootstrap of the test days (docs/metrics.md)";
  if (objective == PortfolioObjective::variance) {
    print_lines(style, lines, below, {"volatility", "turnover", "to equal weight"}, "", [](const json& report) {
      return std::vector<std::string>{mean_and_std(report, "annual_volatility"), mean_and_std(report, "turnover"),
                                      against_equal_weight(report, "volatility_ratio", true)};
    });
    return;
  }
  print_lines(style, lines, below, {"net Sharpe", "turnover", "to equal weight"}, "paper, turnover",
              [](const json& report) {
                return std::vector<std::string>{mean_and_std(report, "sharpe"), mean_and_std(report, "turnover"),
                                                against_equal_weight(report, "sharpe_difference", false)};
              });
}

void print_dispatch_lines(const TableStyle& style, const std::vector<TableLine>& lines, const std::string& data) {
  print_lines(style, lines, data, {"served rate", "to equal weight"}, "paper", [](const json& report) {
    return std::vector<std::string>{mean_and_std(report, "served_rate"),
                                    against_equal_weight(report, "served_rate_difference", false)};
  });
}

}  // namespace softradial::program
