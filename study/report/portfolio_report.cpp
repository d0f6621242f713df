#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

#include "metrics/mean_and_std.hpp"
#include "report/charts.hpp"
#include "report/paper_table.hpp"
#include "report/report.hpp"

namespace softradial::study {
namespace {

constexpr const char* kBaseline = "equal_weight";
constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::vector<double> wealth_of(const std::vector<double>& returns) {
  std::vector<double> wealth;
  wealth.reserve(returns.size());
  double now = 1;
  for (const double r : returns) wealth.push_back(now *= 1 + r);
  return wealth;
}

// How far the wealth lies below its highest value so far: 0 or negative.
std::vector<double> drawdown_of(const std::vector<double>& returns) {
  std::vector<double> out = wealth_of(returns);
  double peak = 1;
  for (double& wealth : out) {
    peak = std::max(peak, wealth);
    wealth = wealth / peak - 1;
  }
  return out;
}

// The mean of the last 21 days, a trading month; fewer at the beginning.
std::vector<double> monthly_mean(const std::vector<double>& values) {
  constexpr std::size_t kDays = 21;
  std::vector<double> out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t first = i + 1 > kDays ? i + 1 - kDays : 0;
    double sum = 0;
    for (std::size_t k = first; k <= i; ++k) sum += values[k];
    out.push_back(sum / static_cast<double>(i + 1 - first));
  }
  return out;
}

std::vector<double> column(const SeedRecord& seed, const char* name) { return seed.outcome(name); }

std::string over(const RunRecord& run, const char* metric, double scale, int digits) {
  std::vector<double> values;
  for (const SeedRecord& seed : run.seeds) values.push_back(scale * seed.trial.at("test").at(metric).get<double>());
  const MeanAndStd m = mean_and_std(values);
  return values.size() < 2 ? fmt::format("{:.{}f}", m.mean, digits)
                           : fmt::format("{:.{}f} ± {:.{}f}", m.mean, digits, m.std, digits);
}

double worst_violation(const RunRecord& run) {
  double worst = 0;
  for (const SeedRecord& seed : run.seeds) worst = std::max(worst, seed.trial.value("violation", 0.0));
  return worst;
}

// The interval that the run has recorded; "-" for equal weight itself.
std::string against_equal_weight(const RunRecord& run) {
  if (!run.result.contains("against_equal_weight")) return "-";
  const auto& interval = run.result["against_equal_weight"].at("sharpe_difference");
  // A number that is not finite is null in JSON.
  const auto number = [&](const char* key) {
    return interval.at(key).is_number() ? interval[key].get<double>() : std::numeric_limits<double>::quiet_NaN();
  };
  return fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", number("value"), number("low"), number("high"));
}

std::string portfolio_headline(const std::vector<RunRecord>& runs) {
  std::vector<std::vector<std::string>> rows = {{"method", "Sharpe", "against equal weight (95 %)", "return % a year",
                                                 "volatility %", "drawdown %", "turnover % a day", "cost bp a day",
                                                 "seeds", "violation"}};
  for (const RunRecord& run : runs) {
    rows.push_back({run.label, over(run, "sharpe", 1, 3), against_equal_weight(run), over(run, "annual_return", 100, 1),
                    over(run, "annual_volatility", 100, 1), over(run, "max_drawdown", 100, 1),
                    over(run, "turnover", 100, 2), over(run, "cost", 1e4, 2), std::to_string(run.seeds.size()),
                    fmt::format("{:.0e}", worst_violation(run))});
  }
  const auto& result = runs.front().result;
  if (!is_run(runs, kBaseline) && result.contains("baselines") && result["baselines"].contains(kBaseline)) {
    const auto& test = result["baselines"][kBaseline].at("test");
    const auto value = [&](const char* name, double scale, int digits) {
      return fmt::format("{:.{}f}", scale * test.at(name).get<double>(), digits);
    };
    rows.push_back({kBaseline, value("sharpe", 1, 3), "-", value("annual_return", 100, 1),
                    value("annual_volatility", 100, 1), value("max_drawdown", 100, 1), value("turnover", 100, 2),
                    value("cost", 1e4, 2), "-", "-"});
  }
  return html_table(rows, "Test period, after costs; mean and deviation over the seeds") +
         "<p class=\"note\">The interval is where 95 % of the differences of the Sharpe ratios lie when blocks of 20 "
         "days are "
         "drawn again, the same ones for both. An interval that contains 0 says that the period is too short to "
         "tell.</p>";
}

// One line for each run, and a dashed one for equal weight unless it is one of the runs.
template <class F>
std::vector<ChartSeries> series_of(const std::vector<RunRecord>& runs, const char* name, const F& f) {
  std::vector<ChartSeries> series;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    series.push_back(over_seeds(runs[k], time_numbers(runs[k].seeds.front().ended), static_cast<int>(k),
                                [&](const SeedRecord& seed) { return f(column(seed, name)); }));
  }
  const SeedRecord& first = runs.front().seeds.front();
  const auto found = first.outcomes.find(std::string(kBaseline) + "." + name);
  if (found != first.outcomes.end() && !is_run(runs, kBaseline)) {
    series.push_back({.name = kBaseline,
                      .x = time_numbers(first.ended),
                      .middle = f(found->second),
                      .low = {},
                      .high = {},
                      .color = plot::kInk,
                      .dashed = true});
  }
  return series;
}

// The exact daily returns of every seed.
std::string exact_returns(const std::vector<RunRecord>& runs) {
  ExactTable table{.file = "daily_net_returns",
                   .text = "Daily net returns of every seed, CSV",
                   .head = "date",
                   .rows = runs.front().seeds.front().ended,
                   .names = {}};
  for (const RunRecord& run : runs) {
    for (const SeedRecord& seed : run.seeds) {
      if (seed.ended != table.rows) continue;
      table.names.push_back(fmt::format("{} seed {}", run.label, seed.seed));
      std::ranges::replace(table.names.back(), ',', ' ');
      table.columns.push_back(in_millionths(column(seed, "net_return")));
    }
  }
  return exact_table(table);
}

// Returns of months and years, as means over the seeds.
std::string calendar(const RunRecord& run) {
  std::map<int, std::map<int, double>> growth;  // by year and month; 12: the year
  for (const SeedRecord& seed : run.seeds) {
    std::map<int, std::map<int, double>> own;
    const std::vector<double> returns = column(seed, "net_return");
    for (std::size_t i = 0; i < returns.size(); ++i) {
      const std::string& day = seed.ended[i];
      const int year = std::stoi(day.substr(0, 4));
      for (const int slot : {std::stoi(day.substr(5, 2)) - 1, 12}) {
        auto [place, added] = own[year].try_emplace(slot, 1.0);
        place->second *= 1 + returns[i];
      }
    }
    for (const auto& [year, slots] : own) {
      for (const auto& [slot, value] : slots) growth[year][slot] += (value - 1) / static_cast<double>(run.seeds.size());
    }
  }
  plot::HeatMap map{.columns = 13, .rows = growth.size(), .values = {}, .texts = {}, .range = {-0.1, 0.1}};
  std::vector<std::string> rows;
  for (const auto& [year, slots] : growth) {
    rows.push_back(std::to_string(year));
    for (int slot = 0; slot < 13; ++slot) {
      const auto found = slots.find(slot);
      map.values.push_back(found == slots.end() ? std::nan("") : found->second);
      map.texts.push_back(found == slots.end() ? "" : fmt::format("{:.1f}", 100 * found->second));
    }
  }
  std::vector<std::string> columns(std::begin(kMonths), std::end(kMonths));
  columns.emplace_back("year");
  return heat_map({.title = run.label,
                   .description = "Returns of months and years in per cent.",
                   .file = "calendar",
                   .height = 26.0 * static_cast<double>(growth.size())},
                  map, columns, rows);
}

std::string portfolio_paper_table(const std::vector<RunRecord>& runs) {
  std::vector<OurResult> ours;
  ours.reserve(runs.size());
  for (const RunRecord& run : runs) {
    ours.push_back({.label = run.label,
                    .method = run.method(),
                    .config = run.manifest.at("config"),
                    .sharpe = over(run, "sharpe", 1, 2),
                    .turnover = over(run, "turnover", 100, 1),
                    .served = {}});
  }
  return portfolio_beside_the_paper(ours);
}

}  // namespace

std::vector<Section> portfolio_sections(const std::vector<RunRecord>& runs) {
  std::vector<Section> sections;
  sections.push_back({"Results", portfolio_headline(runs)});
  sections.push_back(
      {"Wealth and drawdown",
       line_chart({.title = "Wealth, of 1",
                   .description = "Growth of 1 after costs; bands are the lowest and the highest seed.",
                   .file = "wealth",
                   .x = XKind::date},
                  series_of(runs, "net_return", wealth_of)) +
           line_chart({.title = "Drawdown",
                       .description = "Loss from the highest wealth so far.",
                       .file = "drawdown",
                       .x = XKind::date,
                       .y = YKind::percent,
                       .height = 200},
                      series_of(runs, "net_return", drawdown_of)) +
           "<p class=\"note\">Lines are means over the seeds, bands reach from the lowest to the highest seed.</p>" +
           exact_returns(runs)});
  std::string calendars;
  for (const RunRecord& run : runs) calendars += calendar(run);
  sections.push_back({"Months and years", calendars});
  sections.push_back({"Weights", decision_charts(runs, XKind::date, "Weights")});
  sections.push_back({"Turnover and cost", line_chart({.title = "Turnover a day, mean of 21 days",
                                                       .description = "One-way turnover.",
                                                       .file = "turnover",
                                                       .x = XKind::date,
                                                       .y = YKind::percent,
                                                       .height = 200},
                                                      series_of(runs, "turnover", monthly_mean)) +
                                               line_chart({.title = "Cost since the beginning",
                                                           .description = "Sum of the costs.",
                                                           .file = "cost",
                                                           .x = XKind::date,
                                                           .y = YKind::percent,
                                                           .height = 160},
                                                          series_of(runs, "cost", [](std::vector<double> cost) {
                                                            for (std::size_t i = 1; i < cost.size(); ++i)
                                                              cost[i] += cost[i - 1];
                                                            return cost;
                                                          }))});
  sections.push_back({"Slack of the constraints", slack_charts(runs, XKind::date)});
  sections.push_back({"Training", training_charts(runs)});
  sections.push_back({"The paper's table", portfolio_paper_table(runs)});
  sections.push_back({"Configurations", configurations(runs)});
  return sections;
}

}  // namespace softradial::study
